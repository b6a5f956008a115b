from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelrag.answer.history import stand_alone
from accelrag.answer.turns import Past
from accelrag.types import Entry, Place


def entry(n: int, title: str) -> Entry:
    return Entry(f"e{n}", f"k{n}", f"https://example.org/{n}", "paper", (Place(title, ("S",), "A note."),))


TILE, PAGE, PRESS, OTHER = (
    entry(1, "TileFlow: Exact Attention"),
    entry(2, "PageStore"),
    entry(3, "BitPress"),
    entry(4, "SlabServe"),
)
PAST = Past("Which kernels are fast for inference?", (TILE, PAGE, PRESS), (OTHER,))
ONE = Past("What is TileFlow?", (TILE,), (PAGE,))


def test_a_first_question_stands_alone_as_it_is() -> None:
    assert stand_alone("And for training?", None).query == "And for training?"


@pytest.mark.parametrize(
    "text", ["How fast is it?", "What is its license?", "Who wrote this paper?", "Does the method need training?"]
)
def test_a_pronoun_means_the_first_entry_cited(text: str) -> None:
    alone = stand_alone(text, ONE)
    assert alone.entries == ("e1",)
    assert "TileFlow" in alone.query
    assert ":" not in alone.query


def test_a_pronoun_beside_another_name_searches_everything() -> None:
    alone = stand_alone("Does vLLM use it?", ONE)
    assert alone.entries is None
    assert alone.query == "Does vLLM use TileFlow?"


@pytest.mark.parametrize(
    "text",
    [
        "Which of them targets Hopper?",
        "Are any of these open source?",
        "Which one is the smallest?",
        "Do they need a GPU?",
    ],
)
def test_of_them_means_what_was_cited(text: str) -> None:
    alone = stand_alone(text, PAST)
    assert alone.entries is not None
    assert set(alone.entries) >= {"e1", "e2", "e3"}


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Which of them is the newest?", "newest"),
        ("Which is the oldest?", "oldest"),
        ("which one came first?", "oldest"),
        ("Which of them is best?", ""),
    ],
)
def test_an_order_in_time_is_understood(text: str, order: str) -> None:
    alone = stand_alone(text, PAST)
    assert alone.entries
    assert alone.order == order


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Tell me about the second one.", "e2"),
        ("What does the last one do?", "e3"),
        ("And the third?", "e3"),
        ("What is the former?", "e1"),
    ],
)
def test_the_nth_one_is_the_nth_cited(text: str, wanted: str) -> None:
    assert stand_alone(text, PAST).entries == (wanted,)


@pytest.mark.parametrize(
    "text", ["yes", "Yes, please!", "tell me more", "go on", "Why?", "more details please", "ok"]
)
def test_yes_means_more_of_the_first_entry(text: str) -> None:
    assert stand_alone(text, PAST).entries == ("e1",)


def test_an_ellipsis_takes_the_place_of_what_it_replaces() -> None:
    assert stand_alone("And for training?", PAST).query == "Which kernels are fast for training?"
    assert stand_alone("What about SGLang?", Past("How fast is vLLM?", (PAGE,))).query == "How fast is SGLang?"
    assert stand_alone("And for training?", PAST).entries is None


@pytest.mark.parametrize(
    "text",
    [
        "What is Mixture of Experts?",
        "Which books cover computer architecture?",
        "Now something else: what is MLIR?",
        "And what is the roofline model?",
    ],
)
def test_a_new_subject_stands_alone(text: str) -> None:
    alone = stand_alone(text, PAST)
    assert alone.entries is None
    assert "kernels" not in alone.query


def test_a_question_without_a_subject_is_about_the_first_entry() -> None:
    alone = stand_alone("How much memory?", ONE)
    assert alone.entries is None or alone.entries == ("e1",)
    assert stand_alone("when was that published?", ONE).entries == ("e1",)


def test_after_a_refusal_there_is_nothing_to_refer_to() -> None:
    assert stand_alone("How fast is it?", Past("What is the capital of France?")).entries is None


@settings(deadline=None)
@given(st.text(max_size=120))
def test_any_text_gives_a_question(text: str) -> None:
    alone = stand_alone(text, PAST)
    assert alone.entries is None or set(alone.entries) <= {"e1", "e2", "e3", "e4"}
