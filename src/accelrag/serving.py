"""What every server over a home shares: the newest index, lent question by question, and each client's share of it.

The page, its HTTP API and the MCP server all answer from ``LiveIndex``: a newer generation is taken as soon as it is
published, a question keeps the one it began with, and an older one is closed when its last question ends.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from accelrag.errors import AccelragError
from accelrag.pipeline import Assistant
from accelrag.pipeline.lists import index_dir_of
from accelrag.settings import Settings
from accelrag.types import Progress

__all__ = ["LiveIndex", "Shares"]


@dataclass
class _Opened:
    assistant: Assistant
    leases: int = 0
    replaced: bool = False


class LiveIndex:
    """Lends the assistant of the published generation. Safe to use from several threads."""

    def __init__(
        self,
        settings: Settings,
        *,
        build: bool = False,
        notice: Callable[[str], None] = lambda _: None,
        progress: Callable[[], Progress | None] = lambda: None,
    ) -> None:
        """``build``: make the index at the first question where there is none, telling ``progress`` of it."""
        self._settings = settings
        self._build = build
        self._notice = notice
        self._progress = progress
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
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
        opened = self._take()
        try:
            yield opened.assistant
        finally:
            with self._lock:
                opened.leases -= 1
                if opened.replaced and not opened.leases:
                    opened.assistant.close()

    def close(self) -> None:
        """Close the index when its last lease ends."""
        with self._lock:
            self._replace()

    def _take(self) -> _Opened:
        published = self.generation
        with self._lock:
            if self._opened is None or (published and published not in (self._name, self._refused)):
                self._reopen(published)
            assert self._opened is not None
            self._opened.leases += 1
            return self._opened

    def _reopen(self, published: str) -> None:
        try:
            assistant = Assistant.open(
                self._settings, build=self._build, notice=self._notice, progress=self._progress()
            )
            assistant.index.load()
        except AccelragError:
            if self._opened is None:
                raise
            self._refused = published
            return
        self._replace()
        self._opened = _Opened(assistant)
        self._name = assistant.index.folder.name

    def _replace(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.replaced = True
            if not opened.leases:
                opened.assistant.close()


class Shares:
    """At most ``each`` slow questions of one client run at once; its next ones wait, and nobody else's do.

    Used on one event loop.
    """

    def __init__(self, each: int) -> None:
        self._each = each
        self._clients: dict[str, tuple[asyncio.Semaphore, int]] = {}

    def full(self, client: str) -> bool:
        """Whether the next question of a client would wait."""
        return client in self._clients and self._clients[client][0].locked()

    @asynccontextmanager
    async def of(self, client: str) -> AsyncIterator[None]:
        """Hold one place of a client's share; waits while all are taken."""
        places, users = self._clients.get(client, (asyncio.Semaphore(self._each), 0))
        self._clients[client] = (places, users + 1)
        try:
            async with places:
                yield
        finally:
            _, users = self._clients[client]
            if users > 1:
                self._clients[client] = (places, users - 1)
            else:
                del self._clients[client]
