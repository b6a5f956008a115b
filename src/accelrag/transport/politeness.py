"""What a host is owed: one request at a time, a pause between two, the wait it asked for, and rest when it is ill."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime

from accelrag.errors import FetchTransient

__all__ = ["Host", "backoff", "retry_after"]

FAILURES_TO_OPEN = 3
OPEN_SECONDS = 300.0
LONGEST_WAIT = 120.0
_FIRST_WAIT = 1.0


@dataclass
class Host:
    """One host's turn, spacing and circuit. ``turn`` is held for the whole of a request and its retries."""

    name: str
    turn: threading.RLock = field(default_factory=threading.RLock)
    last: float | None = None
    failures: int = 0
    open_until: float = 0.0

    def wait_for_turn(self, spacing: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        """Pause until ``spacing`` seconds have passed since the last request. A clock set back costs one spacing."""
        now = clock()
        if self.last is not None and spacing > 0:
            pause = min(self.last + spacing - now, spacing)
            if pause > 0:
                sleep(pause)
        self.last = clock()

    def check(self, now: float) -> None:
        """Refuse while the circuit is open.

        Raises:
            FetchTransient: the host failed too often, or asked for a long rest.
        """
        if now < self.open_until <= now + 86_400:
            raise FetchTransient(
                f"{self.name} is left alone after {self.failures} failures",
                reason="circuit-open",
                retry_after=self.open_until - now,
                hint="run the command again later",
            )

    def worked(self) -> None:
        """The host answered."""
        self.failures = 0
        self.open_until = 0.0

    def failed(self, now: float, rest: float | None = None) -> None:
        """The host did not answer as it should; after three times in a row, or when it asks, it gets a rest."""
        self.failures += 1
        if rest is not None and rest > LONGEST_WAIT:
            self.open_until = now + min(rest, 86_400.0)
        elif self.failures >= FAILURES_TO_OPEN:
            self.open_until = now + OPEN_SECONDS


def retry_after(value: str, now: float) -> float | None:
    """Seconds that a Retry-After header asks for; both forms of RFC 9110, section 10.2.3. None if unreadable."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), 1e6)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)


def backoff(attempt: int, asked: float | None, random: Callable[[], float]) -> float:
    """Seconds before attempt ``attempt + 1``: what the host asked for, else doubling with jitter."""
    if asked is not None:
        return asked + random() * 0.5
    return float(_FIRST_WAIT * 2 ** (attempt - 1) * (0.5 + random()))
