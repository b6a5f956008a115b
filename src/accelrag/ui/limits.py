"""How often a client may ask: token buckets, one a client, bounded in number."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["RateLimit"]

_CLIENTS = 10_000


class RateLimit:
    """``per_minute`` takes a minute and client, as many at once at most; 0 means no limit."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60
        self._size = float(per_minute)
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Take one; 0 when it was granted, else the seconds until the next one is."""
        if not self._size:
            return 0.0
        with self._lock:
            now = self._clock()
            left, then = self._left.pop(client, (self._size, now))
            left = min(self._size, left + (now - then) * self._rate)
            granted = left >= 1
            self._left[client] = (left - 1 if granted else left, now)
            while len(self._left) > _CLIENTS:
                self._left.popitem(last=False)
            return 0.0 if granted else (1 - left) / self._rate
