"""What reaches a terminal: results on stdout, the rest on stderr, colours, nothing that steers it."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

__all__ = ["coloured", "json_line", "notice", "out", "out_json", "paint", "progress", "safe", "width"]

_STYLES = {
    "title": "1",
    "dim": "2",
    "number": "36",
    "good": "32",
    "warn": "33",
    "bad": "31",
    "link": "34",
    "struck": "9",
}


def safe(text: str) -> str:
    """The text without control characters and direction marks: fetched text must not steer a terminal."""
    if text.isprintable():
        return text
    kept = []
    for c in text:
        if c in "\n\t" or c.isprintable() or (unicodedata.category(c) == "Zs"):
            kept.append(c)
        elif unicodedata.category(c) in {"Cc", "Zl", "Zp"}:
            kept.append(" ")
    return "".join(kept)


def coloured(stream: IO[str], environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour: NO_COLOR and TERM=dumb say no, FORCE_COLOR says yes, else a terminal decides.

    https://no-color.org, https://force-color.org
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return environ["FORCE_COLOR"] != "0"
    return stream.isatty() and environ.get("TERM") != "dumb"


def paint(text: str, style: str, stream: IO[str] | None = None) -> str:
    """The text in a style, where colour is on."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if coloured(stream or sys.stdout) else text


def width() -> int:
    """Columns to write in."""
    import shutil

    return max(40, min(120, shutil.get_terminal_size((100, 24)).columns))


def out(text: str = "", *, end: str = "\n", flush: bool = False) -> None:
    """Write a result. The text is made safe first; styles are added by ``paint`` after ``safe``."""
    print(text, end=end, flush=flush)  # noqa: T201


def out_json(value: Any) -> None:
    """Write one JSON object on one line, at once."""
    print(json_line(value), flush=True)  # noqa: T201


def json_line(value: Any) -> str:
    """A value as JSON on one line: letters of every script as they are, what could steer a terminal as an escape."""
    line = json.dumps(value, ensure_ascii=not _unicode(sys.stdout), allow_nan=False)
    return line if line.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def _unicode(stream: IO[str]) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "") == "utf8"


def notice(text: str) -> None:
    """Write a notice to stderr."""
    print(paint(safe(text), "dim", sys.stderr), file=sys.stderr, flush=True)  # noqa: T201


class _Bars:
    """A progress bar for each task, on stderr."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description:>12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, no_color=not coloured(sys.stderr)),
        )
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> _Bars:
        self._progress.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()

    def start(self, task: str, total: int | None) -> None:
        self._tasks[task] = self._progress.add_task(task, total=total)

    def advance(self, task: str, count: int = 1) -> None:
        self._progress.advance(self._tasks[task], count)

    def done(self, task: str) -> None:
        self._progress.update(self._tasks[task], refresh=True)


class _Lines:
    """A line when a task begins and at each tenth of a long one: for logs and pipes."""

    def __init__(self) -> None:
        self._state: dict[str, tuple[int, int]] = {}

    def start(self, task: str, total: int | None) -> None:
        self._state[task] = (0, total or 0)
        notice(f"{task}: {total if total is not None else '…'}")

    def advance(self, task: str, count: int = 1) -> None:
        done, total = self._state[task]
        step = max(200, total // 10)
        if (done + count) // step > done // step:
            notice(f"{task}: {done + count} of {total}")
        self._state[task] = (done + count, total)

    def done(self, task: str) -> None:
        self._state.pop(task, None)


class LazyProgress:
    """Shows nothing until a task starts, so that a command that has nothing to do loads no bar."""

    def __init__(self) -> None:
        self._shown: _Bars | _Lines | None = None

    def start(self, task: str, total: int | None) -> None:
        if self._shown is None:
            animated = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
            self._shown = _Bars().__enter__() if animated else _Lines()
        self._shown.start(task, total)

    def advance(self, task: str, count: int = 1) -> None:
        assert self._shown is not None
        self._shown.advance(task, count)

    def done(self, task: str) -> None:
        assert self._shown is not None
        self._shown.done(task)

    def close(self) -> None:
        """Take the bars down."""
        if isinstance(self._shown, _Bars):
            self._shown.__exit__()


@contextmanager
def progress() -> Iterator[LazyProgress]:
    """A progress display on stderr for the time of a block."""
    shown = LazyProgress()
    try:
        yield shown
    finally:
        shown.close()
