"""The relevance gate: is there anything in the list that can answer this? Decided before any generator is called.

A logistic model over the retriever's signals, fitted on questions of our own (evals/calibration.tsv) against an index
of notes alone and one with fetched texts. ``evals/fit_gate.py`` prints the coefficients.
"""

from __future__ import annotations

import math

from accelrag.retriever import Signals

__all__ = ["THRESHOLD", "relevance"]

THRESHOLD = 0.5
# A question in Chinese, Japanese or Korean has no words for the model below and, where its n-grams match, no cosine.
_GRAMS = 0.45
_STEEP = 12.0
_BIAS = -8.37
_WEIGHTS = {"cosine": 9.25, "known": 2.35, "found": 0.54, "noted": 5.95, "named": 2.04}


def relevance(signals: Signals) -> float:
    """Probability, 0 to 1, that the list answers the question."""
    spoken = 1 / (1 + math.exp(-_STEEP * (signals.grams - _GRAMS)))
    if signals.terms == 0 and not signals.named:
        return spoken if signals.grams else 0.0
    x = _BIAS + sum(weight * float(getattr(signals, name)) for name, weight in _WEIGHTS.items())
    return max(1 / (1 + math.exp(-x)), spoken if signals.grams else 0.0)
