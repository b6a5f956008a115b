"""How far a long run is, for Python: a bar in notebooks and terminals, or a function of one's own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from accelrag.types import Progress

__all__ = ["Bars", "Calls", "ProgressLike", "progress_for"]

ProgressLike = Progress | Callable[[str, int, int | None], None] | bool | None


class Bars:
    """A tqdm bar a task, on standard error: notebooks and terminals show it, a log gets lines."""

    def __init__(self) -> None:
        self._bars: dict[str, Any] = {}

    def start(self, task: str, total: int | None) -> None:
        from tqdm import tqdm

        self._bars[task] = tqdm(total=total, desc=task, file=sys.stderr, dynamic_ncols=True, leave=False)

    def advance(self, task: str, count: int = 1) -> None:
        self._bars[task].update(count)

    def done(self, task: str) -> None:
        self._bars.pop(task).close()


class Calls:
    """Calls ``told(task, done, total)`` at each step; ``total`` is None while it is unknown."""

    def __init__(self, told: Callable[[str, int, int | None], None]) -> None:
        self._told = told
        self._tasks: dict[str, tuple[int, int | None]] = {}

    def start(self, task: str, total: int | None) -> None:
        self._tasks[task] = (0, total)
        self._told(task, 0, total)

    def advance(self, task: str, count: int = 1) -> None:
        done, total = self._tasks[task]
        self._tasks[task] = (done + count, total)
        self._told(task, done + count, total)

    def done(self, task: str) -> None:
        self._tasks.pop(task, None)


def progress_for(wanted: ProgressLike) -> Progress | None:
    """What a long run tells of itself. None decides: a bar where a person looks on, else nothing."""
    if wanted is None:
        return Bars() if _watched() else None
    if isinstance(wanted, bool):
        return Bars() if wanted else None
    return Calls(wanted) if callable(wanted) else wanted


def _watched() -> bool:
    ipython = sys.modules.get("IPython")
    return sys.stderr.isatty() or (ipython is not None and ipython.get_ipython() is not None)
