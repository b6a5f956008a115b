from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelrag.text.sentences import blocks, sentences, without_mark


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("It is fast, e.g. on a GPU. It is small.", ["It is fast, e.g. on a GPU.", "It is small."]),
        ("Two kinds, i.e. big and small. Done.", ["Two kinds, i.e. big and small.", "Done."]),
        ("Han et al. Proposed it (Fig. 3). Next.", ["Han et al. Proposed it (Fig. 3).", "Next."]),
        ("Shown by Han et al. The result holds.", ["Shown by Han et al.", "The result holds."]),
        ("CPU vs. GPU is old. So what?", ["CPU vs. GPU is old.", "So what?"]),
        ("Made in the U.S. The rest is not.", ["Made in the U.S.", "The rest is not."]),
        ("The U.S. Army uses it.", ["The U.S. Army uses it."]),
        ("By J. L. Hennessy and D. Patterson. A classic.", ["By J. L. Hennessy and D. Patterson.", "A classic."]),
        ("MIT 6.5940 covers it. Version 2.1.0 too.", ["MIT 6.5940 covers it.", "Version 2.1.0 too."]),
        ("LLM.int8() works. See https://a.b/c?d=1. Yes!", ["LLM.int8() works.", "See https://a.b/c?d=1.", "Yes!"]),
        ('He said "it works." Then left.', ['He said "it works."', "Then left."]),
        ("(It works.) Then left.", ["(It works.)", "Then left."]),
        ("Better than before. vLLM serves it.", ["Better than before.", "vLLM serves it."]),
        ("Runs with llama.cpp. llama.cpp is small.", ["Runs with llama.cpp.", "llama.cpp is small."]),
        ("What is it? a thing.", ["What is it? a thing."]),
        ("Wait... it goes on. Fine.", ["Wait... it goes on.", "Fine."]),
        ("It saves memory. [1] It is fast.[2][3] End.", ["It saves memory. [1]", "It is fast.[2][3]", "End."]),
        ("In 2017. The rest.", ["In 2017.", "The rest."]),
        ("See No. 5 there. No. That is it.", ["See No. 5 there.", "No.", "That is it."]),
        ("Call `a. B` now. End.", ["Call `a. B` now.", "End."]),
        ("量化很快。内存很小！对吗？好", ["量化很快。", "内存很小！", "对吗？", "好"]),
        ("「速い。」次に進む。", ["「速い。」", "次に進む。"]),
        ("hard\nwrapped text. Next\nline.", ["hard\nwrapped text.", "Next\nline."]),
        ("one\n\ntwo", ["one", "two"]),
        ("# Title\nText here.", ["# Title", "Text here."]),
        ("Title\n=====\nText", ["Title", "=====", "Text"]),
        ("So:\n- one. Really\n- two\n1. three\n2) four", ["So:", "- one.", "Really", "- two", "1. three", "2) four"]),
        ("| a. B | b |\n|---|---|\n| c | d |", ["| a. B | b |", "|---|---|", "| c | d |"]),
        ("See:\n```py\na. B\n\nc\n```\nDone.", ["See:", "```py\na. B\n\nc\n```", "Done."]),
        ("```\nnever closed. X\n\ny", ["```\nnever closed. X\n\ny"]),
        ("> quoted text\n> goes on.\nplain", ["> quoted text\n> goes on.", "plain"]),
        ("", []),
        (" \n\t\n", []),
        ("...", ["..."]),
    ],
)  # fmt: skip
def test_a_text_is_cut_where_a_reader_would_cut_it(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_marks_of_headings_lists_and_quotes_can_be_left_off() -> None:
    text = "## Head\n- [x] item\n> 3. third\nplain"
    assert [text[slice(*without_mark(text, a, b))] for a, b in sentences(text)] == [
        "Head",
        "item",
        "third",
        "plain",
    ]


PIECES = st.sampled_from(
    [
        *'aB \n.!?…。`()"\t\u3000\x00',
        "\n\n",
        "```",
        "~~~\n",
        "# ",
        "- ",
        "1. ",
        "| ",
        "> ",
        "[1]",
        "e.g.",
        "U.S.",
        "vLLM",
        "6.5",
        "===",
        "\ud800",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=200))


@settings(deadline=None)
@given(TEXTS)
def test_spans_are_ordered_apart_stripped_and_hold_every_character_that_is_no_space(text: str) -> None:
    spans = sentences(text)
    position = 0
    for start, end in spans:
        assert position <= start < end <= len(text)
        assert text[position:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        position = end
    assert text[position:].strip() == ""


@settings(deadline=None)
@given(TEXTS)
def test_no_sentence_crosses_a_block(text: str) -> None:
    found = list(blocks(text))
    for start, end in sentences(text):
        assert any(a <= start and end <= b for a, b in found)


@pytest.mark.parametrize(
    "piece",
    [
        *".`([",
        "```",
        ". ",
        "[1]",
        ". [",
        "a ",
        "\n",
        "> ",
        "- a\n",
        ".)",
        "e.g. ",
        "|\n",
        " \n",
        "1. ",
        "x.[1] ",
        ". [1, ",
    ],
)
def test_work_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    text = piece * (200_000 // len(piece))  # with work that grows with the square this would take hours
    assert sum(end - start for start, end in sentences(text)) >= len(text.split())
