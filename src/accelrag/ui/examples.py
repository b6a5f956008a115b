"""Questions to begin with, taken from the list's own sections, each of which has an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from accelrag.pipeline import Assistant
from accelrag.serving import LiveIndex
from accelrag.types import Coverage, Entry

__all__ = ["Examples"]

_COUNT = 6
_TRIED = 18


class Examples:
    """The questions of the published generation, worked out once for each."""

    def __init__(self, live: LiveIndex) -> None:
        self._live = live
        self._known: tuple[str, tuple[str, ...]] = ("", ())

    def now(self) -> tuple[str, ...]:
        """At most six questions from different sections; none where there is no index."""
        generation = self._live.generation
        if generation and generation != self._known[0]:
            with self._live.lease() as assistant:
                self._known = (generation, tuple(_answered(assistant)))
        return self._known[1]


def _answered(assistant: Assistant) -> list[str]:
    found: list[str] = []
    for tried, question in enumerate(_candidates(assistant.entries())):
        if len(found) == _COUNT or tried == _TRIED:
            break
        if not assistant.ask(question, llm="").refused:
            found.append(question)
    return found


def _candidates(rows: list[tuple[Entry, Coverage]]) -> Iterator[str]:
    known = [row for row in rows if row[0].sections and row[0].sections[0]]
    sizes = Counter(path for entry, _ in known for path in entry.sections)
    tops: dict[str, tuple[str, ...]] = {}
    for path, _ in sizes.most_common():
        tops.setdefault(path[0], path)
    for turn, path in enumerate(list(tops.values())):
        inside = [(e, c) for e, c in known if path in e.sections]
        with_text = [e for e, c in inside if c != "note" and 3 <= len(e.title) <= 60 and e.title.isascii()]
        if turn % 2 == 0 and with_text:
            yield f"What is {_short(with_text[0].title)}?"
        else:
            yield f"What should I read first on {path[-1]}?"


def _short(title: str) -> str:
    if title.endswith(")") and "(" in title:
        inside = title[title.rindex("(") + 1 : -1]
        if 2 < len(inside) < 30:
            return inside
    return title.split(":")[0]
