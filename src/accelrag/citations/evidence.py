"""The values of verification: what was offered, what supports a claim, a claim that holds.

They stand apart from what makes them: an answer that quotes needs these alone, and the patterns of the verifier cost
a tenth of the time that ``accelrag ask`` may take.
"""

from __future__ import annotations

from dataclasses import dataclass

from accelrag.types import Claim, Coverage, Entry, Passage, Verdict

__all__ = ["CheckedClaim", "Evidence", "OfferedSource", "Piece"]


@dataclass(frozen=True, slots=True)
class OfferedSource:
    """An entry as it was offered to the generator under the number ``n``; ``texts`` are its passages as shown."""

    n: int
    entry: Entry
    coverage: Coverage
    passages: tuple[Passage, ...]
    texts: tuple[str, ...] = ()
    about: str = ""  # the document's own title and authors, where they are known


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence, or two that follow each other, of a document: ``document[start:end] == text``."""

    document_id: str
    start: int
    end: int
    text: str
    page: int = 0
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The piece of a source that supports a claim, and how well: 0 to 1."""

    source: OfferedSource
    piece: Piece
    support: float


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim that holds, with its evidence: the first is the best of the first source cited."""

    claim: Claim
    support: float
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    reattributed: bool = False
    unknown: tuple[int, ...] = ()  # numbers that name no source
