"""``accelrag list`` and ``accelrag show``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from accelrag import pipeline
from accelrag.cli.console import notice, out, out_json, paint, progress, safe, width
from accelrag.cli.options import common, json_option, settings_of
from accelrag.settings import Settings
from accelrag.types import Coverage, Entry

if TYPE_CHECKING:
    from accelrag.pipeline import EntryDetail

__all__ = ["list_command", "show_command"]


@click.command("list", short_help="The entries of the list.")
@common
@json_option
@click.option("--section", "sections", multiple=True, metavar="S", help="Only this section; may be repeated.")
@click.option("--kind", "kinds", multiple=True, metavar="K", help="Only entries of this kind; may be repeated.")
@click.option("--skipped", is_flag=True, help="The lines that hold a link and gave no entry.")
def list_command(
    home: str | None,
    model: str | None,
    list_: str | None,
    as_json: bool,
    sections: tuple[str, ...],
    kinds: tuple[str, ...],
    skipped: bool,
) -> int:
    """List the entries, of the home's list or of any other.

    \b
    accelrag list --section "KV Cache"
    accelrag list --list README.md --skipped
    """
    settings = settings_of(home=home, model=model, list_=list_)
    if skipped:
        return _skipped(settings, as_json)
    kept = pipeline.narrowed(pipeline.covered_entries(settings), sections, kinds)
    if as_json:
        for entry, coverage in kept:
            out_json(entry.to_dict(coverage))
        return 0
    _table(kept)
    notice(f"{len(kept)} entries")
    return 0


def _table(rows: list[tuple[Entry, Coverage]]) -> None:
    before: tuple[str, ...] | None = None
    for entry, coverage in rows:
        path = entry.sections[0]
        if path != before:
            out(("\n" if before is not None else "") + paint(safe(" > ".join(path) or "(no section)"), "number"))
            before = path
        level = "" if coverage == "note" else f" ({coverage})"
        out(f"  {paint(safe(entry.title), 'title')} · {entry.kind}{level}")
        out(f"    {paint(safe(entry.url), 'link')}")
        if entry.note:
            note = textwrap.fill(safe(entry.note), width() - 4)
            out(textwrap.indent(note, "    "))


def _skipped(settings: Settings, as_json: bool) -> int:
    from accelrag.pipeline.lists import parses_of

    count = 0
    for home_list in pipeline.home_lists(settings):
        if home_list.url:
            from accelrag.pipeline.lists import remote_listing

            listing = remote_listing(settings)
        else:
            listing = pipeline.read_named_list(home_list, parses_of(settings))
        for line in listing.skipped:
            count += 1
            if as_json:
                out_json({"line": line.line, "text": line.text, "reason": line.reason})
            else:
                out(f"{paint(f'{line.line:>6}', 'number')}  {line.reason}: {safe(textwrap.shorten(line.text, 100))}")
    if not as_json:
        notice(f"{count} lines")
    return 0


@click.command("show", short_help="The text that was read for an entry.")
@click.argument("entry")
@common
@json_option
def show_command(entry: str, home: str | None, model: str | None, list_: str | None, as_json: bool) -> int:
    """Show what the assistant read for ENTRY (an id, URL or title), with source, time and coverage.

    \b
    accelrag show PagedAttention
    """
    settings = settings_of(home=home, model=model, list_=list_)
    with progress() as bar:
        assistant = pipeline.Assistant.open(settings, progress=bar, notice=notice)
    shown = assistant.show(entry)
    if as_json:
        out_json(shown.to_dict())
        return 0
    _show(shown)
    return 0


def _show(shown: EntryDetail) -> None:
    entry = shown.entry
    out(paint(safe(entry.title), "title"))
    out(paint(safe(entry.url), "link"))
    for place in entry.places:
        where = " > ".join(place.sections)
        out(paint(safe(f"{where}{f' (line {place.line})' if place.line else ''}: {place.note}"), "dim"))
    out(f"{entry.kind} · coverage {shown.coverage} · id {entry.id}")
    for document in shown.documents:
        if document.id.startswith("note:"):
            continue
        facts = {
            "title": document.title,
            "authors": ", ".join(document.authors),
            "published": document.published,
            "source": document.source,
            "fetched": document.fetched_at + (" (stale: the last fetch failed)" if document.stale else ""),
            "revision": document.revision,
            "licence": document.licence or "not stated",
            **{k: str(v) for k, v in document.metadata.items()},
        }
        out()
        for name, value in facts.items():
            if value:
                out(f"{paint(f'{safe(name):>9}', 'dim')}  {safe(value)}")
        out()
        out(safe(document.text))
    if shown.failure is not None:
        out()
        detail = f": {shown.failure.detail}" if shown.failure.detail else ""
        out(paint(safe(f"no text ({shown.failure.reason}{detail})"), "warn"))
