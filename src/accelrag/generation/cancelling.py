"""Ending a request to a model server from another thread.

A thread that waits for bytes does not notice that its client was closed; shutting down the socket wakes it. httpx
hands out a connection as it is made: https://www.encode.io/httpcore/extensions/#trace.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from accelrag.errors import GeneratorUnavailable

if TYPE_CHECKING:
    import httpx

__all__ = ["Cancellation", "watch_connections"]

_MADE = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


class Cancellation:
    """Requests that are made inside ``active`` end as soon as ``cancel`` is called, by whatever thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._cancelled = False

    def cancel(self) -> None:
        """Close every connection; later requests are refused."""
        with self._lock:
            self._cancelled = True
            sockets, self._sockets = self._sockets, []
        for made in sockets:
            _end(made)

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Watch the requests of this thread."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def check(self) -> None:
        """Raises:
        GeneratorUnavailable: it was cancelled.
        """
        if self._cancelled:
            raise GeneratorUnavailable("the question was stopped")

    def trace(self, name: str, info: dict[str, Any]) -> None:
        """Take note of a connection; httpcore calls it."""
        if name not in _MADE or (made := info["return_value"].get_extra_info("socket")) is None:
            return
        with self._lock:
            self._sockets.append(made)
            late = self._cancelled
        if late:
            _end(made)


def watch_connections(request: httpx.Request) -> None:
    """An event hook of httpx: the request ends with the cancellation that is active."""
    cancellation = _current.get()
    if cancellation is not None:
        cancellation.check()
        request.extensions["trace"] = cancellation.trace


def _end(made: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has ended by itself
        made.shutdown(socket.SHUT_RDWR)
