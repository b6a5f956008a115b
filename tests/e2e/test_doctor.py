"""Each damaged state of a home is named together with the command that fixes it, and that command fixes it."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest

from accelrag.corpus import Corpus
from accelrag.generation import LocalServer, discover_servers
from accelrag.index import Manifest, current_generation
from accelrag.pipeline import build_index, examine
from accelrag.settings import Settings
from accelrag.types import Document
from fake_llm import FakeLLM, error, say


@pytest.fixture
def settings(home, tiny_encoder):
    found = Settings(home=home, model=str(tiny_encoder), threads=1)
    build_index(found)
    return found


def diagnosed(settings, **how):
    how.setdefault("servers", list)
    how.setdefault("free", lambda _: 10**12)
    return examine(settings, **how)


def only(settings, **how):
    found = diagnosed(settings, **how)
    assert len(found.findings) == 1, found.findings
    return found.findings[0]


def generation(settings):
    return current_generation(settings.index_dir)


def with_text(
    settings, text="A board for training that moves 819 gigabytes in a second.", fetched="2026-01-01T00:00:00Z"
):
    with Corpus.open(settings.corpus_dir) as corpus:
        from accelrag.pipeline import entries_of

        entry = entries_of(settings)[0][0]
        corpus.put(Document(f"text:{entry.id}", entry.id, text, "full", fetched_at=fetched))
    return entry


def test_nothing_is_said_of_a_home_that_is_whole(settings):
    found = diagnosed(settings)
    assert found.findings == ()
    assert found.exit_code == 0


def test_a_missing_index(settings):
    shutil.rmtree(settings.index_dir)
    finding = only(settings)
    assert "there is no index" in finding.message
    assert "accelrag index" in finding.fix


def test_current_that_names_what_is_not_there(settings):
    (settings.index_dir / "CURRENT").write_text("gen-000009-00000000\n")
    assert "not there" in only(settings).message
    build_index(settings)
    assert diagnosed(settings).findings == ()


def test_a_file_that_is_gone_or_changed_behind_its_time(settings):
    path = generation(settings) / "vectors/note.faiss"
    stat = path.stat()
    data = bytearray(path.read_bytes())
    data[-3] ^= 0x10
    path.write_bytes(data)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # a quick look does not see it
    finding = only(settings)
    assert "vectors/note.faiss is not as it was written" in finding.message
    assert "accelrag index --rebuild" in finding.fix
    path.unlink()
    assert "lacks vectors/note.faiss" in only(settings).message


def test_counts_that_disagree(settings):
    folder = generation(settings)
    manifest = Manifest.read(folder)
    replace(manifest, counts={**manifest.counts, "passages": 999}).write(folder)
    finding = only(settings)
    assert "should hold 999 passages" in finding.message
    assert "--rebuild" in finding.fix


def test_an_older_and_a_newer_schema(settings):
    folder = generation(settings)
    described = asdict(Manifest.read(folder))
    for schema, said in ((1, "older schema 1"), (99, "newer schema 99")):
        (folder / "manifest.json").write_text(json.dumps({**described, "schema": schema}))
        finding = only(settings)
        assert said in finding.message
        assert "accelrag index" in finding.fix
    report = build_index(settings)
    assert report.encoded == 0, "an older bundle is built anew from the same vectors"
    assert diagnosed(settings).findings == ()


def test_leftovers_of_killed_runs_are_named_and_removed_only_when_asked(settings):
    index = settings.index_dir
    (index / ".building-4711").mkdir()
    (index / "CURRENT.new").write_text("x")
    shutil.copytree(generation(settings), index / "gen-000002-00000000")
    (index / "cache" / ".encoder-x-4711").mkdir()
    (settings.corpus_dir / ".lists.json.new").write_text("{")
    found = diagnosed(settings)
    assert len(found.findings) == 5
    assert {f.fix for f in found.findings} == {"accelrag doctor --fix"}
    assert len(diagnosed(settings).findings) == 5
    fixed = diagnosed(settings, fix=True)
    assert len(fixed.fixed) == 5
    assert fixed.findings == ()


def test_the_note_of_a_holder_that_is_gone(settings):
    note = settings.corpus_dir / ".lock.json"
    note.write_text(json.dumps({"pid": 2**22 + 1, "doing": "accelrag update", "since": "2026-01-01T00:00:00Z"}))
    assert "which is gone" in only(settings).message
    assert diagnosed(settings, fix=True).findings == ()
    note.write_text(json.dumps({"pid": os.getpid(), "doing": "accelrag update", "since": "2026-01-01T00:00:00Z"}))
    assert only(settings).severity == "info"
    assert diagnosed(settings, fix=True).exit_code == 0
    assert note.exists()


def test_another_model_and_a_missing_model(settings, tmp_path):
    from tiny_encoder import write_tiny_encoder

    other = replace(settings, model=str(write_tiny_encoder(tmp_path / "other", seed=8)))
    finding = only(other)
    assert "built with tiny-7" in finding.message
    assert finding.fix == f"accelrag index --model {other.model}"
    missing = replace(settings, model=str(tmp_path / "nowhere"))
    assert any("no model folder" in f.message for f in diagnosed(missing).findings)


def test_a_corpus_that_is_newer_than_the_index(settings):
    with_text(settings)
    finding = only(settings)
    assert "corpus is newer than the index: 1 texts differ" in finding.message
    build_index(settings)
    assert diagnosed(settings).findings == ()


def test_a_list_that_changed_since(settings):
    path = settings.corpus_dir / "test-chips.md"
    path.write_text(path.read_text() + "\n- [New](https://new.example/) - A new one.\n")
    assert "test-chips.md changed since the index was built" in only(settings).message


def test_a_list_that_cannot_be_read(settings):
    (settings.corpus_dir / "test-chips.md").write_bytes(b"\x00\x01")
    messages = [f.message for f in diagnosed(settings).findings]
    assert any("is a binary file" in m for m in messages)


def test_a_registry_that_is_cut_off(settings):
    (settings.corpus_dir / "lists.json").write_text('{"chips": {"sou')
    assert any("lists.json cannot be read" in f.message for f in diagnosed(settings).findings)


def test_a_disk_that_is_nearly_full(settings):
    finding = only(settings, free=lambda _: 5_000_000)
    assert "5 MB are free" in finding.message
    assert "accelrag gc" in finding.fix


def test_a_corpus_with_a_text_that_was_changed_and_one_that_is_no_database(settings):
    entry = with_text(settings)
    build_index(settings)
    import sqlite3

    path = settings.corpus_dir / "corpus.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE documents SET text='another'")
    assert any(f"the text of {entry.id} does not match" in f.message for f in diagnosed(settings).findings)
    path.write_bytes(b"not a database" * 100)
    findings = [f for f in diagnosed(settings).findings if f.about == "corpus"]
    assert len(findings) == 1
    assert findings[0].fix.startswith("mv ")


def test_a_clock_that_was_ahead_when_a_text_was_fetched(settings):
    with_text(settings, fetched="2031-01-01T00:00:00Z")
    build_index(settings)
    assert "fetched in the future" in only(settings, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)).message


def test_local_servers_that_answer_that_answer_wrongly_and_that_have_no_model(settings):
    with FakeLLM([say("Yes.")]) as good, FakeLLM([error(500, "out of memory")]) as bad, FakeLLM() as empty:
        good.pages["/v1/models"] = bad.pages["/v1/models"] = {"data": [{"id": "qwen", "owned_by": "llamacpp"}]}
        empty.pages["/v1/models"] = {"data": []}
        ports = [(good.port, "llama.cpp"), (bad.port, "llama.cpp"), (empty.port, "vLLM")]
        found = diagnosed(settings, servers=lambda: discover_servers(ports))
    assert [f.severity for f in found.findings] == ["info", "warning", "info"]
    assert "--llm openai:qwen" in found.findings[0].fix
    assert "answers wrongly" in found.findings[1].message
    assert "out of memory" in found.findings[1].message
    assert "no model loaded" in found.findings[2].message


def test_a_key_is_not_sent_to_servers_that_were_only_found(settings):
    with FakeLLM([say("Yes.")]) as server:
        there = LocalServer("llama.cpp", server.url.removesuffix("/v1"), ("qwen",), "use it")
        diagnosed(replace(settings, openai_api_key="sk-secret"), servers=lambda: [there])
        assert [h.get("authorization") for h in server.headers] == [None]


def test_the_language_model_of_the_settings_that_says_nothing(settings):
    with FakeLLM([say("")]) as server:
        asked = replace(settings, llm="openai:qwen", openai_base_url=server.url)
        finding = only(asked)
    assert finding.severity == "error"
    assert "openai:qwen does not answer as it should" in finding.message
    assert finding.fix
