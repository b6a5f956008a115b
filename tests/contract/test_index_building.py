from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from accelrag.errors import Busy, IndexDamaged, IndexMismatch, IndexMissing, ListError, ModelError, StorageError
from accelrag.index import Index, Manifest, build, current_generation, generations, orphans, sweep
from accelrag.index.bundle import writing
from accelrag.listing import parse
from accelrag.retriever import Retriever
from small_corpus import TEXTS, build_small, documents_of, every_file
from small_list import LIST
from tiny_encoder import write_tiny_encoder

QUESTIONS = ("pages for the kv cache", "tensor cores", "cycle accurate simulator", "XQ-900", "内存模拟器", "zzz qqq")


def answers(index_dir: Path, model: Path) -> list[object]:
    retriever = Retriever(Index.open(index_dir, model=str(model)))
    found = []
    for question in QUESTIONS:
        search = retriever.search(question, 10)
        found.append([(r.entry.id, r.score, r.hits, r.why) for r in search.results])
        found.append(search.signals)
    return found


def test_two_builds_of_one_corpus_answer_the_same(tmp_path, tiny_encoder):
    for name in ("a", "b"):
        build_small(tmp_path / name, tiny_encoder, LIST)
    assert answers(tmp_path / "a", tiny_encoder) == answers(tmp_path / "b", tiny_encoder)


def test_two_builds_write_the_same_passages_and_vectors(tmp_path, tiny_encoder):
    a, b = (build_small(tmp_path / name, tiny_encoder, LIST).folder for name in ("a", "b"))
    assert a.name == b.name
    for name in ("passages.db", "vectors/note.faiss", "encoder/model.onnx", "encoder/tokenizer.json"):
        assert (a / name).read_bytes() == (b / name).read_bytes(), name


def test_one_thread_and_many_make_the_same_vectors(tmp_path, tiny_encoder):
    a = build_small(tmp_path / "a", tiny_encoder, LIST, threads=1).folder
    b = build_small(tmp_path / "b", tiny_encoder, LIST, threads=4).folder
    assert (a / "vectors/note.faiss").read_bytes() == (b / "vectors/note.faiss").read_bytes()


def test_an_incremental_build_equals_one_from_scratch(tmp_path, tiny_encoder):
    changed = LIST.replace("cycle-accurate", "very exact")
    build_small(tmp_path / "a", tiny_encoder, LIST)
    a = build_small(tmp_path / "a", tiny_encoder, changed).folder
    b = build_small(tmp_path / "b", tiny_encoder, changed).folder
    assert (a / "passages.db").read_bytes() == (b / "passages.db").read_bytes()
    assert (a / "vectors/note.faiss").read_bytes() == (b / "vectors/note.faiss").read_bytes()
    assert answers(tmp_path / "a", tiny_encoder) == answers(tmp_path / "b", tiny_encoder)


def test_an_unchanged_rebuild_encodes_nothing_and_writes_nothing(tmp_path, tiny_encoder):
    first = build_small(tmp_path, tiny_encoder, LIST)
    before = {p: p.stat().st_mtime_ns for p in every_file(tmp_path)}
    again = build_small(tmp_path, tiny_encoder, LIST)
    assert (again.folder, again.encoded, again.unchanged) == (first.folder, 0, True)
    assert {p: p.stat().st_mtime_ns for p in every_file(tmp_path)} == before


def test_a_forced_rebuild_makes_a_generation_and_encodes_nothing(tmp_path, tiny_encoder):
    first = build_small(tmp_path, tiny_encoder, LIST)
    again = build_small(tmp_path, tiny_encoder, LIST, rebuild=True)
    assert again.encoded == 0
    assert not again.unchanged
    assert again.folder != first.folder
    assert answers(tmp_path, tiny_encoder)


def test_one_changed_note_encodes_only_its_passages(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    store = Index.open(tmp_path, model=str(tiny_encoder)).store
    before = {p.text for e, _ in store.entries() for p in store.passages_of(e.id)}
    report = build_small(tmp_path, tiny_encoder, LIST.replace("simulator of networks on chip", "model of meshes"))
    store = Index.open(tmp_path, model=str(tiny_encoder)).store
    after = {p.text for e, _ in store.entries() for p in store.passages_of(e.id)}
    assert 1 <= report.encoded == len(after - before)
    assert report.encoded < report.passages / 3


def test_one_changed_text_encodes_only_its_passages(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    url = "https://arxiv.org/abs/2401.00002"
    texts = TEXTS | {url: ("abstract", TEXTS[url][1].replace("2.5 times", "three times"))}
    report = build_small(tmp_path, tiny_encoder, LIST, texts)
    assert report.encoded == 1


def test_a_moved_entry_is_encoded_anew_only_where_its_section_is_part_of_the_text(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    report = build_small(tmp_path, tiny_encoder, LIST.replace("## Simulators", "## Models of machines"))
    assert 0 < report.encoded < report.passages / 2


def test_a_text_that_was_asked_for_again_and_is_the_same_makes_no_new_generation(tmp_path, tiny_encoder):
    entries = list(parse(LIST).entries)
    first = documents_of(entries)
    build(tmp_path, entries, first, model=str(tiny_encoder))

    def later(entry_id: str):
        found = first(entry_id)
        return replace(found, fetched_at="2026-01-02T03:04:05Z") if found else None

    assert build(tmp_path, entries, later, model=str(tiny_encoder)).unchanged


def test_the_vector_of_a_passage_depends_on_its_text_alone(tmp_path, tiny_encoder):
    from accelrag.embedding import open_encoder

    texts = ["one", "two words", "three more words", "x" * 500, "", "量化"]
    encoder = open_encoder(tiny_encoder, threads=3)
    together = encoder.encode_passages(texts)
    alone = np.stack([open_encoder(tiny_encoder, threads=1).encode_passages([t])[0] for t in texts])
    assert together.tobytes() == alone.tobytes()


# What is refused


def test_nothing_built_yet_names_the_command(tmp_path):
    with pytest.raises(IndexMissing) as error:
        Index.open(tmp_path)
    assert error.value.hint == "build it: accelrag index"


def test_an_index_of_another_model_is_refused_with_the_command(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    with pytest.raises(IndexMismatch, match="tiny-7") as error:
        Index.open(tmp_path, model="some/other")
    assert "accelrag index --model some/other" in error.value.hint
    with pytest.raises(IndexMismatch) as error:
        Index.open(tmp_path)
    assert error.value.hint == "rebuild it: accelrag index"


def test_another_encoder_in_the_same_folder_is_no_standing_index(tmp_path):
    folder = write_tiny_encoder(tmp_path / "encoder", seed=1)
    first = build_small(tmp_path / "index", folder, LIST)
    write_tiny_encoder(folder, seed=2)
    second = build_small(tmp_path / "index", folder, LIST)
    assert second.encoded == first.encoded > 0
    assert Manifest.read(second.folder).fingerprint != Manifest.read(first.folder).fingerprint


@pytest.mark.parametrize(("schema", "step"), [(0, "accelrag index"), (99, "pip install -U accelrag")])
def test_another_schema_is_refused(tmp_path, tiny_encoder, schema, step):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder
    replace(Manifest.read(folder), schema=schema).write(folder)
    with pytest.raises(IndexMismatch) as error:
        Index.open(tmp_path, model=str(tiny_encoder))
    assert step in error.value.hint


def test_a_rebuild_takes_the_place_of_another_schema(tmp_path, tiny_encoder):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder
    replace(Manifest.read(folder), schema=0).write(folder)
    assert not build_small(tmp_path, tiny_encoder, LIST).unchanged
    assert answers(tmp_path, tiny_encoder)


def test_no_entry_is_an_error_that_leaves_the_index(tmp_path, tiny_encoder):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder
    with pytest.raises(ListError):
        build(tmp_path, [], lambda _: None, model=str(tiny_encoder))
    assert current_generation(tmp_path) == folder


# A build that fails leaves the old index


class Broken(Exception):
    pass


def test_a_build_that_breaks_anywhere_leaves_the_old_index_and_no_litter(tmp_path, tiny_encoder):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder
    expected = answers(tmp_path, tiny_encoder)
    changed = list(parse(LIST.replace("pages", "blocks")).entries)
    for stop in (1, len(changed), len(changed) + 1, 2 * len(changed)):
        asked = 0

        def document_of(entry_id: str):
            nonlocal asked
            asked += 1
            if asked == stop:  # noqa: B023 - called within this turn only
                raise Broken
            return documents_of(changed)(entry_id)

        with pytest.raises(Broken):
            build(tmp_path, changed, document_of, model=str(tiny_encoder))
        assert current_generation(tmp_path) == folder
        assert orphans(tmp_path) == []
    assert answers(tmp_path, tiny_encoder) == expected


def test_an_interrupt_while_encoding_keeps_what_was_encoded_and_the_old_index(tmp_path, tiny_encoder):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder

    class Interrupting:
        def start(self, task, total):
            pass

        def advance(self, task, count=1):
            raise KeyboardInterrupt

        def done(self, task):
            pass

    with pytest.raises(KeyboardInterrupt):
        build_small(tmp_path, tiny_encoder, LIST.replace("chip", "silicon"), progress=Interrupting())
    assert current_generation(tmp_path) == folder
    assert orphans(tmp_path) == []
    assert not build_small(tmp_path, tiny_encoder, LIST.replace("chip", "silicon")).unchanged


def test_a_model_that_cannot_be_found_leaves_the_old_index(tmp_path, tiny_encoder):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder
    with pytest.raises(ModelError, match="no model folder"):
        build_small(tmp_path, "./no/such/folder", LIST)
    assert current_generation(tmp_path) == folder


def test_a_damaged_exported_encoder_is_refused(tmp_path):
    folder = write_tiny_encoder(tmp_path / "encoder")
    raw = bytearray((folder / "model.onnx").read_bytes())
    raw[1000] ^= 1
    (folder / "model.onnx").write_bytes(raw)
    with pytest.raises(ModelError, match="damaged") as error:
        build_small(tmp_path / "index", folder, LIST)
    assert error.value.hint


def test_a_file_where_the_index_folder_should_be_is_one_line(tmp_path, tiny_encoder):
    (tmp_path / "index").write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageError) as error:
        build_small(tmp_path / "index", tiny_encoder, LIST)
    assert error.value.hint
    assert (tmp_path / "index").read_text(encoding="utf-8") == "in the way"


# Generations


def test_readers_keep_the_generation_that_they_opened(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    reader = Retriever(Index.open(tmp_path, model=str(tiny_encoder)))
    before = [r.entry.note for r in reader.search("network on chip", 10).results]
    for word in ("mesh", "torus", "tree"):
        build_small(tmp_path, tiny_encoder, LIST.replace("networks on chip", f"a {word}"))
    reader.index.load()
    assert [r.entry.note for r in reader.search("network on chip", 10).results] == before
    fresh = Retriever(Index.open(tmp_path, model=str(tiny_encoder)))
    assert any("tree" in r.entry.note for r in fresh.search("simulator of a tree", 10).results)


def test_only_the_newest_generations_are_kept(tmp_path, tiny_encoder):
    for i in range(3):
        build_small(tmp_path, tiny_encoder, LIST.replace("chip", f"chip {i}"))
    assert len(generations(tmp_path)) == 2
    assert current_generation(tmp_path) == generations(tmp_path)[-1]


def test_what_a_killed_build_left_is_swept_by_the_next(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    (tmp_path / ".building-999999" / "lexical").mkdir(parents=True)
    (tmp_path / "CURRENT.new").write_text("gen-0000", encoding="utf-8")
    assert len(orphans(tmp_path)) == 2
    assert build_small(tmp_path, tiny_encoder, LIST).unchanged
    assert orphans(tmp_path) == []


def test_the_generation_that_answers_is_never_swept(tmp_path, tiny_encoder):
    first = build_small(tmp_path, tiny_encoder, LIST).folder
    second = build_small(tmp_path, tiny_encoder, LIST.replace("chip", "die")).folder
    (tmp_path / "CURRENT").write_text(first.name + "\n", encoding="utf-8")
    assert sweep(tmp_path, keep=1) == [second]
    assert answers(tmp_path, tiny_encoder)


def test_readers_that_open_during_publishes_always_get_a_whole_index(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    stop = threading.Event()
    problems: list[BaseException] = []
    opened = 0

    def read() -> None:
        nonlocal opened
        while not stop.is_set():
            try:
                index = Index.open(tmp_path, model=str(tiny_encoder))
                assert len(list(index.store.entries())) == 6
                index.close()
                opened += 1
            except BaseException as error:
                problems.append(error)
                return

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(6):
        build_small(tmp_path, tiny_encoder, LIST.replace("chip", f"chip {i}"))
    stop.set()
    reader.join()
    assert problems == []
    assert opened > 0


def test_a_second_writer_is_told_to_wait(tmp_path, tiny_encoder):
    with writing(tmp_path), ThreadPoolExecutor(1) as other:
        waiting = other.submit(build_small, tmp_path, tiny_encoder, LIST)
        error = waiting.exception()
    assert isinstance(error, Busy)
    assert error.hint


def test_the_encoder_is_shared_by_generations_and_not_copied(tmp_path, tiny_encoder):
    build_small(tmp_path, tiny_encoder, LIST)
    build_small(tmp_path, tiny_encoder, LIST.replace("chip", "die"))
    first, second = generations(tmp_path)
    assert os.path.samefile(first / "encoder" / "model.onnx", second / "encoder" / "model.onnx")


def test_no_pickle_is_in_the_bundle(tmp_path, tiny_encoder):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder
    for path in every_file(folder):
        assert path.suffix not in {".pkl", ".pickle", ".npy", ".joblib", ".pt"}
        assert path.read_bytes()[:1] != b"\x80"


def test_an_open_checks_that_the_parts_hold_the_same_passages(tmp_path, tiny_encoder):
    folder = build_small(tmp_path, tiny_encoder, LIST).folder
    manifest = Manifest.read(folder)
    replace(manifest, counts={**manifest.counts, "passages": 1}).write(folder)
    with pytest.raises(IndexDamaged, match="should hold 1 passages"):
        Index.open(tmp_path, model=str(tiny_encoder)).check()
