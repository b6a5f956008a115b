"""The list as a map and as a table, and an entry with its text and its neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accelrag.errors import AccelragError, EntryUnknown, IndexMissing
from accelrag.pipeline import Assistant, EntryDetail, entries_of
from accelrag.serving import LiveIndex
from accelrag.settings import Settings
from accelrag.sources.reasons import REASONS
from accelrag.types import KINDS, Coverage, Document, Entry
from accelrag.ui.escape import shorten
from accelrag.ui.evidence import COVERAGE
from accelrag.ui.rendering import render

__all__ = ["Explore"]

_PAGE = 60  # rows that are shown at first and with each "more"
_DOTS = 3_000  # dots beyond which a map is a blot
_COLOURS = 16
_WIDTH, _HEIGHT, _MARGIN = 960, 620, 26
_NEIGHBOURS = 6
_TEXT = 60_000  # characters of a document that the page shows

Rows = Sequence[tuple[Entry, Coverage]]


@dataclass(frozen=True, slots=True)
class _Dot:
    """An entry on the map, in the units of the drawing; ``colour`` is the position of its section's."""

    entry: Entry
    coverage: Coverage
    x: float
    y: float
    section: str
    colour: int


class Explore:
    """What the Explore tab asks for."""

    def __init__(self, settings: Settings, live: LiveIndex) -> None:
        self._settings = settings
        self._live = live

    def overview(self) -> str:
        """Map, filters and the first rows."""
        rows, positions = self._rows()
        paths = dict.fromkeys(name for entry, _ in rows for path in entry.sections for name in path)
        return render(
            "explore.html",
            **_map(rows, positions),
            paths=[(name, shorten(name, 60)) for name in paths],
            kinds=[(kind, kind) for kind in KINDS if any(entry.kind == kind for entry, _ in rows)],
            levels={level: name for level, name in COVERAGE.items() if any(c == level for _, c in rows)},
            table=_table(rows, {}, 0),
        )

    def rows(self, wanted: Mapping[str, Any]) -> str:
        """The rows that fit section, kind, coverage and text, from ``start`` on."""
        rows, _ = self._rows()
        start = wanted.get("start", 0)
        return _table(rows, wanted, start if isinstance(start, int) and start > 0 else 0)

    def entry(self, entry_id: str) -> str:
        """An entry with its text and neighbours, or a line that says why not."""
        try:
            with self._live.lease() as assistant:
                return _entry(assistant, assistant.show(entry_id[:300]))
        except (EntryUnknown, IndexMissing) as error:
            return render("trouble.html", message=str(error), hint=error.hint)

    def title(self, entry_id: str) -> str:
        """The title of an entry; empty where there is none."""
        try:
            with self._live.lease() as assistant:
                found = assistant.index.store.entry(entry_id[:300])
        except AccelragError:
            return ""
        return found[0].title if found else ""

    def _rows(self) -> tuple[Rows, Mapping[str, tuple[float, float]]]:
        try:
            with self._live.lease() as assistant:
                return assistant.entries(), assistant.index.store.map()
        except IndexMissing:
            entries, _ = entries_of(self._settings)
            return [(entry, "note") for entry in entries], {}


def top_sections(rows: Rows) -> list[str]:
    """The first sections, in list order."""
    return list(dict.fromkeys(path[0] for entry, _ in rows for path in entry.sections if path))


def _map(rows: Rows, positions: Mapping[str, tuple[float, float]]) -> dict[str, object]:
    colours = {name: i % _COLOURS for i, name in enumerate(top_sections(rows))}
    step = max(1, math.ceil(len(rows) / _DOTS))
    dots = []
    for entry, coverage in rows[::step]:
        if entry.id in positions:
            x, y = positions[entry.id]
            section = entry.sections[0][0] if entry.sections and entry.sections[0] else ""
            dots.append(_Dot(entry, coverage, _across(x), _down(y), section, colours.get(section, 0)))
    return {"dots": dots, "colours": colours, "step": step, "width": _WIDTH, "height": _HEIGHT}


def _across(x: float) -> float:
    return _MARGIN + (x + 1) / 2 * (_WIDTH - 2 * _MARGIN)


def _down(y: float) -> float:
    return _MARGIN + (1 - (y + 1) / 2) * (_HEIGHT - 2 * _MARGIN)


def _fits(entry: Entry, coverage: Coverage, wanted: Mapping[str, Any]) -> bool:
    section, kind = str(wanted.get("section") or ""), str(wanted.get("kind") or "")
    if section and not any(section in path for path in entry.sections):
        return False
    if (kind and entry.kind != kind) or (wanted.get("coverage") and coverage != wanted["coverage"]):
        return False
    words = str(wanted.get("text") or "")[:200].casefold().split()
    if not words:
        return True
    own = " ".join([*entry.titles, entry.note, entry.url, *(s for p in entry.sections for s in p)]).casefold()
    return all(word in own for word in words)


def _table(rows: Rows, wanted: Mapping[str, Any], start: int) -> str:
    kept = [row for row in rows if _fits(*row, wanted)]
    shown = kept[start : start + _PAGE]
    return render(
        "table.html",
        rows=shown,
        start=start,
        kept=len(kept),
        total=len(rows),
        more=min(len(kept) - start - len(shown), _PAGE),
        next_start=start + _PAGE,
        levels=COVERAGE,
    )


def _entry(assistant: Assistant, shown: EntryDetail) -> str:
    return render(
        "entry.html",
        shown=shown,
        documents=[(d, _facts(d)) for d in shown.documents if not d.id.startswith("note:")],
        why=REASONS.get(shown.failure.reason, shown.failure.reason) if shown.failure else "",
        near=_neighbours(assistant, shown.entry),
        levels=COVERAGE,
        most=_TEXT,
    )


def _facts(document: Document) -> dict[str, str]:
    facts = {
        "Title": document.title,
        "Authors": ", ".join(document.authors),
        "Published": document.published,
        "Read": document.fetched_at[:10] + (" (the last fetch failed)" if document.stale else ""),
        "Licence": document.licence,
    }
    return {name: value for name, value in facts.items() if value.strip()}


def _neighbours(assistant: Assistant, entry: Entry) -> list[Entry]:
    asked = f"{entry.title} {entry.note}"[:600]
    try:
        found = assistant.search(asked, limit=_NEIGHBOURS + 1)
    except AccelragError:
        return []
    return [r.entry for r in found.results if r.entry.id != entry.id][:_NEIGHBOURS]
