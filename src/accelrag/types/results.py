"""What a query is restricted to, and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelrag.types.documents import Passage
from accelrag.types.entries import Coverage, Entry

__all__ = ["Filters", "Hit", "Result"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is restricted to; empty means everything."""

    sections: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is restricted."""
        return not (self.sections or self.kinds or self.entries or self.lists)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a query found. Scores are fused into [0, 1]; ``dense`` is a cosine, ``lexical`` is BM25."""

    passage: Passage
    score: float
    dense: float = 0.0
    lexical: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The passage as JSON, with its score."""
        p = self.passage
        return {
            "text": p.text,
            "start": p.start,
            "end": p.end,
            "heading": " > ".join(p.heading),
            "score": round(self.score, 4),
            "document": p.document_id,
            "page": p.page or None,
        }


@dataclass(frozen=True, slots=True)
class Result:
    """An entry that a query found, with its hits, best first."""

    rank: int
    entry: Entry
    coverage: Coverage
    score: float
    hits: tuple[Hit, ...]
    dense: float = 0.0
    lexical: float = 0.0
    boost: float = 0.0
    why: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The entry as JSON, with its best passages and what its score is made of."""
        return {
            "rank": self.rank,
            "score": round(self.score, 4),
            "entry": self.entry.to_dict(self.coverage),
            "passages": [hit.to_dict() for hit in self.hits],
            "scores": {
                "dense": round(self.dense, 4),
                "lexical": round(self.lexical, 4),
                "boost": round(self.boost, 4),
            },
            "why": list(self.why),
        }
