"""``accelrag fetch``, ``accelrag import`` and ``accelrag index``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelrag import pipeline
from accelrag.cli.console import notice, out, out_json, paint, progress, safe
from accelrag.cli.options import common, json_option, settings_of

if TYPE_CHECKING:
    from accelrag.ingest import Summary

__all__ = ["fetch_command", "import_command", "index_command"]


@click.command("index", short_help="Build the index from the corpus.")
@common
@json_option
@click.option("--rebuild", is_flag=True, help="Build even where nothing changed; vectors are still reused.")
def index_command(home: str | None, model: str | None, list_: str | None, as_json: bool, rebuild: bool) -> int:
    """Build the index from the list and the fetched texts. Only new text is encoded.

    \b
    accelrag index
    accelrag index --model ./my-embedding-model
    """
    settings = settings_of(home=home, model=model, list_=list_)
    with progress() as bar:
        report = pipeline.build_index(settings, progress=bar, notice=notice, rebuild=rebuild)
    if as_json:
        out_json(
            {
                "generation": report.folder.name,
                "entries": report.entries,
                "passages": report.passages,
                "encoded": report.encoded,
                "unchanged": report.unchanged,
            }
        )
    elif report.unchanged:
        out(f"up to date: {report.entries} entries, {report.passages} passages")
    else:
        out(f"{report.entries} entries, {report.passages} passages, {report.encoded} encoded: {report.folder.name}")
    return 0


@click.command("fetch", short_help="Fetch what the entries point at.")
@common
@json_option
@click.option("--only", multiple=True, metavar="KIND", help="Only this kind or source; may be repeated.")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="Ask for at most N entries.")
@click.option("--offline", is_flag=True, help="Open no connection: only say what would be fetched.")
@click.option("--retry-failed", is_flag=True, help="Ask again for what failed for good.")
def fetch_command(
    home: str | None,
    model: str | None,
    list_: str | None,
    as_json: bool,
    only: tuple[str, ...],
    limit: int | None,
    offline: bool,
    retry_failed: bool,
) -> int:
    """Fetch abstracts, READMEs, papers and pages. Interrupt it at any time: the next run goes on.

    \b
    accelrag fetch --only paper --limit 20
    """
    settings = settings_of(home=home, model=model, list_=list_)
    with progress() as bar:
        summary = pipeline.fetch_texts(
            settings, progress=bar, only=only or None, limit=limit, offline=offline, retry_failed=retry_failed
        )
    _report(summary, as_json)
    if summary.fetched and not as_json:
        notice("`accelrag index` takes the new texts into the index.")
    return 0


@click.command("import", short_help="Take texts that you have already.")
@click.argument("file", type=click.Path(path_type=Path))
@common
@json_option
def import_command(file: Path, home: str | None, model: str | None, list_: str | None, as_json: bool) -> int:
    """Import FILE: one JSON object a line with title, text, url and authors; `.gz` is read too.

    \b
    accelrag import abstracts.jsonl && accelrag index
    """
    settings = settings_of(home=home, model=model, list_=list_)
    with progress() as bar:
        summary = pipeline.import_texts(settings, file, progress=bar)
    _report(summary, as_json)
    return 0


def _report(summary: Summary, as_json: bool) -> None:
    if as_json:
        out_json(summary.to_dict())
        return
    counts = {
        "fetched": summary.fetched,
        "unchanged": summary.unchanged,
        "fresh enough": summary.fresh,
        "stale kept": summary.stale_kept,
        "note only": summary.note_only,
        "failed": summary.failed,
        "left for later": summary.skipped,
    }
    for name, count in counts.items():
        if count:
            out(f"{count:>7}  {name}")
    for reason, count in summary.reasons.most_common():
        out(paint(f"{count:>7}  · {safe(reason)}", "dim"))
    out(paint(f"{summary.accounted:>7}  in all", "title"))
    for line in summary.errors[:10]:
        notice(line)
    if len(summary.errors) > 10:
        notice(f"… and {len(summary.errors) - 10} more lines that could not be used")
