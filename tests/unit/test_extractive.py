from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.generation.extractive import Excerpt, extract
from accelrag.index.chunking import note_document
from accelrag.text.plaintext import plain_text
from accelrag.text.words import words
from accelrag.types import Entry, Hit, Passage, Place, Result, Sentence
from accelrag.types.rendering import answer_text


def entry(title: str, note: str = "", label: str = "") -> Entry:
    return Entry(
        title.lower(), f"x.org/{title}", f"https://x.org/{title}", "paper", (Place(title, ("A", "B"), note, label),)
    )


def note_of(found: Entry) -> Passage:
    text = note_document(found).text
    return Passage(0, f"note:{found.id}", found.id, 0, len(text), text)


def result(found: Entry, score: float, text: str = "", rank: int = 1) -> Result:
    hits = [Hit(note_of(found), score)]
    if text:
        hits.append(Hit(Passage(7, f"text:{found.id}", found.id, 100, 100 + len(text), text), score))
    return Result(rank, found, "abstract" if text else "note", score, tuple(hits))


def encode(texts: list[str]) -> np.ndarray:
    """Unit vectors of hashed words: texts that share words are near."""
    rows = np.zeros((len(texts), 64), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in words(text):
            row[sum(map(ord, word)) % 64] += 1
        row /= np.linalg.norm(row) or 1
    return rows


def answer(question: str, *results: Result, asked_for: int = 0) -> list[Excerpt]:
    notes = {r.entry.id: note_of(r.entry) for r in results}
    return list(
        extract(
            question,
            results,
            encode([question])[0],
            encode,  # type: ignore[arg-type]
            dict.fromkeys(words(question), 1.0),
            lambda word: word,
            note_of=notes.__getitem__,
            asked_for=asked_for,
        )
    )


TEXT = (
    "We present a cache that is kept in pages of equal size. Waste of memory falls from 70% to less than 4%. "
    "Other work is discussed at length in the appendix of this report. See https://x.org/code for more."
)


def test_the_resource_comes_first_and_then_what_its_text_says():
    first, *rest = answer("how much memory is wasted by the cache", result(entry("Pages", "Keeps pages."), 1.0, TEXT))
    assert first.text == "Pages — Keeps pages."
    assert first.quote == "Keeps pages."
    assert any("70%" in made.text for made in rest)
    assert all(made.text.startswith("“") for made in rest)


@given(st.text(max_size=300), st.text(max_size=80), st.text(max_size=60))
def test_each_quote_is_a_slice_of_its_passage_at_its_offsets(text, note, question):
    title = "T"
    for made in answer(question or "x", result(entry(title, note), 1.0, f"{TEXT} {text}")):
        start = made.start - made.passage.start
        assert made.passage.text[start : start + len(made.quote)] == made.quote
        assert made.end - made.start == len(made.quote)
        assert "\n" not in made.text


def test_a_question_for_a_figure_prefers_a_sentence_with_one():
    asked = answer("how much memory does the cache waste", result(entry("Pages"), 1.0, TEXT))
    assert any("4%" in made.quote for made in asked)


def test_code_tables_and_bare_links_are_never_quoted():
    code = "```sh\npip install the thing that keeps pages of the cache\n```"
    text = f"{code}\n\n| a | b | c | d | pages of the cache here |\n"
    assert [made.quote for made in answer("pages of the cache", result(entry("Pages"), 1.0, text))] == ["Pages"]


def test_an_entry_without_a_note_is_named_with_its_section():
    (only,) = answer("pages", result(entry("Pages"), 1.0))
    assert only.text == "Pages, in A > B."
    assert only.quote == "Pages"


def test_a_label_stands_before_the_title():
    (only,) = answer("pages", result(entry("Pages", "Says it.", "Textbook"), 1.0))
    assert only.text == "Textbook: Pages — Says it."


def test_entries_far_behind_the_first_are_left_out():
    near, far = result(entry("Near"), 0.9, rank=2), result(entry("Far"), 0.2, rank=3)
    named = [made.result.entry.title for made in answer("pages", result(entry("First"), 1.0), near, far)]
    assert named == ["First", "Near"]


def test_a_comparison_names_each_entry_that_was_asked_for():
    weak = result(entry("Second"), 0.1, rank=2)
    made = answer("First versus Second", result(entry("First"), 1.0), weak, asked_for=2)
    assert [m.result.entry.title for m in made] == ["First", "Second"]


def test_nothing_found_says_nothing():
    assert answer("pages") == []


def sentence(text: str, lead: str = "", citations: tuple[int, ...] = (1,)) -> Sentence:
    return Sentence(text, citations, 1.0, "supported", lead)


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        ((), ""),
        ((sentence("One."),), "One. [1]"),
        ((sentence("One."), sentence("Two.", "", (2, 3))), "One. [1] Two. [2][3]"),
        ((sentence("One.", "\n\n"), sentence("Two.", "\n- ")), "One. [1]\n- Two. [1]"),
        ((sentence("Bare.", citations=()),), "Bare."),
    ],
)
def test_markers_stand_behind_each_sentence(sentences, text):
    assert answer_text(sentences) == text


def test_what_is_shown_of_a_quote_is_its_plain_text():
    text = "The **cache** is kept in [pages](https://x.org) of one equal size by `pager`."
    shown = answer("cache kept in pages", result(entry("Pages"), 1.0, text))[1]
    assert shown.text == f"“{plain_text(text)}”"
    assert shown.quote == text
