"""The values that flow through accelrag. One noun means one thing everywhere.

    list -> Entry -> Document | Failure -> Passage -> Hit -> Claim -> Citation | Rejection -> Answer

Everything here is frozen, holds no behaviour beyond deriving one field from another, and imports nothing of ours.
Offsets are counted in Unicode code points into ``Document.text``; ``end`` is exclusive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

__all__ = [
    "KINDS",
    "Answer",
    "Citation",
    "Claim",
    "Coverage",
    "Document",
    "Entry",
    "Failure",
    "Hit",
    "Kind",
    "Passage",
    "Place",
    "Progress",
    "Rejection",
    "Result",
    "Sentence",
    "Skipped",
    "Turn",
    "Verdict",
]

Kind = Literal["paper", "repository", "documentation", "book", "course", "video", "article", "website"]
KINDS: tuple[Kind, ...] = (
    "paper",
    "repository",
    "documentation",
    "book",
    "course",
    "video",
    "article",
    "website",
)
Coverage = Literal["full", "abstract", "readme", "page", "note"]
Verdict = Literal["supported", "partial", "unsupported"]


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a list at which an entry stands."""

    title: str
    sections: tuple[str, ...]
    note: str
    label: str = ""
    line: int = 0
    list_name: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A resource of the list: one canonical URL with every place at which the list names it.

    ``id`` depends on ``key`` alone, so it is stable under reordering, renaming and re-noting.
    """

    id: str
    key: str
    url: str
    kind: Kind
    places: tuple[Place, ...]
    also: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title at the first place."""
        return self.places[0].title

    @property
    def titles(self) -> tuple[str, ...]:
        """Every distinct title, in list order."""
        return tuple(dict.fromkeys(p.title for p in self.places if p.title))

    @property
    def sections(self) -> tuple[tuple[str, ...], ...]:
        """Every distinct section path, in list order."""
        return tuple(dict.fromkeys(p.sections for p in self.places))

    @property
    def notes(self) -> tuple[str, ...]:
        """Every distinct note, in list order."""
        return tuple(dict.fromkeys(p.note for p in self.places if p.note))

    @property
    def note(self) -> str:
        """The distinct notes, one after the other."""
        return " ".join(self.notes)

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists that hold the entry."""
        return tuple(dict.fromkeys(p.list_name for p in self.places))


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line of a list that holds a link and gave no entry."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """The text behind an entry, as fetched and cleaned, with where it came from."""

    id: str
    entry_id: str
    text: str
    coverage: Coverage
    title: str = ""
    source: str = ""
    fetched_at: str = ""  # ISO 8601 in UTC
    revision: str = ""  # an ETag, a Last-Modified or an arXiv version: compared, never parsed
    licence: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""  # ISO 8601 date, possibly the year alone
    metadata: Mapping[str, str] = field(default_factory=dict)  # doi, eprint, venue, primary_class, ...
    pages: tuple[int, ...] = ()  # offset at which each page starts, for paged sources
    markdown: bool = False
    stale: bool = False

    @property
    def digest(self) -> str:
        """SHA-256 of the text, hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no document behind an entry."""

    entry_id: str
    reason: str  # a word of a closed set: see accelrag.sources
    detail: str = ""
    url: str = ""
    permanent: bool = False
    failed_at: str = ""
    attempts: int = 1

    @property
    def note_only(self) -> bool:
        """Whether nothing was expected: the curator's note is all that can be had."""
        return self.reason == "note-only"


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of a document: ``document.text[start:end] == text``."""

    id: int
    document_id: str
    entry_id: str
    start: int
    end: int
    text: str
    heading: tuple[str, ...] = ()
    page: int = 0  # 1-based; 0 where the source has no pages

    @property
    def is_note(self) -> bool:
        """Whether this is the entry's own passage, made of its titles, notes and sections."""
        return self.document_id.startswith("note:")


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a query found. Scores are fused into [0, 1]; ``dense`` is a cosine, ``lexical`` is BM25."""

    passage: Passage
    score: float
    dense: float = 0.0
    lexical: float = 0.0


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


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a draft with the source numbers that it names."""

    text: str
    cited: tuple[int, ...] = ()
    lead: str = ""  # white space or list mark that stands before it in the draft


@dataclass(frozen=True, slots=True)
class Citation:
    """A checked quote: ``document.text[start:end] == quote``."""

    n: int
    entry: Entry
    coverage: Coverage
    document: str
    quote: str
    start: int
    end: int
    page: int = 0
    source: str = ""
    fetched_at: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer. ``citations`` are numbers of the answer's citations."""

    text: str
    citations: tuple[int, ...]
    support: float
    verdict: Verdict
    lead: str = ""
    quotes: tuple[Citation, ...] = ()  # the text behind this very sentence, where that is not the citation's own


@dataclass(frozen=True, slots=True)
class Rejection:
    """A claim that did not hold, and why."""

    text: str
    reason: str
    cited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person gets. ``refused`` is true exactly when ``sentences`` is empty."""

    question: str
    answer: str
    refused: bool
    reason: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    rejections: tuple[Rejection, ...]
    also: tuple[Result, ...]
    support: float
    model: str
    timings: Mapping[str, float] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    query: str = ""  # the standalone question that was searched
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked before in a conversation, as it was searched, and what came of it."""

    question: str
    query: str
    answer: str
    entries: tuple[str, ...] = ()  # ids of the entries cited, in order
    refused: bool = False
    also: tuple[str, ...] = ()  # ids of the entries found besides


class Progress(Protocol):
    """Told how far a long run is. Names of tasks are words for people; ``total`` is None while it is unknown."""

    def start(self, task: str, total: int | None) -> None:
        """A task begins."""
        ...

    def advance(self, task: str, count: int = 1) -> None:
        """``count`` more of it is done."""
        ...

    def done(self, task: str) -> None:
        """A task is over."""
        ...
