"""What a store of passages is: cosines from the one side, BM25 scores from the other, each by kind of evidence.

A store ranks and scores, it never fuses: every store gives the same two numbers for a passage, so that scores, the
gate and explanations mean the same wherever the passages are kept. Ids are those of ``Passage``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from accelrag.types import Entry, Passage

__all__ = [
    "DenseStore",
    "Evidence",
    "LexicalQuery",
    "LexicalStore",
    "Ranking",
    "Rows",
    "Scope",
    "StoreWriter",
    "Vectors",
    "evidence_of",
]

Evidence = Literal["note", "text"]  # what the list says of an entry, what was read behind its link
Ranking = list[tuple[int, float]]  # (passage id, score), best first, ties by id
Vectors = NDArray[np.float32]
Rows = Callable[[], Iterator[tuple[Passage, Entry]]]  # all passages again, in order of their ids


def evidence_of(passage: Passage) -> Evidence:
    """Which kind of evidence a passage is."""
    return "note" if passage.is_note else "text"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search is restricted to, said twice: by fields, and as the ids of the passages that pass.

    A store that filters by fields reads the first, one that does not the second. Empty fields restrict nothing;
    section names are case-folded.
    """

    passages: Sequence[int]
    kinds: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """The terms of a question: ``stems`` with weights, exact ``identifiers``, CJK ``grams``."""

    stems: Mapping[str, float]
    identifiers: tuple[str, ...] = ()
    grams: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    named: tuple[str, ...] = ()  # sections that the question names: their own passages are found by that alone

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not (self.stems or self.identifiers or self.grams)


class DenseStore(Protocol):
    """Nearest neighbours among unit vectors, so that the inner product is the cosine."""

    @property
    def count(self) -> int:
        """Vectors in the store."""
        ...

    def search(
        self, query: Vectors, limit: int, *, of: Evidence | None = None, within: Scope | None = None
    ) -> Ranking:
        """``(passage id, cosine)`` of the best ``limit`` passages of a kind of evidence, or of all."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class LexicalStore(Protocol):
    """BM25 over the fields of passages."""

    @property
    def count(self) -> int:
        """Passages in the store."""
        ...

    def stem(self, word: str) -> str:
        """The stem under which a lower-case word is indexed; empty when nothing is left of it."""
        ...

    def known(self, stem: str) -> int:
        """In how many passages a stem occurs, counted in its most frequent field."""
        ...

    def known_identifier(self, identifier: str) -> int:
        """In how many passages an identifier occurs as it is."""
        ...

    def search(self, query: LexicalQuery, limit: int, *, of: Evidence | None = None) -> Ranking:
        """``(passage id, BM25)`` of the best ``limit`` passages of a kind of evidence, or of all."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class StoreWriter(Protocol):
    """Fills a new store; nobody sees it before the generation is published."""

    def add(self, passage: Passage, entry: Entry) -> None:
        """Take a passage, in order of the ids, notes first."""
        ...

    def finish(self, vectors: Vectors, notes: int, rows: Rows) -> dict[str, Any]:
        """Take the vectors, unit rows by passage id, the first ``notes`` of them of notes; how all is kept.

        ``vectors`` may be a mapped file, larger than memory.
        """
        ...

    def abandon(self) -> None:
        """The build failed: leave nothing behind."""
        ...
