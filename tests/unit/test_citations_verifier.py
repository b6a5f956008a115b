from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelrag.citations import CheckedClaim, Numbering, Verifier, read_claims
from accelrag.text.sentences import sentences
from accelrag.types import Claim, Rejection
from fake_sources import DOCUMENTS, PAGE, SOURCES, TILE, encode, source


def verifier(**options: object) -> Verifier:
    return Verifier(encode, DOCUMENTS.__getitem__, **options)  # type: ignore[arg-type]


def verdict(text: str, *cited: int) -> CheckedClaim | Rejection:
    return verifier().verify(Claim(text, cited), SOURCES)


TRUE = [
    (1, "TileFlow computes exact attention in tiles that stay in on-chip memory."),
    (1, "TileFlow runs 2.5 times faster than StreamAttend on the X200."),
    (1, "TileFlow is 2.5× faster than StreamAttend on the X200 chip."),
    (1, "On the X200 chip TileFlow uses 40 percent less memory."),
    (1, "TileFlow does not approximate the softmax."),
    (1, "The authors trained a model with 7B parameters on 64 chips."),
    (1, "They trained the model of 7,000,000,000 parameters in three days."),
    (1, "TileFlow reduces the latency by 31%."),
    (1, "TileFlow saves 12.5% of energy."),
    (2, "PageStore serves three times more requests than SlabServe."),
    (2, "Fragmentation wastes under 4% of the memory."),
    (2, "PageStore supports the FP8 format."),
    (2, "PageStore was presented in October 2023."),
    (3, "BitPress compresses weights to 4 bits and needs no retraining."),
    (3, "BitPress runs on the EdgeOne accelerator."),
]
FALSE = [
    (1, "TileFlow runs 3.5x faster than StreamAttend on the X200 chip.", "does not say 3.5x"),
    (1, "On the X200 chip TileFlow uses 40x less memory.", "does not say 40x"),
    (1, "TileFlow runs 2.5x faster than StreamAttend on the X300 chip.", "X300 is not"),
    (1, "StreamAttend runs 2.5x faster than TileFlow on the X200 chip.", "the other way round"),
    (1, "TileFlow runs 2.5x slower than StreamAttend on the X200 chip.", "faster, not slower"),
    (1, "TileFlow approximates the softmax.", "denies it"),
    (1, "TileFlow does not reduce the reads and writes of off-chip memory.", "does not deny it"),
    (1, "TileFlow increases the reads and writes of off-chip memory.", "not increases"),
    (1, "The authors trained a model with 7 million parameters on 64 chips.", "does not say 7 million"),
    (1, "The authors trained the model on 64 chips in 3 weeks.", "does not say 3 weeks"),
    (1, "TileFlow saves 31% of energy.", "12.5%, not 31%"),
    (2, "PageStore supports the FP16 format.", "FP16 is not"),
    (2, "PageStore was presented in November 2023.", "November is not"),
    (2, "PageStore was presented in October 2021.", "does not say 2021"),
    (2, "Fragmentation wastes less than 14% of the memory.", "does not say 14%"),
    (3, "BitPress compresses weights to 4 bits with retraining.", "denies it|without, not with"),
    (3, "BitPress keeps weights in 16 bits.", "16 bits|nothing"),
    (3, "BitPress was written by volunteers in Rust.", "Rust is not"),
    (3, "BitPress paints landscapes for museums and galleries.", "nothing in the source"),
]


@pytest.mark.parametrize(("n", "text"), TRUE)
def test_what_the_cited_source_says_holds_in_other_words(n: int, text: str) -> None:
    result = verdict(text, n)
    assert isinstance(result, CheckedClaim), result
    assert [e.source.n for e in result.evidence] == [n]


@pytest.mark.parametrize(("n", "text", "why"), FALSE)
def test_a_changed_number_name_or_denial_falls_and_the_reason_names_it(n: int, text: str, why: str) -> None:
    result = verdict(text, n)
    assert isinstance(result, Rejection), result.evidence
    assert any(part in result.reason for part in why.split("|")), result.reason


def test_a_wrong_marker_is_mended_when_another_source_says_it() -> None:
    result = verdict("PageStore serves 3 times more requests than SlabServe.", 1)
    assert isinstance(result, CheckedClaim)
    assert [e.source.n for e in result.evidence] == [2]
    assert result.reattributed


def test_a_sentence_without_a_marker_is_attributed() -> None:
    result = verdict("BitPress runs on the EdgeOne accelerator.")
    assert isinstance(result, CheckedClaim)
    assert [e.source.n for e in result.evidence] == [3]
    assert not result.reattributed


def test_each_source_cited_that_says_it_is_kept_and_no_other() -> None:
    twin = replace(source(4, "TileFlow twin", TILE))
    check = Verifier(encode, {**DOCUMENTS, "text:id4": TILE, "note:id4": "TileFlow twin\nTest"}.__getitem__)
    result = check.verify(Claim("TileFlow does not approximate the softmax.", (2, 1, 4)), [*SOURCES, twin])
    assert isinstance(result, CheckedClaim)
    assert [e.source.n for e in result.evidence] == [1, 4]


def test_a_sentence_that_joins_two_sources_holds_by_its_parts() -> None:
    text = "TileFlow runs 2.5x faster than StreamAttend, while PageStore serves 3 times more requests than SlabServe."
    result = verdict(text, 1, 2)
    assert isinstance(result, CheckedClaim)
    assert {e.source.n for e in result.evidence} == {1, 2}
    fell = verdict(text.replace("3 times", "5 times"), 1, 2)
    assert isinstance(fell, Rejection)


def test_markers_past_the_end_are_counted_and_cost_nothing_else() -> None:
    check = verifier()
    result = check.verify(Claim("BitPress runs on the EdgeOne accelerator.", (3, 9)), SOURCES)
    assert isinstance(result, CheckedClaim)
    assert result.unknown == (9,)
    assert check.unknown_markers == 1


def test_numbering_from_zero_is_noticed() -> None:
    check = verifier()
    first = check.verify(Claim("TileFlow does not approximate the softmax.", (0,)), SOURCES)
    second = check.verify(Claim("BitPress runs on the EdgeOne accelerator.", (2,)), SOURCES)
    assert isinstance(first, CheckedClaim)
    assert isinstance(second, CheckedClaim)
    assert first.evidence[0].source.n == 1
    assert second.evidence[0].source.n == 3
    assert not second.reattributed
    assert check.unknown_markers == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I do not know.", "do not tell"),
        ("The sources do not mention its price.", "do not tell"),
        ("Does TileFlow approximate the softmax?", "question"),
        ("The following papers cover attention:", "introduces"),
        ("Sure!", "states nothing"),
    ],
)
def test_what_states_nothing_is_no_sentence_of_an_answer(text: str, why: str) -> None:
    result = verdict(text, 1)
    assert isinstance(result, Rejection)
    assert why in result.reason


def test_a_quote_is_the_documents_own_text_at_its_offsets() -> None:
    result = verdict("TileFlow runs 2.5x faster than StreamAttend.", 1)
    assert isinstance(result, CheckedClaim)
    piece = result.evidence[0].piece
    assert DOCUMENTS[piece.document_id][piece.start : piece.end] == piece.text
    assert piece.text.startswith("On the X200 chip")


def test_a_document_that_changed_since_gives_no_quote() -> None:
    changed = {name: text.replace("softmax", "sigmoid") for name, text in DOCUMENTS.items()}
    result = Verifier(encode, changed.__getitem__).verify(
        Claim("TileFlow does not approximate the softmax.", (1,)), SOURCES
    )
    assert isinstance(result, Rejection)
    assert "changed" in result.reason


def test_an_entailment_model_decides_where_one_is_given() -> None:
    asked = []

    def entails(pairs: Sequence[tuple[str, str]]) -> list[float]:
        asked.extend(pairs)
        return [0.05 for _ in pairs]

    result = verifier(entails=entails).verify(Claim("BitPress runs on the EdgeOne accelerator.", (3,)), SOURCES)
    assert isinstance(result, Rejection)
    assert ("BitPress runs on the EdgeOne accelerator.", "BitPress runs on the EdgeOne accelerator.") in asked


def test_hidden_text_of_a_source_supports_nothing() -> None:
    text = "Chips are fast. <!-- TileFlow is free for all. --> They are small."
    hidden = source(5, "Chips", text)
    documents = {p.document_id: p.text for p in hidden.passages}
    result = Verifier(encode, documents.__getitem__).verify(Claim("TileFlow is free for all.", (5,)), [hidden])
    assert isinstance(result, Rejection)


def test_numbers_run_from_one_without_gaps_in_order_of_first_use_and_one_an_entry() -> None:
    check, numbering = verifier(), Numbering()
    shown = []
    for text, cited in [
        ("BitPress runs on the EdgeOne accelerator.", (3,)),
        ("TileFlow does not approximate the softmax.", (1,)),
        ("BitPress compresses weights to 4 bits without retraining.", (3,)),
    ]:
        result = check.verify(Claim(text, cited), SOURCES)
        assert isinstance(result, CheckedClaim)
        shown.append(numbering.cite(result))
    assert [s.citations for s in shown] == [(1,), (2,), (1,)]
    assert [(c.n, c.entry.title) for c in numbering.citations] == [(1, "BitPress"), (2, "TileFlow")]
    assert shown[0].quotes[0].quote != shown[2].quotes[0].quote
    assert all(q.n == n for s in shown for q, n in zip(s.quotes, s.citations, strict=True))


SPANS = [(text, a, b) for text in (TILE, PAGE) for a, b in sentences(text)]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SPANS), st.integers(0, 4))
def test_a_sentence_taken_from_a_passage_is_supported_by_that_very_sentence(
    span: tuple[str, int, int], n: int
) -> None:
    text, a, b = span
    result = verdict(text[a:b], n)
    assert isinstance(result, CheckedClaim), result
    piece = result.evidence[0].piece
    assert (piece.start, piece.end) == (a, b)
    assert result.support == 1.0


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80), st.lists(st.integers(0, 5), max_size=3))
def test_any_text_gets_a_verdict(text: str, cited: list[int]) -> None:
    result = verdict(text, *cited)
    if isinstance(result, CheckedClaim):
        for evidence in result.evidence:
            piece = evidence.piece
            assert DOCUMENTS[piece.document_id][piece.start : piece.end] == piece.text


def test_claims_of_a_draft_come_out_numbered_as_if_read_whole() -> None:
    draft = "BitPress runs on the EdgeOne accelerator [3]. TileFlow does not approximate the softmax [1]."
    check, numbering = verifier(), Numbering()
    results = [check.verify(c, SOURCES) for c in read_claims(draft)]
    assert [numbering.cite(r).citations for r in results if isinstance(r, CheckedClaim)] == [(1,), (2,)]
