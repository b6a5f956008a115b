"""Lines on pages become paragraphs that a person could quote; nothing but running heads and references is lost."""

from __future__ import annotations

import re

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import FetchFailed
from accelrag.sources.cleaning import clean_text
from accelrag.sources.layout import Line, LineBlock, Sheet, lay_out
from accelrag.sources.pdf import read_pdf

FILL = [
    "The allocator keeps one list of free blocks for every size class and",
    "hands them out in the order in which they came back, so that warm",
    "memory is used first and the page table stays small in all cases.",
]
FILLED = " ".join(FILL)


def written(page, x: float, y: float, rows: list[str], size: float = 10, **style) -> None:
    for i, row in enumerate(rows):
        page.insert_text((x, y + 13 * i), row, fontsize=size, **style)


def read(*pages) -> str:
    """The text of a file whose pages the functions draw."""
    return read_file(*pages).text


def read_file(*pages):
    file = pymupdf.open()
    for draw in pages:
        draw(file.new_page())
    return read_pdf(file.tobytes(), pages=40)


def test_a_word_divided_at_a_lines_end_is_whole_even_with_a_space_behind_the_hyphen():
    rows = ["A queue of recent pages lets the manager sepa- ", "rate hot data from cold data at once."]
    assert "separate hot data" in read(lambda page: written(page, 72, 100, rows))


def test_a_hyphen_that_the_document_writes_elsewhere_stays():
    rows = ["The well-known block is old. A well-", "known block is a block that is well kept."]
    assert "A well-known block is a block" in read(lambda page: written(page, 72, 100, rows))


def test_running_heads_and_page_numbers_go_and_a_sentence_over_the_break_is_one():
    def draw(number: int):
        def on(page) -> None:
            written(page, 200, 40, ["Proceedings of the Sample Workshop, 2031"])
            written(page, 290, 800, [str(101 + number)])
            written(
                page, 72, 100, [*FILL * 4, *(["The measured peak rate of the third design is"] if number < 3 else [])]
            )
            if number:  # drawn last, though it is the first line of the page
                page.insert_text((72, 86), f"{40 + number} gigabytes per second, as the table shows.", fontsize=10)

        return on

    result = read_file(*map(draw, range(4)))
    assert "Sample Workshop" not in result.text
    assert not re.search(r"\b10[1-4]\b", result.text)
    assert "third design is 41 gigabytes per second, as the table shows." in result.text
    assert len(result.pages) == 4
    second = result.text[result.pages[1] : result.pages[2]]
    assert second.startswith("41 gigabytes")


def test_a_caption_is_apart_and_the_paragraph_that_it_parts_goes_on():
    def draw(page) -> None:
        written(page, 72, 100, [*FILL, "In practice the larger of both machines runs for several days and"])
        written(page, 72, 330, ["Table 4: Sizes of the two machines"])
        written(page, 72, 380, ["weeks without a restart, while the smaller one is stopped.", *FILL])

    paragraphs = read(draw).split("\n\n")
    assert "Table 4: Sizes of the two machines" in paragraphs
    assert any("several days and weeks without a restart" in p for p in paragraphs)


def test_a_heading_is_a_paragraph_of_its_own():
    def draw(page) -> None:
        written(page, 72, 90, ["3.2 Placement"], size=12, fontname="hebo")
        written(page, 72, 104, ["Blocks are placed on the node with the fewest writers.", *FILL])

    assert read(draw).split("\n\n")[0] == "3.2 Placement"


def test_references_are_counted_and_no_prose_and_an_appendix_behind_them_is():
    def draw(page) -> None:
        written(page, 72, 90, FILL)
        written(page, 72, 200, ["References"], size=14, fontname="hebo")
        written(page, 72, 230, ["[1] A. Nobody. On tiles. Journal of Tiles, 2031."])
        written(page, 72, 260, ["[2] B. Somebody. On banks. Journal of Banks, 2032."])
        written(page, 72, 320, ["A Sizes"], size=14, fontname="hebo")
        written(page, 72, 350, ["The appendix gives the size of each bank that we built."])

    result = read_file(draw)
    assert "Journal of" not in result.text
    assert "The appendix gives the size" in result.text
    assert result.references == 3


def test_columns_and_turned_pages_are_read_in_order():
    def columns(page) -> None:
        written(page, 72, 100, ["Left one says that the cache", "holds four lines at once."])
        written(page, 330, 100, ["Right one says that the bus", "is shared by two masters."])

    def turned(page) -> None:
        for i, row in enumerate(["This page was drawn sideways and holds", "the limits of all three boards."]):
            page.insert_text((100 + i * 14, 500), row, fontsize=10, rotate=90)

    text = read(columns, turned)
    assert "Left one says that the cache holds four lines at once." in text
    assert "Right one says that the bus is shared by two masters." in text
    assert "drawn sideways and holds the limits of all three boards." in text


def test_formulas_are_no_reason_to_call_a_clean_text_broken():
    proof = [
        "Proof. Let x i be the load of node i, let y j k be the flow from j to k and let",
        "c k be its bound. Then x i = a i + b i k y j k for i in I and k in K, where a i",
        "is given. By the first lemma y j k is at most c k, so x i <= a i + b i k c k.",
        "Take m = n p and q = r s t; then f x = g x + h x, so that f m = g m + h m",
        "holds for all m in M, and f q = g q + h q for all q in Q, as we claimed.",
    ]
    assert "as we claimed" in read(lambda page: written(page, 72, 80, FILL + proof * 6, size=9))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["Th e al lo ca to r ke ep s on e li st of fr ee bl oc ks fo r al l"] * 40, "broken into pieces"),
        (["In 0000 the bank had 00 rows and 000 lines of 0 bytes, see page 0."] * 40, "one digit in place of all"),
    ],
)
def test_a_text_layer_that_lost_its_words_or_its_digits_is_refused(rows, said):
    with pytest.raises(FetchFailed, match=said) as failed:
        read(lambda page: written(page, 72, 40, rows, size=8))
    assert failed.value.reason == "garbled"


def test_lines_of_nothing_are_nothing_even_in_turned_blocks():
    turned = LineBlock((Line("", 100, 400, 110, 500), Line(" ", 120, 400, 130, 500)), turned=True)
    begun = LineBlock((Line("The bank keeps four rows and", 72, 300, 400, 310),))
    assert lay_out([Sheet((begun, turned))]).text == "The bank keeps four rows and"


def test_a_hyphen_at_a_pages_end_is_judged_by_the_words_of_the_document():
    first = LineBlock((Line("A well-known bank is old. The other one is a well-", 72, 400, 400, 410),))
    second = LineBlock((Line("known bank that was built later.", 72, 300, 400, 310),))
    laid = lay_out([Sheet((first,)), Sheet((second,))])
    assert "a well-known bank that was built later." in laid.text
    assert laid.text[laid.pages[1] :].startswith("known bank that")


WORDS = st.lists(st.text("abcdefgß漢字かな", min_size=1, max_size=8), min_size=1, max_size=8).map(" ".join)
NUMBERS = st.floats(60, 700)


@st.composite
def sheets(draw) -> list[Sheet]:
    """Pages whose lines lie below each other, in type of several sizes; none lies in a margin."""
    pages = []
    for _ in range(draw(st.integers(1, 4))):
        y, blocks = 1_000.0, []
        for _ in range(draw(st.integers(0, 4))):
            lines = []
            for text in draw(st.lists(WORDS, min_size=1, max_size=4)):
                size = draw(st.sampled_from([8.0, 10.0, 10.0, 14.0]))
                lines.append(
                    Line(text, 72 + draw(st.sampled_from([0, 12])), y, 400, y + size, size, draw(st.booleans()))
                )
                y += draw(st.sampled_from([12, 14, 30]))
            blocks.append(LineBlock(tuple(lines)))
        pages.append(Sheet(tuple(blocks), 9_000.0))
    return pages


@given(sheets())
def test_every_letter_is_kept_and_the_offsets_of_pages_only_grow(pages):
    laid = lay_out(pages)
    given_letters = sorted(c for s in pages for b in s.blocks for n in b.lines for c in n.text if not c.isspace())
    assert sorted(c for c in laid.text if not c.isspace()) == given_letters
    assert clean_text(laid.text) == laid.text
    assert len(laid.pages) == len(pages)
    assert list(laid.pages) == sorted(laid.pages)
    assert all(0 <= start <= len(laid.text) for start in laid.pages)
