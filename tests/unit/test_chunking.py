from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accelrag.index.chunking import Sizes, chunk, embedding_text, note_document
from accelrag.types import Document, Entry, Passage, Place


def spans(text: str) -> list[tuple[int, int]]:
    """Tokens of up to four letters, each other non-space character alone: long words have many, as in WordPiece."""
    return [m.span() for m in re.finditer(r"\w{1,4}|[^\w\s]", text)]


def document(text: str, *, markdown: bool = True, title: str = "", pages: tuple[int, ...] = ()) -> Document:
    return Document("text:e", "e", text, "full", title=title, markdown=markdown, pages=pages)


PIECES = st.sampled_from(
    [
        "# Heading\n\n",
        "## Deeper one ##\n",
        "### " + "very long heading " * 12 + "\n\n",
        "#hash but no heading\n",
        "A sentence of a few words. ",
        "Another, e.g. with an abbreviation, at v1.2.3 of it! ",
        "- an item of a list\n",
        "| a | table | row |\n",
        "```python\n# not a heading\nx = 1\n```\n",
        "~~~\nunclosed fence\n",
        "量化很快。内存很小！",
        "日本語の文章です。" * 9,
        "x" * 300,
        "\n\n",
        "\t \n",
        "🙂🙂 ",
        "\u00a0\u2003",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=400))


@given(TEXTS, st.booleans(), st.sampled_from(["", "A title", "long title " * 40]), st.integers(60, 256))
@example("x" * 5_000, True, "word " * 200, 60)
@example("\u3000\n \t", False, "t", 64)
def test_passages_are_exact_slices_that_hold_each_character_once_and_fit_the_encoder(text, markdown, title, limit):
    sizes = Sizes(limit=limit)
    passages = chunk(document(text, markdown=markdown, title=title), spans, sizes, first_id=40)

    held = []
    for p in passages:
        assert text[p.start : p.end] == p.text
        assert p.text == p.text.strip()
        assert p.text
        assert len(spans(embedding_text(p))) <= limit
        held += range(p.start, p.end)
    assert [p.id for p in passages] == list(range(40, 40 + len(passages)))
    assert len(held) == len(set(held))
    assert {i for i, c in enumerate(text) if not c.isspace()} <= set(held)


@given(TEXTS)
def test_cutting_is_a_function_of_the_text_alone(text):
    assert chunk(document(text), spans, Sizes(limit=80)) == chunk(document(text), spans, Sizes(limit=80))


def headings(text: str, **kwargs: object) -> list[tuple[str, tuple[str, ...]]]:
    sizes = Sizes(limit=128, target=20)
    return [(p.text, p.heading) for p in chunk(document(text, **kwargs), spans, sizes)]  # type: ignore[arg-type]


BODY = "This sentence is long enough to fill a passage of the size that the test aims at here. " * 2


def test_a_passage_knows_the_headings_above_it():
    text = f"# Install\n\n{BODY}\n\n## From source\n\n{BODY}\n\n# Use\n\n{BODY}"
    paths = list(dict.fromkeys(path for _, path in headings(text)))
    assert paths == [("Install",), ("Install", "From source"), ("Use",)]


def test_the_title_of_the_document_stands_before_its_headings():
    assert headings(f"# Install\n\n{BODY}", title="FastGEMM")[0][1] == ("FastGEMM", "Install")


def test_a_heading_without_markdown_is_text():
    assert all(path == () for _, path in headings(f"# Install\n\n{BODY}", markdown=False))


def test_links_and_emphasis_are_taken_off_headings():
    assert headings(f"# **Fast** [GEMM](https://x.org) `v2` #\n\n{BODY}")[0][1] == ("Fast GEMM v2",)


def test_a_comment_in_a_code_block_is_no_heading():
    text = f"# Real\n\n{BODY}\n\n```sh\n# not a heading\nmake\n```\n\n{BODY}"
    assert {path for _, path in headings(text)} == {("Real",)}


def test_a_code_block_stays_whole_where_it_fits():
    block = "```sh\nmake all\nmake install\n\nmake test\n```"
    assert any(block in text for text, _ in headings(f"{BODY}\n\n{block}\n\n{BODY}"))


@pytest.mark.parametrize("body", [BODY, "```sh\n" + "make all && make install\n" * 12 + "```"])
def test_a_heading_is_never_a_passage_alone_when_text_follows(body):
    text = "".join(f"# Part {i}\n\n{body}\n\n" for i in range(6))
    assert all(len(t) > len("# Part 0") for t, _ in headings(text))


def test_a_word_longer_than_the_encoder_reads_is_cut_without_loss():
    passages = chunk(document("y" * 9_000), spans, Sizes(limit=64))
    assert "".join(p.text for p in passages) == "y" * 9_000


def test_prose_is_cut_between_sentences():
    text = " ".join(f"Sentence number {i} says something about caches." for i in range(60))
    for p in chunk(document(text), spans, Sizes(limit=128)):
        assert p.text.startswith("Sentence")
        assert p.text.endswith(".")


def test_pages_are_counted_from_one():
    text = f"{BODY}\n\n{BODY}\n\n{BODY}"
    second = text.index("\n\n") + 2
    pages = [p.page for p in chunk(document(text, pages=(0, second)), spans, Sizes(limit=64))]
    assert pages[0] == 1
    assert pages[-1] == 2
    assert pages == sorted(pages)


@pytest.mark.parametrize("text", ["", " \n\t ", "\u3000"])
def test_blank_text_has_no_passage(text):
    assert chunk(document(text), spans, Sizes(limit=64)) == []


def entry(**place: object) -> Entry:
    values = {"title": "T", "sections": ("A", "B"), "note": "Says it.", "label": ""} | place
    return Entry("e", "https://x.org/t", "https://x.org/t", "paper", (Place(**values),))  # type: ignore[arg-type]


def test_the_note_of_an_entry_holds_title_label_note_and_sections():
    made = note_document(entry(label="Textbook"))
    assert made.text == "T\nTextbook\nSays it.\nA > B"
    assert made.id == "note:e"
    assert made.coverage == "note"


def test_a_repeated_title_stands_in_the_note_once():
    one = entry()
    twice = Entry(one.id, one.key, one.url, one.kind, (*one.places, Place("T", ("C",), "More.")))
    assert note_document(twice).text == "T\nSays it.\nMore.\nA > B\nC"


def test_the_note_has_no_heading_of_its_own():
    (passage,) = chunk(note_document(entry()), spans, Sizes(limit=64))
    assert passage.heading == ()
    assert passage.is_note


def test_heading_and_text_are_embedded_and_text_alone_is_quoted():
    passage = Passage(0, "text:e", "e", 0, 4, "Text", ("Top", "Below"))
    assert embedding_text(passage) == "Top > Below\nText"
    assert embedding_text(Passage(0, "text:e", "e", 0, 4, "Text")) == "Text"
