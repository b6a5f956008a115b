"""What a list names: entries, the places at which they are listed, lines that gave none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

__all__ = ["KINDS", "ROLES", "Coverage", "Entry", "EntryLink", "Kind", "Place", "Role", "Skipped"]

Kind = Literal["paper", "repository", "documentation", "book", "course", "video", "article", "website"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Coverage = Literal["full", "abstract", "readme", "page", "note"]
Role = Literal[
    "paper", "pdf", "doi", "code", "site", "docs", "book", "article", "video", "slides", "demo", "dataset", "model",
    "wiki", "package", "chat", "social", "author", "other",
]  # fmt: skip
ROLES: tuple[Role, ...] = get_args(Role)


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
class EntryLink:
    """A link of an entry and what it leads to. ``text`` is how the list shows it, white space collapsed."""

    url: str
    role: Role = "other"
    text: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A resource of the list: one canonical URL with every place at which the list names it.

    ``id`` depends on ``key`` alone, so it is stable under reordering, renaming and re-noting. ``links`` are all its
    links, the primary one first; ``also`` are the addresses of the others. ``authors``, ``year`` and ``venue`` are
    what the list itself says; ``year`` is None and ``venue`` empty where it says nothing.
    """

    id: str
    key: str
    url: str
    kind: Kind
    places: tuple[Place, ...]
    also: tuple[str, ...] = ()
    links: tuple[EntryLink, ...] = ()
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""

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

    def to_dict(self, coverage: Coverage = "note") -> dict[str, Any]:
        """The entry as JSON, with how much of it was read."""
        return {
            "id": self.id,
            "title": self.title,
            "url": self.url,
            "also": list(self.also),
            "links": [{"url": link.url, "role": link.role, "text": link.text} for link in self.links],
            "authors": list(self.authors),
            "year": self.year,
            "venue": self.venue,
            "sections": [list(path) for path in self.sections],
            "note": self.note,
            "kind": self.kind,
            "coverage": coverage,
            "lists": [name for name in self.lists if name],
            "lines": [p.line for p in self.places if p.line],
        }


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line of a list that holds a link and gave no entry."""

    line: int
    text: str
    reason: str
