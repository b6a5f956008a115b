"""Vectors -> a plane on which near means alike: the map of a list.

Exact t-SNE (van der Maaten and Hinton, https://jmlr.org/papers/v9/vandermaaten08a.html), begun from principal
components and so without chance. scikit-learn's takes seconds to import and has more to offer than a few hundred
points need; above ``EXACT`` points the principal components are the map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT", "lay_out"]

EXACT = 800  # points: the work grows with their square
_NEIGHBOURS = 18.0  # how many neighbours a point minds (perplexity)
_STEPS, _EARLY = 300, 80
_TOGETHER = 0.35  # how far a vector is drawn towards its group's mean

Points = NDArray[np.float32]


def lay_out(vectors: Points, groups: Sequence[str]) -> Points:
    """Positions of shape ``(len(vectors), 2)`` in [-1, 1]; members of a group are drawn together."""
    drawn = _drawn_together(np.asarray(vectors, dtype=np.float32), groups)
    plane = _principal(drawn)
    if 3 * _NEIGHBOURS < len(drawn) <= EXACT:
        plane = _neighbourly(drawn, plane)
    plane = plane - (plane.max(axis=0) + plane.min(axis=0)) / 2
    scaled: Points = (plane / (np.abs(plane).max(axis=0) + 1e-12)).astype(np.float32)
    return scaled


def _drawn_together(vectors: Points, groups: Sequence[str]) -> Points:
    centred = vectors - vectors.mean(axis=0)
    names = {name: i for i, name in enumerate(dict.fromkeys(groups))}
    member = np.array([names[group] for group in groups])
    means = np.stack([centred[member == i].mean(axis=0) for i in range(len(names))])
    drawn: Points = centred + _TOGETHER * means[member]
    unit: Points = drawn / (np.linalg.norm(drawn, axis=1, keepdims=True) + 1e-12)
    return unit


def _principal(vectors: Points) -> Points:
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    # An axis has no sign of its own: the larger side points right and up, on every machine.
    plane = centred @ axes[:, :-3:-1]
    plane = plane * np.where(np.abs(plane.max(axis=0)) >= np.abs(plane.min(axis=0)), 1, -1)
    scaled: Points = plane / (np.abs(plane).max(axis=0) + 1e-12)
    return scaled


def _neighbourly(vectors: Points, start: Points) -> Points:
    count = len(vectors)
    wanted = _affinities(np.maximum(0, 2 - 2 * (vectors @ vectors.T)))
    at, speed = start * 1e-2, np.zeros_like(start)
    rate = max(count / 48, 10.0)
    for step in range(_STEPS):
        early = step < _EARLY
        squares = (at**2).sum(axis=1)
        near = 1 / (1 + np.maximum(0, squares[:, None] + squares[None] - 2 * (at @ at.T)))
        np.fill_diagonal(near, 0)
        pull = ((8.0 if early else 1.0) * wanted - near / near.sum()) * near
        speed = (0.5 if early else 0.8) * speed - rate * 4 * (pull.sum(axis=1)[:, None] * at - pull @ at)
        at = at + speed
        at -= at.mean(axis=0)
    return at


def _affinities(distances: NDArray[Any]) -> NDArray[Any]:
    """How much each pair minds each other: for each point a bell as wide as holds its neighbours, by bisection."""
    count = len(distances)
    others = ~np.eye(count, dtype=bool)
    low, high, sharp = np.zeros(count), np.full(count, np.inf), np.full(count, 4.0)
    weights = np.zeros_like(distances)
    for _ in range(30):
        weights = np.exp(-distances * sharp[:, None]) * others
        sums = weights.sum(axis=1) + 1e-12
        entropy = np.log(sums) + sharp * (distances * weights).sum(axis=1) / sums
        wide = entropy > np.log(_NEIGHBOURS)
        low, high = np.where(wide, sharp, low), np.where(wide, high, sharp)
        sharp = np.where(np.isinf(high), sharp * 2, (low + high) / 2)
    weights = weights / (weights.sum(axis=1, keepdims=True) + 1e-12)
    found: NDArray[Any] = ((weights + weights.T) / (2 * count)).astype(np.float32)
    return found
