"""How far a long run is."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


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


class Silent:
    """A Progress that tells nobody."""

    def start(self, task: str, total: int | None) -> None:
        return None

    def advance(self, task: str, count: int = 1) -> None:
        return None

    def done(self, task: str) -> None:
        return None
