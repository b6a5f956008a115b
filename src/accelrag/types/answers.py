"""What a question came to: claims, checked quotes, sentences, rejected claims, the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from accelrag.types.entries import Coverage, Entry
from accelrag.types.rendering import answer_as_markdown, answer_as_text
from accelrag.types.results import Result

__all__ = ["Answer", "Citation", "Claim", "Rejection", "Sentence", "Turn", "Verdict"]

Verdict = Literal["supported", "partial", "unsupported"]


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

    def to_dict(self) -> dict[str, Any]:
        """The quote as JSON, with its entry and where it is read."""
        return {
            "n": self.n,
            "entry": self.entry.to_dict(self.coverage),
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "document": self.document,
            "page": self.page or None,
            "source": self.source,
            "fetched_at": self.fetched_at or None,
        }


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer. ``citations`` are numbers of the answer's citations."""

    text: str
    citations: tuple[int, ...]
    support: float
    verdict: Verdict
    lead: str = ""
    quotes: tuple[Citation, ...] = ()  # the text behind this very sentence, where that is not the citation's own

    def __str__(self) -> str:
        """The sentence with its markers, without what leads it in."""
        markers = "".join(f"[{n}]" for n in self.citations)
        return f"{self.text} {markers}" if markers else self.text

    def to_dict(self) -> dict[str, Any]:
        """The sentence as JSON, with the quotes behind it."""
        quotes = [
            {"n": q.n, "quote": q.quote, "start": q.start, "end": q.end, "document": q.document} for q in self.quotes
        ]
        return {
            "text": self.text,
            "citations": list(self.citations),
            "support": self.support,
            "verdict": self.verdict,
            "quotes": quotes,
        }


@dataclass(frozen=True, slots=True)
class Rejection:
    """A claim that did not hold, and why."""

    text: str
    reason: str
    cited: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The rejected claim as JSON."""
        return {"text": self.text, "reason": self.reason, "cited": list(self.cited)}


@dataclass(frozen=True, slots=True, repr=False)
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

    def __str__(self) -> str:
        """The answer as plain text, with its sources, as a terminal without colour shows it."""
        return answer_as_text(self)

    def __repr__(self) -> str:
        what = self.reason if self.refused else self.answer
        short = " ".join(what.split())
        short = short if len(short) <= 60 else f"{short[:59]}…"
        return f"<Answer to {self.question[:60]!r}: {short!r}, {len(self.citations)} citations>"

    def _repr_markdown_(self) -> str:  # https://ipython.readthedocs.io/en/stable/config/integrating.html
        return answer_as_markdown(self)

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON, with everything that supports it: what `accelrag ask --json` prints."""
        return {
            "question": self.question,
            "answer": self.answer,
            "refused": self.refused,
            "reason": self.reason,
            "sentences": [s.to_dict() for s in self.sentences],
            "citations": [c.to_dict() for c in self.citations],
            "rejections": [r.to_dict() for r in self.rejections],
            "also": [r.to_dict() for r in self.also],
            "support": self.support,
            "model": self.model,
            "notices": list(self.notices),
            "query": self.query,
            "timings": {name: round(seconds, 4) for name, seconds in self.timings.items()},
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked before in a conversation, as it was searched, and what came of it."""

    question: str
    query: str
    answer: str
    entries: tuple[str, ...] = ()  # ids of the entries cited, in order
    refused: bool = False
    also: tuple[str, ...] = ()  # ids of the entries found besides

    @classmethod
    def of(cls, answer: Answer) -> Turn:
        """What a follow-up needs to know of an answer. The one way for terminal, page, MCP and Python."""
        cited = tuple(dict.fromkeys(c.entry.id for c in answer.citations))
        also = tuple(r.entry.id for r in answer.also)
        return cls(answer.question, answer.query or answer.question, answer.answer, cited, answer.refused, also)
