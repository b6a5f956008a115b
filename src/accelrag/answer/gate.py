"""The relevance gate: is there anything in the list that can answer this? Decided before any generator is called.

A logistic model over the retriever's signals, fitted on questions of our own (evals/calibration.tsv) against an index
of notes alone and one with fetched texts. ``evals/fit_gate.py`` prints the coefficients.
"""

from __future__ import annotations

import math

from accelrag.retriever import Signals

__all__ = ["THRESHOLD", "relevance"]

THRESHOLD = 0.5
_BIAS = -8.37
_WEIGHTS = {"cosine": 9.25, "known": 2.35, "found": 0.54, "noted": 5.95, "named": 2.04}


def relevance(signals: Signals) -> float:
    """Probability, 0 to 1, that the list answers the question."""
    if signals.terms == 0:
        return 0.0
    x = _BIAS + sum(weight * float(getattr(signals, name)) for name, weight in _WEIGHTS.items())
    return 1 / (1 + math.exp(-x))
