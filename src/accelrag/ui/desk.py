"""The opened index that the page answers from. A newer one is taken as soon as it is published.

Each question holds a lease of the assistant it began with; an older assistant is closed when its last lease ends.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from accelrag.errors import AccelragError
from accelrag.pipeline import Assistant
from accelrag.pipeline.home import index_dir_of
from accelrag.settings import Settings

__all__ = ["Desk"]


@dataclass
class _Seat:
    assistant: Assistant
    leases: int = 0
    left: bool = False


class Desk:
    """Lends the assistant of the published generation."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._seat: _Seat | None = None
        self._name = ""
        self._refused = ""  # a generation that could not be opened, and is not tried again

    @property
    def generation(self) -> str:
        """The name of the generation that is published; empty where there is none."""
        try:
            return (index_dir_of(self._settings) / "CURRENT").read_text(encoding="utf-8").strip()
        except (OSError, ValueError, AccelragError):
            return ""

    @contextmanager
    def lease(self) -> Iterator[Assistant]:
        """The assistant for the time of one question.

        Raises:
            IndexMissing: nothing was built yet.
            IndexDamaged, IndexMismatch, ModelError: it cannot be used, and there is no older one at hand.
        """
        seat = self._take()
        try:
            yield seat.assistant
        finally:
            with self._lock:
                seat.leases -= 1
                if seat.left and not seat.leases:
                    seat.assistant.close()

    def close(self) -> None:
        """Close the index when its last lease ends."""
        with self._lock:
            self._leave()

    def _take(self) -> _Seat:
        published = self.generation
        with self._lock:
            stale = self._seat is None or (published and published not in (self._name, self._refused))
            if stale:
                self._reopen(published)
            assert self._seat is not None
            self._seat.leases += 1
            return self._seat

    def _reopen(self, published: str) -> None:
        try:
            assistant = Assistant.open(self._settings, build=False)
            assistant.index.load()
        except AccelragError:
            if self._seat is None:
                raise
            self._refused = published
            return
        self._leave()
        self._seat = _Seat(assistant)
        self._name = assistant.index.folder.name

    def _leave(self) -> None:
        seat, self._seat = self._seat, None
        if seat is not None:
            seat.left = True
            if not seat.leases:
                seat.assistant.close()
