"""What links answer now. Only observed here: whether a link is dead is judged elsewhere, over several days."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from accelrag.errors import AccelragError
from accelrag.ingest.pool import hosts_side_by_side
from accelrag.transport import Transport
from accelrag.types import Observation, State

__all__ = ["probe"]

_STATES: dict[str, State] = {
    "robots": "blocked", "blocked": "blocked", "login": "blocked", "rate-limited": "blocked",
    "gone": "gone", "not-found": "gone", "redirect-loop": "gone", "timeout": "timeout", "dns": "dns",
    "unreachable": "failing", "circuit-open": "failing", "server-error": "failing",
    "refused-address": "blocked", "bad-answer": "blocked", "unsupported-type": "ok", "too-large": "ok",
    "bad-encoding": "ok",
}  # fmt: skip
_FIRST_BYTES = 2_000_000


def probe(
    urls: Iterable[str], transport: Transport, *, workers: int = 8, advance: Callable[[], None] = lambda: None
) -> Iterator[Observation]:
    """Look at each link once, politely, hosts side by side; one observation for each distinct URL, as they come."""
    for seen in hosts_side_by_side(dict.fromkeys(urls), str, lambda url: [_look(url, transport)], workers):
        advance()
        yield seen


def _look(url: str, transport: Transport) -> Observation:
    try:
        response = transport.get(url, max_bytes=_FIRST_BYTES)
    except AccelragError as error:
        reason = str(getattr(error, "reason", "unreachable"))
        return Observation(url, _STATES.get(reason, "failing"), detail=str(error))
    except Exception as error:  # noqa: BLE001 - one odd link must not end the look at the others
        return Observation(url, "failing", detail=f"{type(error).__name__}: {error}")
    if response.moved_to:
        return Observation(url, "moved", response.status, response.moved_to)
    target = response.url if response.url != response.requested else ""
    return Observation(url, "ok", response.status, target)
