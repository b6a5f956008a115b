"""docs/python.md cannot lie: its blocks are run in order, on the default list, with a scripted model server."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import accelrag
from fake_llm import FakeLLM, say

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FRAMEWORKS = ("langchain_core", "llama_index.core")


def blocks(repository: Path) -> list[str]:
    return _BLOCK.findall((repository / "docs" / "python.md").read_text(encoding="utf-8"))


def needs(block: str) -> str:
    """The framework that a block imports; empty where it needs accelrag alone."""
    return next((name for name in _FRAMEWORKS if f"from {name}" in block), "")


@pytest.fixture
def place(repository, tmp_path, monkeypatch, encoder_cache):
    folder = tmp_path / "home"
    (folder / "corpus").mkdir(parents=True)
    shutil.copy(repository / "corpus" / "awesome-ai-accelerators.md", folder / "corpus")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACCELRAG_HOME", str(folder))
    (folder / "index").mkdir()
    (folder / "index" / "cache").symlink_to(encoder_cache)  # the bundled encoder, exported once for all tests
    return folder


def run(block: str, names: dict[str, object], name: str) -> None:
    exec(compile(block, f"docs/python.md, {name}", "exec"), names)


def test_every_block_runs_in_order_and_says_what_the_page_promises(place, repository, capsys, monkeypatch):
    names: dict[str, object] = {}
    with FakeLLM(replies=[say("PagedAttention treats KV cache like OS virtual memory [1].")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for number, block in enumerate(blocks(repository), start=1):
            if not needs(block):
                run(block, names, f"block {number}")
    said = capsys.readouterr().out
    assert "https://arxiv.org/abs/2309.06180" in said
    assert "1 taken; []" in said
    assert "https://example.org/foobar" in said
    assert "openai:qwen3 1" in said
    assert len(Path("answers.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert Path("cited.bib").read_text(encoding="utf-8").startswith("@")
    assert "](http" in Path("books.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore")  # the frameworks' own imports warn of their dependencies
@pytest.mark.parametrize("framework", _FRAMEWORKS)
def test_the_retriever_for_a_framework_keeps_to_its_base_class(place, repository, capsys, framework):
    pytest.importorskip(framework)
    (block,) = [b for b in blocks(repository) if needs(b) == framework]
    with accelrag.open() as home:
        run(block, {"home": home}, framework)
    assert capsys.readouterr().out.strip()


def test_ten_examples_and_both_frameworks_are_on_the_page(repository):
    text = (repository / "docs" / "python.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d+)\.", text, re.MULTILINE) == [str(n) for n in range(1, 11)]
    assert {needs(block) for block in blocks(repository)} == {"", *_FRAMEWORKS}
