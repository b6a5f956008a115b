"""Work on many hosts side by side, one thread a host, so that the pauses owed to one hold no other up."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar
from urllib.parse import urlsplit

__all__ = ["hosts_side_by_side"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def hosts_side_by_side(  # noqa: C901 - the worker shares its queues and its stop with the loop that takes its results
    items: Iterable[_Item], url_of: Callable[[_Item], str], work: Callable[[_Item], Iterable[_Result]], workers: int
) -> Iterator[_Result]:
    """The results of ``work`` for every item, as they come; the items of one host are worked on in their order.

    A worker goes on only when its last result was taken and the next one is asked for: who stores each result before
    asking for the next loses at most one result a worker to a kill. ``work`` must not raise. Closing the iterator
    ends the workers after what they are doing.
    """
    hosts: dict[str, list[_Item]] = {}
    for item in items:
        hosts.setdefault(_host(url_of(item)), []).append(item)
    todo: queue.SimpleQueue[list[_Item]] = queue.SimpleQueue()
    for group in hosts.values():
        todo.put(group)
    done: queue.SimpleQueue[tuple[_Result, threading.Event] | None] = queue.SimpleQueue()
    stop = threading.Event()

    def serve() -> None:
        try:
            while not stop.is_set():
                try:
                    group = todo.get_nowait()
                except queue.Empty:
                    return
                for result in (r for item in group if not stop.is_set() for r in work(item)):
                    taken = threading.Event()
                    done.put((result, taken))
                    while not taken.wait(0.5):
                        if stop.is_set():
                            return
        finally:
            done.put(None)

    left = min(max(1, workers), len(hosts))
    for number in range(left):
        # Daemons: an interrupted run must not wait for a slow host.
        threading.Thread(target=serve, name=f"host-{number}", daemon=True).start()
    try:
        while left:
            came = done.get()
            if came is None:
                left -= 1
                continue
            yield came[0]
            came[1].set()
    finally:
        stop.set()


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
