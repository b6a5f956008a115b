from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelrag.citations import ClaimReader, read_claims


def pairs(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(c.text, c.cited) for c in read_claims(text)]


@pytest.mark.parametrize(
    ("draft", "text", "cited"),
    [
        ("It is fast [1].", "It is fast.", (1,)),
        ("It is fast. [1]", "It is fast.", (1,)),
        ("It is fast.[1]", "It is fast.", (1,)),
        ("It is fast [1, 2].", "It is fast.", (1, 2)),
        ("It is fast [1-3].", "It is fast.", (1, 2, 3)),
        ("It is fast [1–3, 5].", "It is fast.", (1, 2, 3, 5)),
        ("It is fast [1][2].", "It is fast.", (1, 2)),
        ("It is fast [1] [2].", "It is fast.", (1, 2)),
        ("It is fast (1).", "It is fast.", (1,)),
        ("It is fast【1】.", "It is fast.", (1,)),
        ("It is fast【1†source】.", "It is fast.", (1,)),
        ("It is fast[^1].", "It is fast.", (1,)),
        ("It is fast [Source 1].", "It is fast.", (1,)),
        ("It is fast (Source 2).", "It is fast.", (2,)),
        ("It is fast [Sources 1 and 2].", "It is fast.", (1, 2)),
        ("It is fast [Source 1, Source 3].", "It is fast.", (1, 3)),
        ("According to Source 2, it is fast.", "It is fast.", (2,)),
        ("Source 1 states that it is fast.", "It is fast.", (1,)),
        ("[2] It is fast.", "It is fast.", (2,)),
        ("It reduces memory[1].", "It reduces memory.", (1,)),
        ("It is fast [1] and small [2].", "It is fast and small.", (1, 2)),
        ("It is fast [0].", "It is fast.", (0,)),
        ("速い[1]。", "速い。", (1,)),
        ("**It** is *fast* [1].", "It is fast.", (1,)),
        ("See [the paper](https://example.org/a_(b)) [1].", "See the paper.", (1,)),
        ("The value `a[1]` is read.", "The value `a[1]` is read.", ()),
        ("The value a[1] is read.", "The value a[1] is read.", ()),
        ("Then arr_x[1] = 2 holds.", "Then arr_x[1] = 2 holds.", ()),
        ("It came out in (2017) first.", "It came out in (2017) first.", ()),
        ("There are (1) fast and (2) small ones.", "There are (1) fast and (2) small ones.", ()),
        ("It needs 16 GPUs [in 2020].", "It needs 16 GPUs [in 2020].", ()),
    ],
)
def test_each_form_of_marker_is_read_and_nothing_else(draft: str, text: str, cited: tuple[int, ...]) -> None:
    assert pairs(draft) == [(text, cited)]


def test_a_sentence_takes_the_markers_behind_its_full_stop_and_not_the_next_one() -> None:
    assert pairs("One is fast. [1] Two is slow. [2][3]\n\nThree is old.\n[4]") == [
        ("One is fast.", (1,)),
        ("Two is slow.", (2, 3)),
        ("Three is old.", (4,)),
    ]


def test_lists_keep_their_marks_as_leads_and_headings_and_source_lists_are_no_claims() -> None:
    draft = (
        "# Answer\n\nTwo papers cover it:\n\n* **One** is fast [1].\n* Two is slow [2]. It is old.\n\n1. Third [3]\n\n"  # noqa: E501
        "## Sources\n\n[1] One, https://example.org\n[2] Two"
    )
    assert [(c.lead, c.text, c.cited) for c in read_claims(draft)] == [
        ("", "Two papers cover it:", ()),
        ("\n\n- ", "One is fast.", (1,)),
        ("\n- ", "Two is slow.", (2,)),
        (" ", "It is old.", ()),
        ("\n\n1. ", "Third", (3,)),
    ]


def test_lines_that_start_with_a_marker_are_one_claim_each() -> None:
    assert pairs("[1] One is fast.\n[2] Two is slow.") == [("One is fast.", (1,)), ("Two is slow.", (2,))]


def test_table_rows_are_claims_and_their_head_is_not() -> None:
    assert pairs("| Name | Speed |\n|---|---|\n| One | 2x [1] |\n| Two | 3x [2] |\n") == [
        ("One — 2x", (1,)),
        ("Two — 3x", (2,)),
    ]


def test_code_is_one_claim_and_its_brackets_are_no_markers() -> None:
    assert pairs("Call it so [1]:\n```py\nx = a[1]\ny. Z\n```\nDone [2].") == [
        ("Call it so:", (1,)),
        ("```\nx = a[1]\ny. Z\n```", ()),
        ("Done.", (2,)),
    ]


@pytest.mark.parametrize(
    "draft",
    [
        '{"answer": "It is fast [1]. It is small [2]."}',
        '```json\n{"answer": "It is fast [1]. It is small [2]."}\n```',
        '{"sentences": [{"text": "It is fast.", "citations": [1]}, {"text": "It is small.", "source": 2}]}',
        '[{"claim": "It is fast.", "sources": ["1"]}, {"claim": "It is small.", "sources": "[2]"}]',
        '["It is fast [1].", "It is small [2]."]',
        '{"response": {"text": "It is fast [1].\\n\\nIt is small [2]."}, "confidence": 1}',
        '{"answer": "It is fast [1]. It is small [2].", "cit',
    ],
)
def test_an_answer_wrapped_in_json_is_unwrapped(draft: str) -> None:
    assert pairs(draft) == [("It is fast.", (1,)), ("It is small.", (2,))]


def test_a_sentence_is_given_as_soon_as_the_next_one_starts() -> None:
    reader = ClaimReader()
    assert reader.feed("It is fast [1]") == []
    assert reader.feed(". It") == []
    assert [c.text for c in reader.feed(" is small")] == ["It is fast."]
    assert [c.text for c in reader.close()] == ["It is small"]


def test_a_sentence_that_never_ends_is_cut() -> None:
    claims = read_claims("word " * 3_000)
    assert len(claims) > 5
    assert all(len(c.text) <= 2_000 for c in claims)


PIECE = st.sampled_from(
    ["It is fast", "Two", " ", " ", " ", "\n", "\n\n", ". ", ".", "! ", "? ", "。", "[1]", " [2]", "[1, 2]", "(1)", "【3】", "[^4]",  # noqa: E501
     "[Source 5]", "[", "]", "`", "```", "```py\n", "# ", "- ", "* ", "1. ", "12", "| ", "|---|", "> ", "**", "e.g.", "vLLM",  # noqa: E501
     "Sources", "Sources:", ":", '{"answer": "', '"}', "---", "According to source 1, ", "U.S.", "...", "x", "(", ")", '"'],  # noqa: E501
)  # fmt: skip
DRAFT = st.one_of(st.lists(PIECE, max_size=40).map("".join), st.text(max_size=120))


@settings(max_examples=400, deadline=None)
@given(DRAFT, st.data())
def test_a_draft_gives_the_same_claims_streamed_and_whole(draft: str, data: st.DataObject) -> None:
    whole = read_claims(draft)
    reader = ClaimReader()
    streamed = []
    position = 0
    while position < len(draft):
        size = data.draw(st.integers(1, 12))
        streamed += reader.feed(draft[position : position + size])
        position += size
    assert [*streamed, *reader.close()] == whole


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_string_inside_json_is_read_as_if_it_stood_alone(text: str) -> None:
    inside = [(c.text, c.cited) for c in read_claims(json.dumps({"answer": text}))]
    assert inside == [(c.text, c.cited) for c in read_claims(text, json=False)]
