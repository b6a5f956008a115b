"""Bad lists, bad folders and damaged indexes: one line each, the exit code of the contract, the old index intact."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from accelrag.cli.main import run as main_run
from run_cli import Run, run_cli
from small_list import LIST

QUESTION = "What does PageTable Attention keep in pages?"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Path:
    home = tmp_path_factory.mktemp("pristine")
    (home / "corpus").mkdir()
    (home / "corpus" / "test-chips.md").write_text(LIST, encoding="utf-8")
    assert run_cli("index", home=home, model=tiny_encoder).code == 0
    return home


@pytest.fixture
def home(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "home"))


@pytest.fixture
def cli(home, tiny_encoder, monkeypatch, capsys):
    """Runs the command line in this process: the same code behind the entry point, in a tenth of the time."""
    monkeypatch.setenv("ACCELRAG_HOME", str(home))
    monkeypatch.setenv("ACCELRAG_MODEL", str(tiny_encoder))

    def run(*arguments: str) -> Run:
        code = main_run(list(arguments))
        shown = capsys.readouterr()
        assert "Traceback" not in shown.out + shown.err
        return Run(code, shown.out, shown.err)

    return run


def one_line(run: Run, code: int = 1) -> str:
    """The error line of a run that says one thing and one thing to do."""
    assert run.code == code, run
    assert run.out == ""
    said, *rest = [line for line in run.err.splitlines() if not line.startswith(("encoding", "There is no index"))]
    assert said.startswith("error: ")
    assert "unexpected" not in said
    assert len(rest) == 1
    assert rest[0].startswith("  try: ")
    return f"{said}\n{rest[0]}"


BAD_LISTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "white space": (b" \n\t\n", "empty"),
    "binary": (bytes(range(256)) * 40, "binary file"),
    "an image": (b"\x89PNG\r\n\x1a\n" + b"\x00" * 400, "binary file"),
    "prose": (b"# Notes\n\nNothing is linked here, and nothing is listed.\n", "external link"),
    "zero links": (b"# List\n\n- one\n- two\n\n## More\n\n- three\n", "external link"),
    "only anchors": (b"# List\n\n- [One](#one)\n- [Two](#two)\n", "external link"),
    "AsciiDoc": (
        b"= Title\n\n== Section\n\n" + b"".join(b"* https://x.org/%d[Name] - about\n" % i for i in range(4)),
        "AsciiDoc",
    ),
    "reStructuredText": (
        b"Title\n=====\n\n.. contents::\n\nSection\n-------\n\n* `A <https://x.org/a>`_ - about\n* `B <https://x.org/b>`_\n",
        "reStructuredText",
    ),
}


@pytest.mark.parametrize("kind", BAD_LISTS)
def test_a_file_that_is_no_list_is_one_line_and_the_index_stays(cli, home, tmp_path, kind):
    raw, said = BAD_LISTS[kind]
    bad = tmp_path / "bad.md"
    bad.write_bytes(raw)
    current = (home / "index" / "CURRENT").read_text(encoding="utf-8")
    for command in ("list", "index"):
        assert said.lower() in one_line(cli(command, "--list", str(bad))).lower()
    (home / "corpus" / "test-chips.md").write_bytes(raw)
    one_line(cli("index"))
    one_line(cli("status"))
    assert (home / "index" / "CURRENT").read_text(encoding="utf-8") == current
    assert cli("ask", QUESTION).code == 0


def test_a_missing_list_a_folder_and_a_device_are_one_line(cli, tmp_path):
    for name in ("none.md", ".", "/dev/null", "x" * 300, "no\nsuch\nfile"):
        one_line(cli("list", "--list", str(tmp_path / name) if not name.startswith("/") else name))


def test_a_list_of_fifty_megabytes_is_one_line_and_not_parsed(cli, home, tmp_path):
    bad = tmp_path / "big.md"
    bad.write_bytes(b"- [a](https://x.org/a) - b\n" * 2_000_000)
    assert "MB" in one_line(cli("index", "--list", str(bad)))
    assert cli("ask", QUESTION).code == 0


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_a_list_in_another_encoding_is_read_or_refused_with_a_reason(cli, tmp_path, encoding):
    file = tmp_path / "l.md"
    file.write_bytes("# Liste\n\n- [Müller](https://x.org/a) - Gerät für Größen.\n".encode(encoding))
    run = cli("list", "--list", str(file), "--json")
    if run.code == 0:
        assert "M" in run.lines[0]["title"]
    else:
        assert run.json["error"]["hint"]


def test_a_corpus_that_is_no_database_is_one_line(cli, home):
    (home / "corpus" / "corpus.db").write_bytes(b"not a database" * 100)
    for command in (("status",), ("index",), ("show", "FastGEMM"), ("list",)):
        assert "corpus.db" in one_line(cli(*command))
    assert cli("ask", QUESTION).code == 0


def test_a_registry_that_is_no_json_is_one_line(cli, home):
    (home / "corpus" / "lists.json").write_text("{not json", encoding="utf-8")
    for command in ("status", "index", "list"):
        assert "lists.json" in one_line(cli(command))


def test_a_damaged_index_names_the_command_which_mends_it(cli, home):
    (vectors,) = home.glob("index/gen-*/vectors/note.faiss")
    raw = bytearray(vectors.read_bytes())
    raw[700] ^= 1
    vectors.write_bytes(raw)
    for command in (("ask", QUESTION), ("search", "x"), ("show", "FastGEMM"), ("export",)):
        assert "accelrag index --rebuild" in one_line(cli(*command))
    assert cli("list").code == 0
    assert cli("index", "--rebuild").code == 0
    assert cli("ask", QUESTION).code == 0


def test_status_tells_of_a_damaged_index(cli, home):
    (vectors,) = home.glob("index/gen-*/vectors/note.faiss")
    vectors.write_bytes(vectors.read_bytes()[:300])
    shape = cli("status", "--json").json
    assert "vectors/note.faiss" in shape["index"]["problem"]
    assert "accelrag index" in shape["index"]["hint"]


def test_an_index_of_another_model_is_refused_and_rebuilt_for_it(cli, home, tmp_path):
    from tiny_encoder import write_tiny_encoder

    other = write_tiny_encoder(tmp_path / "other", seed=99)
    said = one_line(cli("ask", QUESTION, "--model", str(other)))
    assert f"accelrag index --model {other}" in said
    assert cli("index", "--model", str(other)).code == 0
    assert cli("ask", QUESTION, "--model", str(other)).code in {0, 3}
    one_line(cli("ask", QUESTION))


# Folders that cannot be written


def unprivileged() -> list[str] | None:
    """What runs a command without root's right to write everywhere; None where that cannot be had."""
    if os.name != "posix":
        return None
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv"):
        return ["setpriv", "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search"]
    return None


@pytest.fixture
def read_only(home: Path):
    """The home with every folder and file closed for writing, opened again afterwards."""
    paths = [home, *home.rglob("*")]
    modes = {p: p.stat().st_mode for p in paths}
    for p in paths:
        p.chmod(0o555 if p.is_dir() else 0o444)
    yield home
    for p, mode in modes.items():
        p.chmod(mode)


@pytest.mark.skipif(unprivileged() is None, reason="cannot give up the right to write everywhere")
def test_a_read_only_home_answers_and_refuses_to_build_in_one_line(read_only, tiny_encoder):
    def run(*arguments: str) -> Run:
        return run_cli(*arguments, home=read_only, model=tiny_encoder, before=unprivileged() or [])

    assert run("ask", QUESTION).code == 0
    assert run("search", "FastGEMM").code == 0
    assert run("status").code == 0
    assert run("show", "FastGEMM").code == 0
    assert "cannot be written" in one_line(run("index", "--rebuild"))


@pytest.mark.skipif(unprivileged() is None, reason="cannot give up the right to write everywhere")
def test_a_read_only_home_with_fetched_texts_is_shown(home, tiny_encoder):
    from accelrag.corpus import Corpus

    with Corpus.open(home / "corpus"):
        pass
    paths = [home, *home.rglob("*")]
    for p in paths:
        p.chmod(0o555 if p.is_dir() else 0o444)
    try:
        for command in (("status",), ("show", "FastGEMM"), ("list",)):
            run = run_cli(*command, home=home, model=tiny_encoder, before=unprivileged() or [])
            assert run.code == 0, run.err
    finally:
        for p in paths:
            p.chmod(0o755)


@pytest.mark.skipif(unprivileged() is None, reason="cannot give up the right to write everywhere")
def test_a_first_question_to_a_home_that_cannot_be_written_is_one_line(tmp_path, tiny_encoder):
    home = tmp_path / "closed"
    (home / "corpus").mkdir(parents=True)
    (home / "corpus" / "l.md").write_text(LIST, encoding="utf-8")
    home.chmod(0o555)
    try:
        run = run_cli("ask", QUESTION, home=home, model=tiny_encoder, before=unprivileged() or [])
        assert "cannot be written" in one_line(run)
    finally:
        home.chmod(0o755)


def test_an_unreadable_question_never_builds_an_index(tmp_path, tiny_encoder):
    """What is wrong with the question is said before the work of building begins."""
    home = tmp_path / "fresh"
    (home / "corpus").mkdir(parents=True)
    (home / "corpus" / "l.md").write_text(LIST, encoding="utf-8")
    run = run_cli("ask", "   ", home=home, model=tiny_encoder)
    assert run.code == 2
    assert not (home / "index").exists()


def test_the_first_question_builds_the_index_and_then_answers(tmp_path, tiny_encoder):
    home = tmp_path / "fresh"
    (home / "corpus").mkdir(parents=True)
    (home / "corpus" / "l.md").write_text(LIST, encoding="utf-8")
    run = run_cli("ask", QUESTION, "--json", home=home, model=tiny_encoder)
    assert run.code == 0
    assert run.json["citations"]
    assert "building one" in run.err
    assert run_cli("ask", QUESTION, "--json", home=home, model=tiny_encoder).err == ""
