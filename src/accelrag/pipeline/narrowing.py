"""Entries by section and kind, as people name them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from accelrag.errors import UsageError
from accelrag.types import KINDS, Coverage, Entry

__all__ = ["narrowed"]


def narrowed(
    rows: Iterable[tuple[Entry, Coverage]], sections: tuple[str, ...], kinds: tuple[str, ...]
) -> list[tuple[Entry, Coverage]]:
    """The entries of one of the sections, at any depth, and are of one of the kinds.

    Raises:
        UsageError: a section or kind does not exist.
    """
    rows = list(rows)
    for kind in kinds:
        if kind.lower() not in KINDS:
            raise UsageError(f"there is no kind {kind!r}", hint=f"kinds are {', '.join(KINDS)}")
    names = {s for entry, _ in rows for path in entry.sections for s in path}
    folded = {s.casefold() for s in names}
    for section in sections:
        if section.casefold() not in folded:
            near = difflib.get_close_matches(section, sorted(names), n=3, cutoff=0.5)
            guess = f"did you mean {' or '.join(repr(n) for n in near)}?" if near else "`accelrag list` shows them"
            raise UsageError(f"there is no section {section!r}", hint=guess)
    wanted = {s.casefold() for s in sections}
    allowed = {k.lower() for k in kinds}
    return [
        (entry, coverage)
        for entry, coverage in rows
        if (not wanted or any(s.casefold() in wanted for path in entry.sections for s in path))
        and (not allowed or entry.kind in allowed)
    ]
