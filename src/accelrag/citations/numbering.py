"""Citation numbers of an answer: from 1, without gaps, in order of first use, one an entry."""

from __future__ import annotations

from accelrag.citations.evidence import CheckedClaim
from accelrag.types import Citation, Sentence

__all__ = ["Numbering"]


class Numbering:
    """Turns checked claims into sentences, in the order in which they are shown; so streamed and whole agree."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._citations: list[Citation] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        """One citation an entry, each with the quote of its first use."""
        return tuple(self._citations)

    def cite(self, checked: CheckedClaim) -> Sentence:
        """The sentence with its numbers, and under ``quotes`` the text that supports it."""
        quotes: list[Citation] = []
        for evidence in checked.evidence:
            entry, piece = evidence.source.entry, evidence.piece
            new = entry.id not in self._numbers
            n = self._numbers.setdefault(entry.id, len(self._numbers) + 1)
            citation = Citation(
                n=n,
                entry=entry,
                coverage=evidence.source.coverage,
                document=piece.document_id,
                quote=piece.text,
                start=piece.start,
                end=piece.end,
                page=piece.page,
                source=entry.url,
            )
            if citation not in quotes:
                quotes.append(citation)
            if new:
                self._citations.append(citation)
        numbers = tuple(dict.fromkeys(q.n for q in quotes))
        return Sentence(
            text=checked.claim.text,
            citations=numbers,
            support=round(checked.support, 4),
            verdict=checked.verdict,
            lead=checked.claim.lead,
            quotes=tuple(quotes),
        )
