"""Two rankings -> one score a passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Fusion", "fuse"]

_RRF = 60  # Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", https://doi.org/10.1145/1571941.1572114
Ranking = Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Fusion:
    """How two rankings become one. ``method`` is sum, rrf, dense or lexical; the last three are for comparison."""

    method: str = "sum"
    dense_weight: float = 0.45
    text_share: float = 0.3
    title_boost: float = 0.3
    section_boost: float = 0.2
    identifier_boost: float = 0.4


def fuse(dense: Ranking, lexical: Ranking, fusion: Fusion) -> dict[int, float]:
    """``passage id -> score`` in [0, 1] of two rankings, each best first."""
    method = fusion.method
    if method == "rrf":
        fused: dict[int, float] = defaultdict(float)
        for side in (dense, lexical):
            for rank, (i, _) in enumerate(side, start=1):
                fused[i] += 1 / (_RRF + rank)
        return {i: score * (_RRF + 1) / 2 for i, score in fused.items()}
    share = {"dense": 1.0, "lexical": 0.0}.get(method, fusion.dense_weight)
    if not lexical and method == "sum":
        share = 1.0
    elif not dense:
        share = 0.0
    left, right = _normalised(dense), _normalised(lexical)
    return {i: share * left.get(i, 0.0) + (1 - share) * right.get(i, 0.0) for i in {**left, **right}}


def _normalised(ranked: Ranking) -> dict[int, float]:
    if not ranked:
        return {}
    low, high = ranked[-1][1], ranked[0][1]
    if len(ranked) == 1 or high - low < 1e-9:
        return {i: 1.0 for i, _ in ranked}
    return {i: (score - low) / (high - low) for i, score in ranked}
