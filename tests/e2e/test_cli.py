from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from accelrag.cli.main import COMMANDS
from accelrag.cli.main import run as main_run
from accelrag.corpus import Corpus
from accelrag.types import Document, Failure
from run_cli import Run, run_cli
from small_corpus import TEXTS
from small_list import LIST

ENTRY = {"id", "title", "url", "also", "sections", "note", "kind", "coverage"}
QUESTION = "How much memory does PageTable Attention waste?"
OFF_LIST = "What is the price of fish in Lisbon?"


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Path:
    """A home with the test list, three texts, one failure and an index. Tests read it and change nothing."""
    from accelrag.listing import parse

    home = tmp_path_factory.mktemp("served")
    (home / "corpus").mkdir()
    (home / "corpus" / "test-chips.md").write_text(LIST, encoding="utf-8")
    with Corpus.open(home / "corpus") as corpus:
        for entry in parse(LIST).entries:
            if entry.url in TEXTS:
                coverage, text = TEXTS[entry.url]
                corpus.put(
                    Document(
                        f"text:{entry.id}",
                        entry.id,
                        text,
                        coverage,  # type: ignore[arg-type]
                        title=entry.title,
                        source=entry.url,
                        fetched_at="2026-01-02T03:04:05Z",
                        authors=("Ada Author",),
                        published="2024-01-01",
                        markdown=text.startswith("#"),
                    )
                )
            elif entry.kind == "book":
                corpus.put_failure(Failure(entry.id, "not-found", "404", entry.url, True, "2026-01-02T03:04:05Z"))
    assert run_cli("index", home=home, model=tiny_encoder).code == 0
    return home


@pytest.fixture(scope="session")
def cli(served: Path, tiny_encoder: Path):
    def run(*arguments: str, **options: object) -> Run:
        return run_cli(*arguments, **({"home": served, "model": tiny_encoder} | options))  # type: ignore[arg-type]

    return run


def check_entry(entry: dict) -> None:
    assert entry.keys() >= ENTRY
    assert all(isinstance(path, list) for path in entry["sections"])
    assert entry["coverage"] in {"full", "abstract", "readme", "page", "note"}


def check_result(result: dict) -> None:
    assert result.keys() >= {"rank", "score", "entry", "passages", "scores"}
    check_entry(result["entry"])
    assert result["scores"].keys() >= {"dense", "lexical", "boost"}
    for passage in result["passages"]:
        assert passage.keys() >= {"text", "start", "end", "heading", "score"}
        assert passage["end"] - passage["start"] == len(passage["text"])


def check_answer(answer: dict) -> None:
    wanted = {"question", "answer", "refused", "reason", "sentences", "citations", "rejections", "also", "support"}
    assert answer.keys() >= wanted | {"model", "timings"}
    numbers = [c["n"] for c in answer["citations"]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len({c["entry"]["id"] for c in answer["citations"]}) == len(numbers)
    first_use: list[int] = []
    for sentence in answer["sentences"]:
        assert sentence["citations"]
        assert 0 <= sentence["support"] <= 1
        assert sentence["verdict"] in {"supported", "partial", "unsupported"}
        first_use += [n for n in sentence["citations"] if n not in first_use]
    assert first_use == numbers
    for citation in answer["citations"]:
        assert citation.keys() >= {"n", "entry", "quote", "start", "end", "document"}
        check_entry(citation["entry"])
        assert f"[{citation['n']}]" in answer["answer"]
    for near in answer["also"]:
        check_result(near)
    assert answer["refused"] == (not answer["sentences"])
    assert bool(answer["reason"]) == answer["refused"]


# JSON shapes and exit codes


def test_ask_answers_with_the_shape_of_the_contract(cli):
    run = cli("ask", QUESTION, "--json")
    assert (run.code, run.err) == (0, "")
    check_answer(run.json)
    first = run.json["citations"][0]
    assert first["entry"]["title"] == "PageTable Attention"
    assert "[1]" in run.json["answer"]
    assert run.json["model"] == "extractive"


def test_ask_refuses_with_exit_code_3_and_names_the_nearest(cli):
    run = cli("ask", OFF_LIST, "--json")
    assert run.code == 3
    check_answer(run.json)
    assert run.json["refused"]
    assert run.json["answer"] == ""
    assert run.json["also"]


def test_every_quote_is_the_text_of_its_document_at_its_offsets(cli):
    answer = cli("ask", "How much memory does PageTable Attention waste and how fast is it?", "--json").json
    quoted = [*answer["citations"], *(q for s in answer["sentences"] for q in s["quotes"])]
    assert quoted
    by_entry = {c["n"]: c["entry"]["id"] for c in answer["citations"]}
    for quote in quoted:
        shown = cli("show", by_entry[quote["n"]], "--json").json
        texts = {d["id"]: d["text"] for d in shown["documents"]}
        assert texts[quote["document"]][quote["start"] : quote["end"]] == quote["quote"]
    assert any("4%" in quote["quote"] for quote in quoted)


def test_search_has_the_shape_of_the_contract(cli):
    run = cli("search", "tensor cores", "--json", "-k", "3")
    assert (run.code, run.err) == (0, "")
    assert run.json.keys() >= {"query", "results", "timings"}
    assert [r["rank"] for r in run.json["results"]] == [1, 2, 3]
    for result in run.json["results"]:
        check_result(result)
    assert run.json["results"][0]["entry"]["title"] == "FastGEMM"


def test_explain_says_how_the_question_was_read_and_why_each_entry_was_found(cli):
    shape = cli("search", "fastgem tensor cores", "--json", "--explain").json
    assert shape["explain"]["corrections"] == {"fastgem": "fastgemm"}
    assert shape["explain"]["terms"]
    shown = cli("search", "FastGEMM", "--explain")
    assert "cosine" in shown.out
    assert "BM25" in shown.out
    assert "names its title" in shown.out


def test_list_has_one_object_a_line_and_show_the_documents(cli):
    entries = cli("list", "--json").lines
    assert len(entries) == 6
    for entry in entries:
        check_entry(entry)
    assert {e["coverage"] for e in entries} == {"note", "readme", "abstract"}
    shown = cli("show", entries[0]["id"], "--json").json
    assert shown["entry"]["id"] == entries[0]["id"]
    assert shown["documents"][0]["id"] == f"note:{entries[0]['id']}"
    assert shown["failure"] is None
    assert cli("show", "Blocking for Caches", "--json").json["failure"]["reason"] == "not-found"


@pytest.mark.parametrize(
    "name", ["FastGEMM", "fastgemm", "https://github.com/Example/fastgemm/", "github.com/example/fastgemm", "FastG"]
)
def test_an_entry_is_shown_by_title_address_or_the_start_of_its_title(cli, name):
    run = cli("show", name, "--json")
    assert run.json["entry"]["title"] == "FastGEMM"
    assert any("92%" in d["text"] for d in run.json["documents"])


def test_status_counts_what_is_here(cli):
    shape = cli("status", "--json").json
    assert shape["entries"] == 6
    assert shape["places"] == 7
    assert shape["documents"] == 3
    assert shape["failures"] == {"not-found": 1}
    assert shape["coverage"] == {"note": 3, "readme": 2, "abstract": 1}
    assert shape["index"]["model"].startswith("tiny")
    assert shape["newer"] == []


def test_config_shows_each_setting_and_its_origin(cli):
    shape = cli("config", "--json", env={"OPENAI_API_KEY": "sk-secret"}).json
    assert shape["home"]["origin"] == "ACCELRAG_HOME"
    assert "sk-secret" not in str(shape)


def test_export_gives_json_lines_bibtex_and_markdown(cli, tmp_path):
    lines = cli("export").lines
    assert len(lines) == 6
    for entry in lines:
        check_entry(entry)
    assert cli("export", "--json").out == cli("export", "--jsonl").out
    bibtex = cli("export", "--bibtex", "--section", "Simulators").out
    assert bibtex.count("@") == 3
    assert "Ada Author" in bibtex
    file = tmp_path / "list.md"
    assert cli("export", "--markdown", "-o", str(file)).out == ""
    assert len(cli("list", "--list", str(file), "--json").lines) == 6


def test_export_of_what_an_answer_cites(cli):
    run = cli("export", "--bibtex", "--cited-by", QUESTION)
    assert run.code == 0
    assert "PageTable Attention" in run.out
    assert cli("export", "--cited-by", OFF_LIST).code == 3


def test_index_says_that_nothing_changed(cli):
    shape = cli("index", "--json").json
    assert shape["unchanged"] is True
    assert shape["encoded"] == 0
    assert shape.keys() >= {"generation", "entries", "passages"}


def test_skipped_lines_have_number_text_and_reason(cli, tmp_path):
    file = tmp_path / "l.md"
    file.write_text("# L\n\n- [One](https://x.org/1) — One.\n- [Mail](mailto:a@b.c) — Mail.\n", encoding="utf-8")
    (line,) = cli("list", "--list", str(file), "--skipped", "--json").lines
    assert line.keys() == {"line", "text", "reason"}
    assert line["line"] == 4


# Many questions


def test_a_dash_reads_questions_and_writes_one_object_a_line(cli):
    asked = f"{QUESTION}\n\n  {OFF_LIST}  \nthe \n{'x' * 30_000}\n!!!\nFastGEMM\n"
    run = cli("ask", "-", "--json", stdin=asked)
    assert run.code == 0
    assert len(run.lines) == 6
    answered, refused, nothing, long, marks, last = run.lines
    check_answer(answered)
    check_answer(refused)
    check_answer(last)
    assert not answered["refused"]
    assert refused["refused"]
    assert nothing["refused"]
    assert long["error"]["type"] == marks["error"]["type"] == "UsageError"
    assert len(long["question"]) <= 200
    searched = cli("search", "-", "--json", stdin=asked).lines
    assert [s["results"][0]["entry"]["title"] for s in searched if "results" in s][-1] == "FastGEMM"
    assert len(searched) == 6


def test_a_dash_without_a_question_says_nothing(cli):
    assert cli("ask", "-", "--json", stdin="") == Run(0, "", "")


def test_a_question_as_argument_and_on_a_line_get_the_same_answer(cli):
    def without_times(answer: dict) -> dict:
        return {k: v for k, v in answer.items() if k != "timings"}

    alone = cli("ask", QUESTION, "--json").json
    (line,) = cli("ask", "-", "--json", stdin=QUESTION).lines
    assert without_times(alone) == without_times(line)


# For people


def test_an_answer_for_people_ends_with_its_sources(cli):
    run = cli("ask", QUESTION)
    assert run.code == 0
    assert "\x1b" not in run.out
    assert "https://arxiv.org/abs/2401.00002" in run.out
    assert re.search(r"^\[1\] PageTable Attention$", run.out, re.MULTILINE)
    assert cli("ask", QUESTION, "--no-stream").out == run.out


def test_a_refusal_for_people_offers_what_is_near(cli):
    run = cli("ask", OFF_LIST)
    assert run.code == 3
    assert "Nothing in the list supports an answer" in run.out
    assert "Not an answer, but near:" in run.out


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "0"}, False),
    ],
)
def test_colour_in_a_pipe_only_when_forced(cli, env, coloured):
    for arguments in (("search", "FastGEMM"),):
        assert ("\x1b[" in cli(*arguments, env=env).out) is coloured
    assert "\x1b" not in cli("search", "FastGEMM", "--json", env=env).out


def in_terminal(arguments: list[str], env: dict[str, str]) -> bytes:
    """What a terminal of 100 columns is sent on both streams."""
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, "-m", "accelrag", *arguments], env)  # pragma: no cover
    shown = b""
    while True:
        try:
            block = os.read(terminal, 65536)
        except OSError:  # Linux ends a terminal by EIO
            break
        if not block:
            break
        shown += block
    os.waitpid(pid, 0)
    os.close(terminal)
    return shown


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("env", "coloured"), [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)]
)
def test_colour_in_a_terminal_unless_it_is_dumb_or_unwanted(served, tiny_encoder, env, coloured):
    clean = {"PATH": os.environ["PATH"], "TERM": "xterm", "HOME": str(served), "ACCELRAG_HOME": str(served)}
    clean |= {"ACCELRAG_MODEL": str(tiny_encoder), **env}
    shown = in_terminal(["search", "FastGEMM", "-k", "1"], clean)
    assert b"FastGEMM" in shown
    assert (b"\x1b[" in shown) is coloured


def test_text_of_a_source_cannot_steer_the_terminal(tmp_path, tiny_encoder):
    home = tmp_path / "home"
    (home / "corpus").mkdir(parents=True)
    nasty = "- [Evil \u202eeno\u202c \u009b2J](https://x.org/evil) — Clears\u0085 the \u200bscreen.\n"
    (home / "corpus" / "l.md").write_text(f"# L\n\n## S\n\n{nasty}", encoding="utf-8")
    for arguments in (
        ("ask", "Evil screen"),
        ("search", "Evil"),
        ("list",),
        ("show", "Evil"),
        ("export", "--bibtex"),
    ):
        run = run_cli(*arguments, home=home, model=tiny_encoder)
        for c in run.out + run.err:
            assert c == "\n" or c == "\t" or c.isprintable() or c == "\u3000", (arguments, hex(ord(c)))


# Errors and exit codes


@pytest.mark.parametrize(
    ("arguments", "code", "said", "step"),
    [
        (("ask",), 2, "question", "accelrag ask"),
        (("ask", ""), 2, "question", "accelrag ask"),
        (("ask", "   "), 2, "empty", "ask"),
        (("ask", "🙂🙂"), 2, "no word", "ask in words"),
        (("ask", "x" * 100_000), 2, "100,000 characters", "one thing"),
        (("ask", "x", "--section", "Kernel"), 2, "'Kernel'", "Kernels"),
        (("search", "x", "--kind", "papers"), 2, "'papers'", "paper"),
        (("search", "x", "-k", "0"), 2, "-k", "--help"),
        (("search", "x", "-k", "many"), 2, "many", "--help"),
        (("ask", "x", "--nonsense"), 2, "--nonsense", "--help"),
        (("serach", "x"), 2, "'serach'", "search"),
        (("What is attention?",), 2, "no command", "accelrag ask"),
        (("list", "--section", "Nope"), 2, "'Nope'", "accelrag list"),
        (("list", "--kind", "nope"), 2, "'nope'", "paper"),
        (("export", "--kind", "nope"), 2, "nope", "paper"),
        (("export", "--section", "Nope"), 2, "Nope", "accelrag list"),
        (("show", "no such entry"), 1, "no entry", "accelrag search"),
        (("show", "Attention"), 1, "fits 2 entries", "name one"),
        (("list", "--list", "missing.md"), 1, "missing.md", ""),
        (("index", "--list", "missing.md"), 1, "missing.md", ""),
        (("index", "--model", "./missing"), 1, "missing", "folder"),
        (("export", "-o", "/no/such/folder/x.bib"), 1, "cannot be written", "--output"),
        (("list", "--home", "~nobody-of-that-name"), 2, "home", "path"),
    ],
)
def test_each_mistake_is_one_line_and_a_next_step(
    served, tiny_encoder, capsys, monkeypatch, arguments, code, said, step
):
    monkeypatch.setenv("ACCELRAG_HOME", str(served))
    monkeypatch.setenv("ACCELRAG_MODEL", str(tiny_encoder))
    assert main_run(list(arguments)) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    first, *rest = shown.err.splitlines()
    assert first.startswith("error: ")
    assert said in first
    assert len(rest) <= 1
    if step:
        assert step in rest[0]
    if arguments[0] in {"ask", "search", "list", "show", "index"}:
        assert main_run([*arguments, "--json"]) == code
        shown = capsys.readouterr()
        assert shown.err == ""
        assert json.loads(shown.out)["error"].keys() == {"type", "message", "hint"}


def test_a_question_with_control_characters_is_read_without_them(cli):
    run = cli("ask", "How much memory\x07 does \x1b[31mPageTable Attention waste?\r\n", "--json")
    assert run.code == 0
    assert run.json["question"].isprintable()


def test_a_question_that_is_no_utf8_is_read_as_far_as_it_goes(served, tiny_encoder):
    env = {"PATH": os.environ["PATH"], "ACCELRAG_HOME": str(served), "ACCELRAG_MODEL": str(tiny_encoder)}
    command = [sys.executable, "-m", "accelrag", "ask", b"PageTable Attention \xff\xfe memory", "--json"]
    done = subprocess.run(command, env=env | {"PYTHONUTF8": "1"}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [*command[:4], "-", "--json"],
        input=b"a\xff\n",
        env=env | {"PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"UTF-8" in done.stdout


def test_a_bad_setting_is_a_usage_error(cli):
    run = cli("ask", "x", env={"ACCELRAG_TOP_K": "many"})
    assert run.code == 2
    assert "top_k" in run.err
    assert cli("status", env={"ACCELRAG_NONSENSE": "1"}).code == 2


def test_an_index_of_another_model_is_refused_with_the_command(cli):
    run = cli("ask", "x", model=None)
    assert run.code == 1
    assert "built with tiny" in run.err
    assert "accelrag index" in run.err


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_ends_with_130_and_no_traceback(served, tiny_encoder):
    env = {"PATH": os.environ["PATH"], "ACCELRAG_HOME": str(served), "ACCELRAG_MODEL": str(tiny_encoder)}
    child = subprocess.Popen(
        [sys.executable, "-m", "accelrag", "ask", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
    )
    assert child.stdin
    assert child.stdout
    child.stdin.write(b"FastGEMM\n")
    child.stdin.flush()
    assert child.stdout.readline()
    child.send_signal(signal.SIGINT)
    _, err = child.communicate()
    assert child.returncode == 130
    assert err.decode().strip() == "interrupted"


@pytest.mark.skipif(os.name != "posix", reason="pipes")
@pytest.mark.parametrize("arguments", [("list", "--json"), ("ask", "-"), ("export", "--bibtex"), ("--help",)])
def test_a_broken_pipe_is_silent(served, tiny_encoder, arguments):
    env = {"PATH": os.environ["PATH"], "ACCELRAG_HOME": str(served), "ACCELRAG_MODEL": str(tiny_encoder)}
    reader, writer = os.pipe()
    os.close(reader)
    child = subprocess.Popen(
        [sys.executable, "-m", "accelrag", *arguments],
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.PIPE,
        env=env,
    )
    os.close(writer)
    _, err = child.communicate(b"FastGEMM\n" * 50)
    assert (child.returncode, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_a_redirection_is_one_line(served, tiny_encoder):
    env = {"PATH": os.environ["PATH"], "ACCELRAG_HOME": str(served), "ACCELRAG_MODEL": str(tiny_encoder)}
    for arguments in (("list",), ("list", "--json"), ("export",), ("ask", QUESTION)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "accelrag", *arguments],
                stdout=full,
                stderr=subprocess.PIPE,
                env=env,
                check=False,
            )
        assert done.returncode == 1
        assert "No space left" in done.stderr.decode()
        assert "Traceback" not in done.stderr.decode()


# Help


def test_help_and_version(cli):
    overview = cli("--help")
    assert overview.code == 0
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", overview.out, re.MULTILINE)
    assert cli("--version").out.startswith("accelrag, version ")
    assert cli("-h").out == overview.out
    bare = cli()
    assert bare.code == 2
    assert "Usage" in bare.err


# What a run loads and opens


HEAVY = "torch transformers sentence_transformers gradio pymupdf fitz openai httpx httpcore trafilatura lxml onnx mcp"
SLOW = f"{HEAVY} numpy faiss tantivy onnxruntime tokenizers"


def imported(run: Run) -> set[str]:
    """Top-level packages by ``-X importtime``."""
    return {m[1].split(".")[0] for m in re.finditer(r"^import time:.*\|\s*([\w.]+)$", run.err, re.MULTILINE)}


@pytest.mark.parametrize("arguments", [("ask", QUESTION), ("search", "FastGEMM"), ("ask", OFF_LIST, "--json")])
def test_nothing_heavy_is_loaded_on_the_way_of_ask_and_search(cli, arguments):
    loaded = imported(cli(*arguments, python=["-X", "importtime"]))
    assert "faiss" in loaded
    assert not loaded & set(HEAVY.split())


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_an_example_and_loads_next_to_nothing(cli, command):
    run = cli(*command.split(), "--help", python=["-X", "importtime"])
    assert run.code == 0
    assert f"accelrag {command}".strip() in run.out.split("Options:")[0].split("\n", 1)[1]
    loaded = imported(run)
    assert "click" in loaded
    assert not loaded & set(SLOW.split())


WATCH = """
import os, sys
def watch(event, arguments):
    if event.startswith(("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "socket.gethostby")):
        sys.stderr.write(f"OPENED {event} {arguments}")
        sys.stderr.flush()
        os._exit(99)
sys.addaudithook(watch)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", QUESTION),
        ("ask", OFF_LIST, "--json"),
        ("search", "FastGEMM", "--explain"),
        ("list",),
        ("list", "--skipped"),
        ("show", "FastGEMM"),
        ("status",),
        ("export", "--bibtex"),
        ("index",),
    ],
)
def test_no_socket_is_opened(cli, tmp_path, arguments):
    (tmp_path / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    env = {"PYTHONPATH": str(tmp_path), "OLLAMA_HOST": "http://127.0.0.1:9", "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    run = cli(*arguments, env=env)
    assert run.code in {0, 3}, run.err
    assert "OPENED" not in run.err


def test_the_watch_on_sockets_sees_one(cli, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    env = {"PYTHONPATH": str(tmp_path), "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert "OPENED" in cli("ask", QUESTION, "--llm", "openai:x", env=env).err
