"""How many inverted lists a search has to look into, measured against exact search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelrag.stores.protocol import Vectors

__all__ = ["TARGET", "choose_probes", "exact_best", "question_like"]

TARGET = 0.98  # recall@10 that a build aims at; what it reached is in the manifest
_QUESTIONS = 200
_NEAR = 0.6  # cosine of a question to the passage that answers it, as MiniLM's are
_BLOCK = 65_536
_TOP = 10


def choose_probes(index: Any, rows: Vectors, *, proposed: int) -> dict[str, Any]:
    """Set ``index.nprobe`` to the smallest power of two that reaches ``TARGET``; the choice and its recall@10.

    ``proposed`` candidates a result are scored exactly, as a search does.
    """
    questions = question_like(rows, _QUESTIONS)
    wanted = exact_best(rows, questions, _TOP)
    probes, recall = 4, 0.0
    while True:
        index.nprobe = min(probes, index.nlist)
        _, found = index.search(questions, proposed * 100)
        recall = float(np.mean([len(np.intersect1d(w, f)) / len(w) for w, f in zip(wanted, found, strict=True)]))
        if recall >= TARGET or index.nprobe == index.nlist:
            break
        probes *= 2
    return {"probes": int(index.nprobe), "recall@10": round(recall, 4)}


def question_like(rows: Vectors, count: int, *, seed: int = 0) -> Vectors:
    """Unit vectors as far from a passage as a question is from its answer, shape ``(count, dimension)``."""
    random = np.random.default_rng(seed)
    picked = np.sort(random.choice(len(rows), min(count, len(rows)), replace=False))
    near = np.ascontiguousarray(rows[picked], dtype=np.float32)
    noise = random.standard_normal(near.shape).astype(np.float32)
    noise -= (noise * near).sum(axis=1, keepdims=True) * near
    noise /= np.linalg.norm(noise, axis=1, keepdims=True) + 1e-12
    made: Vectors = (_NEAR * near + np.sqrt(1 - _NEAR**2) * noise).astype(np.float32)
    return made


def exact_best(rows: Vectors, questions: Vectors, top: int) -> NDArray[np.int64]:
    """The ids of the nearest ``top`` rows of each question, shape ``(len(questions), top)``, by reading all rows."""
    scores = np.full((len(questions), 0), -np.inf, dtype=np.float32)
    ids = np.zeros((len(questions), 0), dtype=np.int64)
    for at in range(0, len(rows), _BLOCK):
        block = questions @ np.asarray(rows[at : at + _BLOCK], dtype=np.float32).T
        scores = np.concatenate([scores, block], axis=1)
        new = np.broadcast_to(np.arange(at, at + block.shape[1]), block.shape)
        ids = np.concatenate([ids, new], axis=1)
        best = np.argpartition(-scores, min(top, scores.shape[1] - 1), axis=1)[:, :top]
        scores, ids = np.take_along_axis(scores, best, axis=1), np.take_along_axis(ids, best, axis=1)
    return ids
