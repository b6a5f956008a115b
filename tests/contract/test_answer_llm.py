"""The ask loop with a scripted model server: what a model may do wrong, and what a reader sees of it."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from accelrag.answer import Answerer
from accelrag.answer.drafting import Withdrawn
from accelrag.corpus import Corpus
from accelrag.generation.openai import OpenAIGenerator
from accelrag.listing import parse
from accelrag.pipeline import Assistant, build_index
from accelrag.retriever import Retriever
from accelrag.settings import Settings
from accelrag.types import Answer, Document, Rejection, Sentence, Turn
from fake_llm import FakeLLM, Reply, answer_json, chunk, error, events, say

LIST = """# Chips

## Kernels

- [TileFlow](https://arxiv.org/abs/2401.00001) — Exact attention in tiles that stay in on-chip memory.
- [PageStore](https://arxiv.org/abs/2402.00002) — Keeps the cache of keys and values in pages.
- [BitPress](https://arxiv.org/abs/2403.00003) — Compresses weights to four bits.
"""
TEXTS = {
    "TileFlow": "TileFlow computes exact attention in tiles that stay in on-chip memory. On the X200 chip, TileFlow runs "  # noqa: E501
    "2.5x faster than StreamAttend and uses 40% less memory. It does not approximate the softmax.",
    "PageStore": "PageStore keeps the cache of keys and values in pages of fixed size. Fragmentation wastes less than 4% "  # noqa: E501
    "of the memory. PageStore serves 3 times more requests than SlabServe.",
    "BitPress": "BitPress compresses weights to 4 bits without retraining. BitPress runs on the EdgeOne accelerator.",
}
QUESTION = "How does TileFlow compute attention?"


def make_home(folder: Path, encoder: Path, texts: dict[str, str] = TEXTS) -> Settings:
    (folder / "corpus").mkdir(parents=True)
    (folder / "corpus" / "chips.md").write_text(LIST, encoding="utf-8")
    with Corpus.open(folder / "corpus") as corpus:
        for entry in parse(LIST).entries:
            if entry.title in texts:
                corpus.put(
                    Document(f"text:{entry.id}", entry.id, texts[entry.title], "abstract", entry.title, entry.url)
                )
    settings = Settings(home=folder, model=str(encoder))
    build_index(settings)
    return settings


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Iterator[Assistant]:
    opened = Assistant.open(make_home(tmp_path_factory.mktemp("chips") / "home", tiny_encoder))
    yield opened
    opened.close()


@pytest.fixture
def fake() -> Iterator[FakeLLM]:
    with FakeLLM() as server:
        yield server


Ask = Callable[..., Answer]


@pytest.fixture
def ask(assistant: Assistant, fake: FakeLLM) -> Ask:
    """Ask with the scripted server; the source numbers of a reply are written as ``{TileFlow}``."""

    def run(*replies: object, question: str = QUESTION, address: str = "", **options: object) -> Answer:
        order = numbers(assistant, question)
        fake.replies = [say(named(r, order)) if isinstance(r, str) else r for r in replies]  # type: ignore[misc]
        generator = OpenAIGenerator("tiny", address=address or fake.url, timeout=fake.patience, context_tokens=4096)
        answerer = Answerer(Retriever(assistant.index), generator, boundary=lambda: "b0undary")
        answer = answerer.ask(question, **options)  # type: ignore[arg-type]
        whole(assistant, answer)
        return answer

    return run


def numbers(assistant: Assistant, question: str) -> dict[str, int]:
    prompt = Answerer(Retriever(assistant.index)).prompt(question)
    return {s.entry.title: s.n for s in prompt.sources}


def named(text: str, order: dict[str, int]) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: str(order[m[1]]), text)


def whole(assistant: Assistant, answer: Answer) -> None:
    """What every answer keeps, whatever the model did."""
    assert [c.n for c in answer.citations] == list(range(1, len(answer.citations) + 1))
    assert answer.refused == (not answer.sentences)
    for sentence in answer.sentences:
        assert sentence.citations
        for quote in sentence.quotes:
            document = assistant.document(quote.document)
            assert document is not None
            assert document.text[quote.start : quote.end] == quote.quote
    assert "<think>" not in answer.answer


def texts(answer: Answer) -> list[str]:
    return [s.text for s in answer.sentences]


def cited(answer: Answer) -> list[str]:
    return [c.entry.title for c in answer.citations]


def fell_back(answer: Answer) -> bool:
    return answer.model == "extractive" and any("quotes the sources instead" in n for n in answer.notices)


EXACT = "TileFlow computes exact attention in tiles that stay in on-chip memory."
FASTER = "TileFlow runs 2.5x faster than StreamAttend."


def test_a_right_answer_is_shown_with_its_quotes(ask: Ask) -> None:
    answer = ask(f"{EXACT[:-1]} [{{TileFlow}}]. {FASTER[:-1]} [{{TileFlow}}].")
    assert texts(answer) == [EXACT, FASTER]
    assert answer.answer == f"{EXACT} [1] {FASTER} [1]"
    assert cited(answer) == ["TileFlow"]
    assert answer.model == "openai:tiny"
    assert answer.support > 0.7
    assert answer.sentences[1].quotes[0].quote.startswith("On the X200 chip")


def test_a_wrong_marker_is_mended(ask: Ask) -> None:
    answer = ask(f"{FASTER[:-1]} [{{PageStore}}].")
    assert cited(answer) == ["TileFlow"]
    assert answer.extra["reattributed"] == 1


def test_a_true_sentence_with_a_changed_number_is_removed(ask: Ask) -> None:
    answer = ask(f"{EXACT} [{{TileFlow}}] TileFlow runs 3.5x faster than StreamAttend [{{TileFlow}}].")
    assert texts(answer) == [EXACT]
    assert "3.5" not in answer.answer
    assert "3.5x" in answer.rejections[0].reason


def test_a_fact_from_nowhere_with_a_valid_marker_is_removed(ask: Ask) -> None:
    answer = ask(f"{EXACT} [{{TileFlow}}] It was funded by Contoso in Berlin [{{TileFlow}}].")
    assert texts(answer) == [EXACT]


def test_all_sentences_false_is_a_refusal(ask: Ask) -> None:
    answer = ask("TileFlow runs 9x faster than StreamAttend [1]. TileFlow approximates the softmax [1].")
    assert answer.refused
    assert not answer.citations
    assert "None of the 2 sentences" in answer.reason
    assert len(answer.rejections) == 2
    assert answer.also


def test_a_model_that_finds_nothing_is_believed(ask: Ask) -> None:
    answer = ask("NOT IN THE SOURCES")
    assert answer.refused
    assert "found no answer" in answer.reason


def test_an_answer_without_markers_is_attributed_afterwards(ask: Ask) -> None:
    answer = ask(f"{EXACT} BitPress runs on the EdgeOne accelerator.")
    assert answer.answer == f"{EXACT} [1] BitPress runs on the EdgeOne accelerator. [2]"
    assert cited(answer) == ["TileFlow", "BitPress"]


def test_numbering_from_zero_and_past_the_end(ask: Ask, assistant: Assistant) -> None:
    zero = numbers(assistant, QUESTION)["TileFlow"] - 1
    assert zero == 0
    answer = ask(f"{EXACT[:-1]} [0]. {FASTER[:-1]} [0].")
    assert cited(answer) == ["TileFlow"]
    assert answer.extra == {"removed_markers": 0, "reattributed": 0}
    answer = ask(f"{EXACT[:-1]} [1][17].")
    assert answer.answer == f"{EXACT} [1]"
    assert answer.extra["removed_markers"] == 1


def test_an_answer_in_json_is_unwrapped(ask: Ask) -> None:
    answer = ask(f'```json\n{{"answer": "{EXACT[:-1]} [{{TileFlow}}]."}}\n```'.replace("{{", "{").replace("}}", "}"))
    assert texts(answer) == [EXACT]


@pytest.mark.parametrize(
    "reply",
    [
        say(f"<think>It runs 9x [1].</think>{EXACT} [1]"),
        say(f"Let me think. {FASTER} [1]\n</think>\n{EXACT} [1]"),
        say(f"{EXACT} [1]<think>Did I say it all? {FASTER} [1]"),
        events(chunk(reasoning_content=f"{FASTER} [1]"), chunk(f"{EXACT} [1]"), chunk(finish="stop")),
    ],
    ids=["whole", "only closed", "only opened", "field"],
)
def test_reasoning_never_reaches_the_answer(ask: Ask, reply: Reply) -> None:
    assert texts(ask(reply)) == [EXACT]


def test_sentences_shown_before_a_stray_closing_tag_are_taken_back(assistant: Assistant, fake: FakeLLM) -> None:
    fake.replies = [say(f"{FASTER} [1] {' '.join(f'Thought {i} goes on.' for i in range(60))}</think>{EXACT} [1]")]
    generator = OpenAIGenerator("tiny", address=fake.url, timeout=fake.patience, context_tokens=4096)
    seen = list(Answerer(Retriever(assistant.index), generator).stream(QUESTION))
    answer = seen[-1]
    assert isinstance(answer, Answer)
    assert texts(answer) == [EXACT]
    assert any(isinstance(e, Withdrawn) for e in seen)
    last = max(i for i, e in enumerate(seen) if isinstance(e, Withdrawn))
    assert [e for e in seen[last:] if isinstance(e, Sentence)] == list(answer.sentences)


def test_empty_choices_null_content_and_usage_only_do_not_disturb(ask: Ask) -> None:
    answer = ask(
        events({"choices": []}, chunk(None, role="assistant"), {"choices": [{"delta": {"content": None}}]},
               chunk(f"{EXACT} [1]"), chunk(finish="stop"), {"choices": [], "usage": {"total_tokens": 9}})
    )  # fmt: skip
    assert texts(answer) == [EXACT]


def test_the_sentence_that_the_length_cut_is_left_out(ask: Ask) -> None:
    answer = ask(say(f"{EXACT} [1] TileFlow runs 2.5x faster than", finish="length"))
    assert texts(answer) == [EXACT]
    assert answer.rejections[-1].reason == "it was cut off"


FAILURES = [
    ("401", error(401, "no key"), "key"),
    ("404", error(404, "model 'tiny' not found"), "has no model tiny"),
    ("429", error(429, "slow down"), "busy"),
    ("500", error(500, "boom"), "boom"),
    ("200 with an error body", error(500, "boom", sent_as=200), "boom"),
    ("empty", say(""), "nothing"),
    ("never answers", Reply(then="hang"), "in time"),
    ("reset before a sentence", Reply(body=b'data: {"choices": [{"delta": {"content": "It"}}]}\n\n', then="reset"), "broke off"),  # noqa: E501
    ("nothing to check", say("Sure! Here you go:"), "nothing that can be checked"),
    ("OpenAI overflow", answer_json({"error": {"message": "maximum context length is 3000 tokens", "code": "context_length_exceeded"}}, 400), "longer than the context"),  # noqa: E501
    ("llama.cpp overflow", error(400, "x", type="exceed_context_size_error", n_ctx=3000), "longer than the context"),
]  # fmt: skip


def test_a_context_that_holds_no_source_is_said(ask: Ask) -> None:
    small = error(400, "x", type="exceed_context_size_error", n_ctx=512)
    answer = ask(small, f"{EXACT} [1]")
    assert fell_back(answer)
    assert any("too small" in n for n in answer.notices)


@pytest.mark.parametrize(("kind", "reply", "says"), FAILURES, ids=[f[0] for f in FAILURES])
def test_each_failure_is_one_clear_line_and_the_extractive_answer(
    ask: Ask, kind: str, reply: Reply, says: str
) -> None:
    answer = ask(reply)
    assert fell_back(answer)
    assert sum(says in notice for notice in answer.notices) == 1
    assert cited(answer)[0] == "TileFlow"
    assert not answer.refused


def test_a_closed_port_is_one_clear_line_and_the_extractive_answer(ask: Ask) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    answer = ask("x", address=f"127.0.0.1:{port}")
    assert fell_back(answer)
    assert any("cannot be reached" in n for n in answer.notices)


def test_an_overflow_is_tried_again_with_less(ask: Ask, fake: FakeLLM) -> None:
    answer = ask(error(400, "x", type="exceed_context_size_error", n_ctx=1000), f"{EXACT} [1]")
    assert texts(answer) == [EXACT]
    assert answer.notices == ()
    assert len(fake.requests) == 2
    assert len(fake.requests[1]["messages"][1]["content"]) < len(fake.requests[0]["messages"][1]["content"])


def test_what_was_verified_stands_when_the_server_breaks_off(ask: Ask) -> None:
    body = say(f"{EXACT} [1] TileFlow runs 2.5x ").body.removesuffix(b"data: [DONE]\n\n")
    answer = ask(
        Reply(
            body=body.split(b'data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}')[0],
            then="reset",
        )
    )
    assert texts(answer) == [EXACT]
    assert any("broke off" in n for n in answer.notices)


def test_an_endless_answer_is_cut_and_what_repeats_is_said_once(ask: Ask) -> None:
    line = b'data: {"choices": [{"delta": {"content": "' + EXACT.encode() + b' [1] "}}]}\n\n'
    answer = ask(Reply(body=line, then="repeat"))
    assert texts(answer) == [EXACT]


def test_invalid_utf_8_costs_its_own_sentence_at_most(ask: Ask) -> None:
    raw = b'data: {"choices": [{"delta": {"content": "' + EXACT.encode() + b' [1] It is \xff\xfe odd [1]."}}]}\n\n'
    answer = ask(Reply(body=raw))
    assert texts(answer) == [EXACT]


def test_streamed_and_whole_answers_are_numbered_the_same(assistant: Assistant, fake: FakeLLM) -> None:
    draft = f"BitPress runs on the EdgeOne accelerator. {EXACT} Fragmentation wastes less than 4% of the memory."
    answers = []
    for size in (1, 5, 10_000):
        fake.replies = [say(draft, size=size)]
        generator = OpenAIGenerator("tiny", address=fake.url, timeout=fake.patience, context_tokens=4096)
        seen = list(Answerer(Retriever(assistant.index), generator).stream(QUESTION))
        answer = seen[-1]
        assert isinstance(answer, Answer)
        assert [e for e in seen if isinstance(e, Sentence)] == list(answer.sentences)
        answers.append([(s.text, s.citations) for s in answer.sentences])
    assert answers[0] == answers[1] == answers[2]
    assert [numbers for _, numbers in answers[0]] == [(1,), (2,), (3,)]


def test_a_sentence_is_shown_while_the_model_still_writes(assistant: Assistant) -> None:
    body = say(f"{EXACT} [1] {FASTER} [1] And then it goes on").body
    with FakeLLM(replies=[Reply(body=body.replace(b"data: [DONE]\n\n", b""), then="hang")]) as slow:
        generator = OpenAIGenerator("tiny", address=slow.url, timeout=60.0, context_tokens=4096)
        stream = Answerer(Retriever(assistant.index), generator).stream(QUESTION)
        first = next(stream)
        assert isinstance(first, Sentence)
        assert first.text == EXACT
        stream.close()


def test_no_model_is_called_when_nothing_relevant_was_found(ask: Ask, fake: FakeLLM) -> None:
    for question in ("What is the capital of Mongolia?", "hello there", "What is 17 * 23?"):
        fake.requests.clear()
        answer = ask(f"{EXACT} [1]", question=question)
        assert answer.refused
        assert not answer.citations
        assert not fake.requests


def test_what_fell_is_told_as_it_falls(assistant: Assistant, fake: FakeLLM) -> None:
    fake.replies = [say(f"TileFlow approximates the softmax [1]. {EXACT} [1]")]
    generator = OpenAIGenerator("tiny", address=fake.url, timeout=fake.patience, context_tokens=4096)
    seen = list(Answerer(Retriever(assistant.index), generator).stream(QUESTION))
    assert [type(e) for e in seen] == [Rejection, Sentence, Answer]


def test_a_follow_up_is_asked_of_the_model_as_a_question_that_stands_alone(
    ask: Ask, fake: FakeLLM, assistant: Assistant
) -> None:
    entry = next(e for e, _ in assistant.entries() if e.title == "TileFlow")
    history = [Turn(QUESTION, QUESTION, EXACT, (entry.id,))]
    answer = ask(f"{FASTER} [1]", question="How fast is it?", history=history)
    assert "TileFlow" in answer.query
    assert answer.query in fake.prompt
    assert texts(answer) == [FASTER]


def test_the_prompt_fits_a_small_context(assistant: Assistant) -> None:
    prompt = Answerer(Retriever(assistant.index)).prompt(QUESTION)
    assert "TileFlow computes exact attention" in prompt.messages[1].content
