"""Conversations in the terminal, and the entries that follow-ups are about."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from accelrag.pipeline import Assistant, build_index
from accelrag.settings import Settings
from accelrag.types import Turn


def chat(home: Path, model: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELRAG_", "OPENAI_", "OLLAMA_"))}
    return subprocess.run(
        [sys.executable, "-m", "accelrag", "ask", "--chat", "--home", str(home), "--model", str(model), *arguments],
        input=text, capture_output=True, text=True, env={**environment, "NO_COLOR": "1"}, timeout=120,
    )  # fmt: skip


def test_a_conversation_remembers_forgets_and_shows_its_sources(home: Path, tiny_encoder: Path) -> None:
    build_index(Settings(home=home, model=str(tiny_encoder)))
    done = chat(
        home, tiny_encoder, "What is DRAMpipe?\n/sources 1\n/sources 9\n/new\n/sources\n/what\n/quit\nnever asked\n"
    )
    assert done.returncode == 0
    assert "DRAMpipe" in done.stdout
    assert "https://github.com/example/drampipe" in done.stdout
    assert "“A cycle-accurate DRAM simulator.”" in done.stdout
    assert "There is no source 9" in done.stderr
    assert "A new conversation." in done.stderr
    assert "There are no sources yet." in done.stderr
    assert "never asked" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_does_not_end_a_conversation(home: Path, tiny_encoder: Path) -> None:
    build_index(Settings(home=home, model=str(tiny_encoder)))
    done = chat(home, tiny_encoder, "???\nWhat is DRAMpipe?\n")
    assert "error: the question holds no word" in done.stderr
    assert "DRAMpipe" in done.stdout


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Assistant]:
    """The default list with the default encoder, notes alone."""
    home = tmp_path_factory.mktemp("conversations")
    (home / "corpus").mkdir()
    shutil.copy(repository / "corpus" / "awesome-ai-accelerators.md", home / "corpus")
    assistant = Assistant.open(Settings(home=home))
    yield assistant
    assistant.close()


def conversations() -> list[tuple[str, list[str], list[str]]]:
    rows = (Path(__file__).resolve().parents[2] / "evals" / "conversations.tsv").read_text(encoding="utf-8")
    cells = [line.split("\t") for line in rows.splitlines()[1:]]
    return [(name, turns.split(" | "), expected.split(",")) for name, turns, expected in cells]


def test_there_are_ten_of_two_turns_and_five_of_three() -> None:
    assert sorted(len(turns) for _, turns, _ in conversations()) == [2] * 10 + [3] * 5


@pytest.mark.slow
@pytest.mark.parametrize(("name", "turns", "expected"), conversations(), ids=[c[0] for c in conversations()])
def test_the_last_question_of_a_conversation_finds_its_entry(
    listed: Assistant, name: str, turns: list[str], expected: list[str]
) -> None:
    history: list[Turn] = []
    for question in turns:
        answer = listed.ask(question, history=history)
        history.append(Turn.of(answer))
    assert answer.citations, answer.reason
    assert answer.citations[0].entry.url in expected, answer.query
