"""What links answer now. Only observed here: whether a link is dead is judged elsewhere, over several days."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from accelrag.errors import AccelragError
from accelrag.transport import Transport

__all__ = ["Observation", "State", "probe"]

State = Literal[
    "ok", "moved", "redirected", "blocked", "gone", "timeout", "dns", "unreachable", "server-error", "refused"
]

_STATES: dict[str, State] = {
    "robots": "blocked", "blocked": "blocked", "login": "blocked", "rate-limited": "blocked",
    "gone": "gone", "not-found": "gone", "redirect-loop": "gone", "timeout": "timeout", "dns": "dns",
    "unreachable": "unreachable", "circuit-open": "unreachable", "server-error": "server-error",
    "refused-address": "refused", "bad-answer": "blocked", "unsupported-type": "ok", "too-large": "ok",
    "bad-encoding": "ok",
}  # fmt: skip
_FIRST_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at a link. ``target`` is where it leads; ``moved`` is for good, ``redirected`` for now."""

    url: str
    state: State
    target: str = ""
    status: int = 0
    detail: str = ""


def probe(
    urls: Iterable[str], transport: Transport, *, workers: int = 8, advance: Callable[[], None] = lambda: None
) -> Iterator[Observation]:
    """Look at each link once, politely, hosts side by side; one observation for each distinct URL, as they come."""
    hosts: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        hosts.setdefault(_host(url), []).append(url)
    todo: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    for group in hosts.values():
        todo.put(group)
    done: queue.SimpleQueue[Observation | None] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            while not stop.is_set():
                try:
                    group = todo.get_nowait()
                except queue.Empty:
                    return
                for url in group:
                    if not stop.is_set():
                        done.put(_look(url, transport))
        finally:
            done.put(None)

    count = min(max(1, workers), len(hosts))
    for number in range(count):
        threading.Thread(target=work, name=f"probe-{number}", daemon=True).start()
    try:
        while count:
            seen = done.get()
            if seen is None:
                count -= 1
                continue
            advance()
            yield seen
    finally:
        stop.set()


def _look(url: str, transport: Transport) -> Observation:
    try:
        response = transport.get(url, max_bytes=_FIRST_BYTES)
    except AccelragError as error:
        reason = str(getattr(error, "reason", "unreachable"))
        return Observation(url, _STATES.get(reason, "unreachable"), detail=str(error))
    except Exception as error:  # noqa: BLE001 - one odd link must not end the look at the others
        return Observation(url, "unreachable", detail=f"{type(error).__name__}: {error}")
    if response.moved_to:
        return Observation(url, "moved", response.moved_to, response.status)
    if response.url != response.requested:
        return Observation(url, "redirected", response.url, response.status)
    return Observation(url, "ok", "", response.status)


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
