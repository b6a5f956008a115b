from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.answer import THRESHOLD, relevance
from accelrag.retriever import Signals

SHARE = st.floats(0, 1)
SIGNALS = st.builds(
    Signals,
    cosine=st.floats(-1, 1),
    known=SHARE,
    found=SHARE,
    noted=SHARE,
    named=st.booleans(),
    terms=st.integers(0, 9),
)


@given(SIGNALS)
def test_relevance_is_a_probability(signals):
    assert 0 <= relevance(signals) <= 1


@given(SIGNALS, st.sampled_from(["cosine", "known", "found", "noted", "grams"]), SHARE)
def test_more_of_any_signal_is_never_less_relevant(signals, name, more):
    better = replace(signals, **{name: max(getattr(signals, name), more)})
    assert relevance(better) >= relevance(signals) - 1e-12


@given(SIGNALS)
def test_a_question_without_a_content_word_is_refused(signals):
    assert relevance(replace(signals, terms=0, named=False)) == 0.0


@pytest.mark.parametrize(
    ("signals", "answered"),
    [
        (Signals(cosine=0.6, known=1, found=1, noted=0.8, terms=4), True),
        (Signals(cosine=0.25, known=0.3, found=0.2, noted=0.1, terms=4), False),
        (Signals(cosine=0.3, known=0.5, found=0.5, noted=0.5, named=True, terms=2), True),
        (Signals(grams=1.0), True),
        (Signals(grams=0.2), False),
        (Signals(), False),
    ],
)
def test_plain_cases(signals, answered):
    assert (relevance(signals) >= THRESHOLD) is answered
