"""The optional cross-encoders: one that reorders the hits, one that judges whether a quote entails a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accelrag.settings import Settings

__all__ = ["Judges"]


class Judges:
    """What ``--rerank`` and ``--verifier`` name. Each model loads at its first use and stays loaded."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._reranker: Callable[[Sequence[tuple[str, str]]], list[float]] | None = None
        self._judge: Callable[[Sequence[tuple[str, str]]], list[float]] | None = None

    @property
    def rerank(self) -> Callable[[str, Sequence[str]], Sequence[float]] | None:
        """Scores of texts for a query; None where no model is named."""
        return self._rerank if self._settings.rerank else None

    @property
    def entails(self) -> Callable[[Sequence[tuple[str, str]]], Sequence[float]] | None:
        """The probability of each pair (evidence, claim) that the first entails the second."""
        return self._entails if self._settings.verifier else None

    def _rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        if self._reranker is None:
            from accelrag.embedding.cross_encoder import open_relevance

            self._reranker = open_relevance(self._settings.rerank)
        return self._reranker([(query, text) for text in texts])

    def _entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        if self._judge is None:
            from accelrag.embedding.cross_encoder import open_entailment

            self._judge = open_entailment(self._settings.verifier)
        return self._judge(pairs)
