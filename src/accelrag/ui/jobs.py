"""One long run at a time behind the page: building, fetching. It goes on when the browser is closed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from accelrag.errors import AccelragError

__all__ = ["Job", "Jobs"]


class _Cancelled(Exception):
    pass


@dataclass
class Job:
    """A run with what it tells. It is the ``Progress`` of the run, and ends it where it was cancelled."""

    name: str
    state: str = "running"  # running, done, failed, cancelled
    message: str = ""
    tasks: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)
    finished: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self.state == "running"

    @property
    def cancelling(self) -> bool:
        """Whether it was asked to end."""
        return self._stop.is_set()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return (self.finished or time.monotonic()) - self.started

    def cancel(self) -> None:
        """Ask it to end at the next step."""
        self._stop.set()

    def start(self, task: str, total: int | None) -> None:
        self.check()
        self.tasks[task] = (0, total)

    def advance(self, task: str, count: int = 1) -> None:
        self.check()
        done, total = self.tasks.get(task, (0, None))
        self.tasks[task] = (done + count, total)

    def done(self, task: str) -> None:
        done, total = self.tasks.get(task, (0, None))
        self.tasks[task] = (done, total if total is not None else done)

    def check(self) -> None:
        """End the run here where it was cancelled."""
        if self._stop.is_set():
            raise _Cancelled


class Jobs:
    """Runs one job at a time and remembers the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.last: Job | None = None

    def start(self, name: str, work: Callable[[Job], str]) -> Job:
        """Start a run, or return the one that is running. ``work`` returns what there is to say at its end."""
        with self._lock:
            if self.last is not None and self.last.running:
                return self.last
            job = self.last = Job(name)
        threading.Thread(target=_run, args=(job, work), name=f"accelrag {name}", daemon=True).start()
        return job


def _run(job: Job, work: Callable[[Job], str]) -> None:
    try:
        message, state = work(job), "cancelled" if job.cancelling else "done"
    except _Cancelled:
        message, state = "Cancelled. What was finished stays.", "cancelled"
    except AccelragError as error:
        message, state = f"{error}{f' — {error.hint}' if error.hint else ''}", "failed"
    except Exception as error:  # noqa: BLE001  the page shows what its own thread would lose
        message, state = f"{type(error).__name__}: {error}", "failed"
    job.message = message
    job.finished = time.monotonic()
    job.state = state
