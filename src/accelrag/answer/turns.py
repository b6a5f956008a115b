"""The values of a conversation: what the last answer was about, and a question that needs no history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from accelrag.types import Entry

__all__ = ["Order", "Past", "Standalone"]

Order = Literal["", "newest", "oldest"]


@dataclass(frozen=True, slots=True)
class Past:
    """What the last answer was about: its question as searched, the entries cited, those found besides; in order."""

    query: str
    cited: tuple[Entry, ...] = ()
    also: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that needs no history. ``entries`` are the ids it is about; None means all of them."""

    query: str
    entries: tuple[str, ...] | None = None
    order: Order = ""
