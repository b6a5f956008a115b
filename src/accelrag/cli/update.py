"""``accelrag update`` and ``accelrag gc``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from accelrag import pipeline
from accelrag.cli.console import notice, out, out_json, paint, progress, safe
from accelrag.cli.options import common, json_option, settings_of

if TYPE_CHECKING:
    from accelrag.pipeline import Collected, ListUpdate, UpdateReport

__all__ = ["gc_command", "update_command"]

_MOST_LINES = 200


@click.command("update", short_help="Refresh the list, say what changed, fetch and index it.")
@common
@json_option
@click.option("--name", default="", metavar="NAME", help="A name for the list of --list, to ask it alone later.")
@click.option("--dry-run", is_flag=True, help="Only say what changed; write nothing.")
@click.option("--force", is_flag=True, help="Take a list that lost more than half of its entries.")
@click.option("--only", multiple=True, metavar="KIND", help="Fetch only this kind or source; may be repeated.")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="Fetch at most N entries.")
@click.option("--offline", is_flag=True, help="Open no connection: refresh from paths, fetch nothing.")
@click.option("--retry-failed", is_flag=True, help="Ask again for what failed for good.")
def update_command(
    home: str | None,
    model: str | None,
    list_: str | None,
    as_json: bool,
    name: str,
    dry_run: bool,
    force: bool,
    only: tuple[str, ...],
    limit: int | None,
    offline: bool,
    retry_failed: bool,
) -> int:
    """Refresh the lists of the home from where they come from, fetch what is new or stale, and index it.

    --list takes a path, an address or a GitHub repository as owner/name, and the home follows it from then on.
    Interrupt it at any time: the old index goes on answering and the next run goes on.

    \b
    accelrag update
    accelrag update --list https://github.com/sindresorhus/awesome --name awesome
    accelrag update --dry-run --json
    """
    settings = settings_of(home=home, model=model, list_=list_)
    with progress() as bar:
        report = pipeline.update_home(
            settings,
            name=name,
            dry_run=dry_run,
            force=force,
            only=only or None,
            limit=limit,
            offline=offline,
            retry_failed=retry_failed,
            progress=bar,
            told=(lambda _: None) if as_json else _tell,
            notice=notice,
        )
    if as_json:
        out_json(report.to_dict())
    else:
        _end(report)
    return report.exit_code


def _tell(item: ListUpdate) -> None:
    title = paint(safe(item.title or item.name or "the list"), "title")
    if item.problem is not None:
        out(f"{title}: left as it was")
        out(paint(f"  {safe(str(item.problem))}", "bad"))
        if item.problem.hint:
            out(f"  try: {safe(item.problem.hint)}")
        return
    if item.first:
        out(f"{title}: new, {item.entries} entries")
        return
    out(f"{title}: {item.changes.summary}")
    lines = item.changes.lines()
    for line in lines[:_MOST_LINES]:
        out(f"  {safe(line)}")
    if len(lines) > _MOST_LINES:
        out(f"  … and {len(lines) - _MOST_LINES} more, in --json")


def _end(report: UpdateReport) -> None:
    if report.dry_run:
        out(f"{report.missing} entries have no text yet; nothing was written")
        return
    if report.fetched is not None:
        done = report.fetched
        counts = {
            "fetched": done.fetched,
            "unchanged": done.unchanged,
            "fresh enough": done.fresh,
            "stale kept": done.stale_kept,
            "note only": done.note_only,
            "failed": done.failed,
            "left for later": done.skipped,
        }
        out("texts: " + ", ".join(f"{count} {what}" for what, count in counts.items() if count))
        for reason, count in done.reasons.most_common():
            out(paint(f"  {count} {safe(reason)}", "dim"))
    built = report.index
    if built is None:
        return
    if built.unchanged:
        out(f"index: up to date, {built.entries} entries, {built.passages} passages")
    else:
        out(f"index: {built.entries} entries, {built.passages} passages, {built.encoded} encoded")
    if any(item.changes.removed for item in report.lists):
        notice("The texts of removed entries stay in the corpus until `accelrag gc`.")


@click.command("gc", short_help="Remove texts, vectors and encoders that nothing uses.")
@common
@json_option
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def gc_command(home: str | None, model: str | None, list_: str | None, as_json: bool, dry_run: bool) -> int:
    """Remove the texts of entries that no list holds, vectors that no passage uses, and old encoders.

    \b
    accelrag gc --dry-run
    """
    found = pipeline.collect_garbage(settings_of(home=home, model=model, list_=list_), dry_run=dry_run)
    if as_json:
        out_json(found.to_dict())
    else:
        _collected(found)
    return 0


def _collected(found: Collected) -> None:
    if not found.counts:
        out("nothing to remove")
        return
    verb = "would go" if found.dry_run else "gone"
    for what, count in found.counts.items():
        out(f"{count:>7}  {what}")
    out(paint(f"{found.bytes / 1e6:>7.1f}  MB {verb}", "title"))
