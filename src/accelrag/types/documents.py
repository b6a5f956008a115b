"""What was read for an entry, or why nothing was, and the passages that a text is cut into."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from accelrag.types.entries import Coverage

__all__ = ["Document", "Failure", "Passage"]


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

    def to_dict(self) -> dict[str, Any]:
        """The document as JSON, with where it came from."""
        return {
            "id": self.id,
            "entry": self.entry_id,
            "title": self.title,
            "coverage": self.coverage,
            "source": self.source,
            "fetched_at": self.fetched_at or None,
            "revision": self.revision or None,
            "licence": self.licence or None,
            "authors": list(self.authors),
            "published": self.published or None,
            "metadata": dict(self.metadata),
            "stale": self.stale,
            "text": self.text,
        }


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

    def to_dict(self) -> dict[str, Any]:
        """The failure as JSON."""
        return {"reason": self.reason, "detail": self.detail, "url": self.url}


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
