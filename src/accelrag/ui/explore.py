"""The list as a map and as a table, and an entry with its text and its neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from accelrag.errors import AccelragError, EntryUnknown, IndexMissing
from accelrag.pipeline import Assistant, EntryDetail, entries_of
from accelrag.serving import LiveIndex
from accelrag.settings import Settings
from accelrag.sources.reasons import REASONS
from accelrag.types import KINDS, Coverage, Document, Entry
from accelrag.ui.escape import attribute, shorten, text
from accelrag.ui.evidence import COVERAGE, badges, path_of
from accelrag.ui.links import anchor

__all__ = ["Explore"]

_PAGE = 60  # rows that are shown at first and with each "more"
_DOTS = 3_000  # dots beyond which a map is a blot
_COLOURS = 16
_WIDTH, _HEIGHT, _MARGIN = 960, 620, 26
_NEIGHBOURS = 6
_TEXT = 60_000  # characters of a document that the page shows

Rows = Sequence[tuple[Entry, Coverage]]


class Explore:
    """What the Explore tab asks for."""

    def __init__(self, settings: Settings, live: LiveIndex) -> None:
        self._settings = settings
        self._live = live

    def overview(self) -> str:
        """Map, filters and the first rows."""
        rows, positions = self._rows()
        return _map(rows, positions) + _filters(rows) + '<div id="rows">' + _table(rows, {}, 0) + "</div>"

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
            return f'<p class="trouble">{text(str(error), 300)}</p><p class="hint">{text(error.hint, 300)}</p>'

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


def sections_of(rows: Rows) -> list[str]:
    """The first sections, in list order."""
    return list(dict.fromkeys(path[0] for entry, _ in rows for path in entry.sections if path))


def _map(rows: Rows, positions: Mapping[str, tuple[float, float]]) -> str:
    if not positions:
        return '<p class="notice">The map is drawn when the index is built: ask a question to build it.</p>'
    colours = {name: i % _COLOURS for i, name in enumerate(sections_of(rows))}
    step = max(1, math.ceil(len(rows) / _DOTS))
    dots = []
    for entry, coverage in rows[::step]:
        if entry.id not in positions:
            continue
        x, y = positions[entry.id]
        section = entry.sections[0][0] if entry.sections and entry.sections[0] else ""
        dots.append(
            f'<circle class="dot c{colours.get(section, 0)}" cx="{_across(x):.1f}" cy="{_down(y):.1f}" r="6" '
            f'data-entry="{attribute(entry.id, 300)}" data-title="{attribute(entry.title, 160)}" '
            f'data-note="{attribute(entry.note, 260)}" data-section="{attribute(section, 120)}" '
            f'data-path="{attribute(" › ".join(entry.sections[0]) if entry.sections else "", 200)}" '
            f'data-kind="{attribute(entry.kind)}" data-coverage="{attribute(coverage)}"/>'
        )
    legend = "".join(
        f'<button type="button" class="key" data-section="{attribute(name, 120)}" aria-pressed="false">'
        f'<i class="swatch c{colour}"></i>{text(name, 60)}</button>'
        for name, colour in colours.items()
    )
    every = f" (every {step}th)" if step > 1 else ""
    return (
        '<div class="map-box"><svg id="map" class="map" role="application" tabindex="0" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-label="Map of {len(dots)} entries{every}: near means alike. '
        'Arrow keys move, Enter opens. The table below holds the same entries.">'
        f'<g id="asked"></g><g id="dots">{"".join(dots)}</g><g id="asked-mark"></g></svg>'
        '<div id="map-tip" class="map-tip" role="status" hidden></div></div>'
        f'<div class="legend" role="group" aria-label="Sections">{legend}</div>'
    )


def _across(x: float) -> float:
    return _MARGIN + (x + 1) / 2 * (_WIDTH - 2 * _MARGIN)


def _down(y: float) -> float:
    return _MARGIN + (1 - (y + 1) / 2) * (_HEIGHT - 2 * _MARGIN)


def _filters(rows: Rows) -> str:
    paths = dict.fromkeys(name for entry, _ in rows for path in entry.sections for name in path)
    kinds = [kind for kind in KINDS if any(entry.kind == kind for entry, _ in rows)]
    levels = [level for level in COVERAGE if any(coverage == level for _, coverage in rows)]
    return (
        '<form id="filters" class="filters" role="search" aria-label="Filter the entries">'
        '<label>Text<input type="search" name="text" maxlength="200" placeholder="title, note or address"></label>'
        f"{_select('section', 'Section', [(name, shorten(name, 60)) for name in paths])}"
        f"{_select('kind', 'Kind', [(kind, kind) for kind in kinds])}"
        f"{_select('coverage', 'Known text', [(level, COVERAGE[level]) for level in levels])}"
        "</form>"
    )


def _select(name: str, label: str, choices: Sequence[tuple[str, str]]) -> str:
    options = "".join(f'<option value="{attribute(value, 300)}">{text(shown)}</option>' for value, shown in choices)
    return f'<label>{label}<select name="{name}"><option value="">all</option>{options}</select></label>'


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
    body = "".join(
        f'<tr><td><button type="button" class="link title" data-entry="{attribute(entry.id, 300)}">'
        f'{text(entry.title, 200)}</button><span class="row-note" dir="auto">{text(entry.note, 200)}</span></td>'
        f'<td class="path">{path_of(entry.sections[0] if entry.sections else ())}</td>'
        f'<td class="row-badges">{badges(entry.kind, coverage)}</td></tr>'
        for entry, coverage in shown
    )
    more = len(kept) - start - len(shown)
    next_rows = (
        f'<button type="button" class="small more" data-start="{start + _PAGE}">Show {min(more, _PAGE)} more</button>'
        if more > 0
        else ""
    )
    if start:
        return f'<table><tbody>{body}</tbody></table><p class="more-box">{next_rows}</p>'
    count = f"{len(kept)} of {len(rows)} entries" if len(kept) != len(rows) else f"{len(rows)} entries"
    if not kept:
        return f'<p class="count" role="status">{count}</p><p class="notice">Nothing fits these filters.</p>'
    return (
        f'<p class="count" role="status">{count}</p><table class="entries"><thead><tr><th scope="col">Entry</th>'
        '<th scope="col">Section</th><th scope="col">Kind and known text</th></tr></thead>'
        f'<tbody>{body}</tbody></table><p class="more-box">{next_rows}</p>'
    )


def _entry(assistant: Assistant, shown: EntryDetail) -> str:
    entry = shown.entry
    places = "".join(
        f'<li><span class="path">{path_of(p.sections)}</span>{f" <span>line {p.line}</span>" if p.line else ""}'
        f'<p dir="auto">{text(p.note, 1000)}</p></li>'
        for p in entry.places[:20]
    )
    also = "".join(f"<li>{anchor(url, url)}</li>" for url in entry.also[:20])
    texts = "".join(_document(d) for d in shown.documents if not d.id.startswith("note:"))
    if not texts:
        why = REASONS.get(shown.failure.reason, shown.failure.reason) if shown.failure else ""
        reason = f": {text(why, 200)}" if why else ""
        texts = f'<p class="notice">Only the list\'s own words are known of this entry{reason}.</p>'
    near = "".join(
        f'<li><button type="button" class="link" data-entry="{attribute(other.id, 300)}">{text(other.title, 160)}'
        f'</button><span class="path">{path_of(other.sections[0] if other.sections else ())}</span></li>'
        for other in _neighbours(assistant, entry)
    )
    return (
        f'<article class="entry" data-id="{attribute(entry.id, 300)}"><h2>{text(entry.title, 300)}</h2>'
        f"<p>{anchor(entry.url, entry.url)}</p>"
        f'<p class="badges">{badges(entry.kind, shown.coverage)}'
        f'<button type="button" class="small primary" data-ask="{attribute(entry.id, 300)}" '
        f'data-ask-title="{attribute(entry.title, 200)}">Ask about this</button></p>'
        f'<ul class="places">{places}</ul>{f"<h3>Also</h3><ul>{also}</ul>" if also else ""}'
        f'{texts}<h3>Near it</h3><ul class="neighbours">{near}</ul></article>'
    )


def _document(document: Document) -> str:
    facts = {
        "Title": document.title,
        "Authors": ", ".join(document.authors),
        "Published": document.published,
        "Read": document.fetched_at[:10] + (" (the last fetch failed)" if document.stale else ""),
        "Licence": document.licence,
    }
    rows = "".join(f"<dt>{name}</dt><dd>{text(value, 600)}</dd>" for name, value in facts.items() if value.strip())
    source = f"<dt>Source</dt><dd>{anchor(document.source, document.source)}</dd>" if document.source else ""
    more = f" The first {_TEXT:,} of {len(document.text):,} characters." if len(document.text) > _TEXT else ""
    return (
        f'<h3>Its text, as it was read</h3><dl class="facts">{rows}{source}</dl>'
        f'<p class="hint">{text(COVERAGE.get(document.coverage, document.coverage))}.{more}</p>'
        f'<pre class="document" tabindex="0" dir="auto">{text(document.text[:_TEXT], _TEXT)}</pre>'
    )


def _neighbours(assistant: Assistant, entry: Entry) -> list[Entry]:
    asked = f"{entry.title} {entry.note}"[:600]
    try:
        found = assistant.search(asked, limit=_NEIGHBOURS + 1)
    except AccelragError:
        return []
    return [r.entry for r in found.results if r.entry.id != entry.id][:_NEIGHBOURS]
