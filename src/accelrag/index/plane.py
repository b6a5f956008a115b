"""Vectors -> a plane on which near means alike: the map of a list.

scikit-learn's t-SNE (van der Maaten and Hinton, https://jmlr.org/papers/v9/vandermaaten08a.html), begun from
principal components and so without chance; it is loaded by a build alone. Few points, and more than ``NEIGHBOURLY``,
are laid out by their principal components.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["NEIGHBOURLY", "points_of"]

NEIGHBOURLY = 3_000  # points: beyond, t-SNE takes longer than it is worth
_NEIGHBOURS = 18.0  # how many neighbours a point minds (perplexity)
_TOGETHER = 0.35  # how far a vector is drawn towards its group's mean

Points = NDArray[np.float32]


def points_of(vectors: Points, groups: Sequence[str]) -> Points:
    """Positions of shape ``(len(vectors), 2)`` in [-1, 1]; members of a group are drawn together."""
    drawn = _drawn_together(np.asarray(vectors, dtype=np.float32), groups)
    some = 3 * _NEIGHBOURS < len(drawn) <= NEIGHBOURLY and bool(np.ptp(drawn, axis=0).any())
    plane = _neighbourly(drawn) if some else _principal(drawn)
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


def _neighbourly(vectors: Points) -> Points:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # many threads wait for each other longer than they work, and add up in any order
        found: Points = TSNE(2, perplexity=_NEIGHBOURS, init="pca", random_state=0, n_jobs=1).fit_transform(vectors)
    return found
