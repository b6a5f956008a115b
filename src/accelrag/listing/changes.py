"""Two states of a list -> what happened between them, in people's words and as JSON. Pure.

Entries are matched by id, so an entry under another address is one removed and one added. The order of entries, and
the order of one entry's places, carry no meaning: a list that was only reordered has not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from accelrag.types import Entry

__all__ = ["Change", "Changes", "compare", "shrank_too_much"]

_SECTION_MARK = " › "
_NAMED_IN_A_GROUP = 3


@dataclass(frozen=True, slots=True)
class Change:
    """An entry as it is now, with one of its sides before and after: distinct values, sorted."""

    entry: Entry
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened. ``bool(changes)`` says whether anything did.

    ``moved`` holds sections (steps joined by " › "), ``renamed`` titles, ``renoted`` labels and notes, ``relinked``
    the spelling of the address and the other links. An entry stands in each group that applies to it.
    """

    added: tuple[Entry, ...] = ()
    removed: tuple[Entry, ...] = ()
    moved: tuple[Change, ...] = ()
    renamed: tuple[Change, ...] = ()
    renoted: tuple[Change, ...] = ()
    relinked: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.touched)

    @property
    def touched(self) -> tuple[Entry, ...]:
        """Each entry that stayed and changed, once."""
        groups = (self.moved, self.renamed, self.renoted, self.relinked)
        return tuple({c.entry.id: c.entry for group in groups for c in group}.values())

    @property
    def summary(self) -> str:
        """One line of counts."""
        counts = (
            (len(self.added), "added"),
            (len(self.removed), "removed"),
            (len(self.moved), "moved"),
            (len(self.renamed), "renamed"),
            (len(self.renoted), "with another note"),
            (len(self.relinked), "with other links"),
        )
        return ", ".join(f"{n} {what}" for n, what in counts if n) or "nothing changed"

    def lines(self) -> tuple[str, ...]:
        """What happened in people's words, one change a line, moves of many entries together."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[str]:
        for entry in self.added:
            yield f"added: {entry.title} ({_places(_sections(entry))}) {entry.url}"
        for entry in self.removed:
            yield f"removed: {entry.title} ({_places(_sections(entry))}) {entry.url}"
        yield from self._moves()
        for change in self.renamed:
            yield f"renamed: {_quoted(change.before)} is now {_quoted(change.after)}"
        for change in self.renoted:
            yield f"new note: {change.entry.title}: {_quoted(change.before)} is now {_quoted(change.after)}"
        for change in self.relinked:
            gone = [url for url in change.before if url not in change.after]
            new = [url for url in change.after if url not in change.before]
            said = [f"without {' and '.join(gone)}"] * bool(gone) + [f"with {' and '.join(new)}"] * bool(new)
            yield f"other links: {change.entry.title}: now {', '.join(said)}"

    def _moves(self) -> Iterator[str]:
        groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        for change in self.moved:
            before = tuple(s for s in change.before if s not in change.after)
            after = tuple(s for s in change.after if s not in change.before)
            groups.setdefault((before, after), []).append(change.entry.title)
        for (before, after), titles in groups.items():
            yield f"moved: {_named(titles)} {_way(before, after)}"

    def to_dict(self) -> dict[str, Any]:
        """The same for programs: lists of objects with id, title and url, with before and after where they differ."""
        return {
            "summary": self.summary,
            "added": [{**_head(e), "sections": [list(s) for s in e.sections]} for e in self.added],
            "removed": [{**_head(e), "sections": [list(s) for s in e.sections]} for e in self.removed],
            **{
                name: [{**_head(c.entry), "before": list(c.before), "after": list(c.after)} for c in group]
                for name, group in (
                    ("moved", self.moved),
                    ("renamed", self.renamed),
                    ("renoted", self.renoted),
                    ("relinked", self.relinked),
                )
            },
        }


def compare(old: Sequence[Entry], new: Sequence[Entry]) -> Changes:
    """What happened between two states of a list, in the order of the new one; removed entries in the old order."""
    before = {entry.id: entry for entry in old}
    after = {entry.id: entry for entry in new}
    both = [(before[i], entry) for i, entry in after.items() if i in before]

    def differing(side: Callable[[Entry], tuple[str, ...]]) -> tuple[Change, ...]:
        return tuple(Change(b, side(a), side(b)) for a, b in both if side(a) != side(b))

    return Changes(
        added=tuple(entry for i, entry in after.items() if i not in before),
        removed=tuple(entry for i, entry in before.items() if i not in after),
        moved=differing(_sections),
        renamed=differing(_titles),
        renoted=differing(_notes),
        relinked=differing(_links),
    )


def shrank_too_much(old: Sequence[Entry], new: Sequence[Entry]) -> bool:
    """Whether more than half of the old entries are gone: the sign of an error page or a wrong file."""
    kept = {entry.id for entry in new}
    gone = {entry.id for entry in old} - kept
    return 2 * len(gone) > len({entry.id for entry in old})


def _sections(entry: Entry) -> tuple[str, ...]:
    return tuple(sorted({_SECTION_MARK.join(p.sections) for p in entry.places}))


def _titles(entry: Entry) -> tuple[str, ...]:
    return tuple(sorted({p.title for p in entry.places}))


def _notes(entry: Entry) -> tuple[str, ...]:
    said = (f"{p.label}: {p.note}" if p.label else p.note for p in entry.places)
    return tuple(sorted({text for text in said if text}))


def _links(entry: Entry) -> tuple[str, ...]:
    return tuple(sorted({entry.url, *entry.also}))


def _head(entry: Entry) -> dict[str, str]:
    return {"id": entry.id, "title": entry.title, "url": entry.url}


def _places(sections: Sequence[str]) -> str:
    return " and ".join(section or "top of the list" for section in sections)


def _quoted(texts: Sequence[str]) -> str:
    return " / ".join(f"“{text}”" for text in texts) or "nothing"


def _named(titles: Sequence[str]) -> str:
    if len(titles) <= _NAMED_IN_A_GROUP:
        return ", ".join(titles)
    return f"{len(titles)} entries ({', '.join(titles[:_NAMED_IN_A_GROUP])}, ...)"


def _way(before: Sequence[str], after: Sequence[str]) -> str:
    if not before:
        return f"also to {_places(after)}"
    if not after:
        return f"out of {_places(before)}"
    return f"from {_places(before)} to {_places(after)}"
