"""``accelrag export``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from accelrag import pipeline
from accelrag.cli.console import json_line, notice, progress, safe
from accelrag.cli.options import common, filters, settings_of
from accelrag.errors import UsageError

__all__ = ["export_command"]


@click.command("export", short_help="BibTeX, Markdown or JSON Lines of entries.")
@common
@click.option("--bibtex", "form", flag_value="bibtex", help="BibTeX, from fetched metadata where there is some.")
@click.option("--markdown", "form", flag_value="markdown", help="A Markdown list.")
@click.option("--jsonl", "form", flag_value="jsonl", default=True, help="JSON Lines, one entry a line (the default).")
@click.option("--json", "form", flag_value="jsonl", help="The same as --jsonl.")
@click.option("--cited-by", metavar="QUESTION", help="Only the entries that the answer to QUESTION cites.")
@click.option("--section", "sections", multiple=True, metavar="S", help="Only this section; may be repeated.")
@click.option("--kind", "kinds", multiple=True, metavar="K", help="Only entries of this kind; may be repeated.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write here, not to stdout.")
def export_command(
    home: str | None,
    model: str | None,
    list_: str | None,
    form: str,
    cited_by: str | None,
    sections: tuple[str, ...],
    kinds: tuple[str, ...],
    output: Path | None,
) -> int:
    """Export the entries, or those that an answer cites.

    \b
    accelrag export --bibtex --section "KV Cache"
    accelrag export --bibtex --cited-by "How does speculative decoding work?"
    """
    settings = settings_of(home=home, model=model, list_=list_)
    with progress() as bar:
        assistant = pipeline.Assistant.open(settings, progress=bar, notice=notice)
    if cited_by:
        answer = assistant.ask(cited_by, filters=filters(sections, kinds))
        rows = [(c.entry, c.coverage) for c in answer.citations]
        if answer.refused:
            notice(answer.reason)
    else:
        rows = pipeline.narrowed(assistant.entries(), sections, kinds)
        if not rows:
            raise UsageError("no entry fits these filters", hint="`accelrag list` shows sections and kinds")
    text = pipeline.exported(form, [(e, c, assistant.document(f"text:{e.id}")) for e, c in rows], json_line)
    if output is None:
        sys.stdout.write(text if form == "jsonl" else safe(text))
        return 0 if rows else 3
    pipeline.write_file(output, text, option="--output")
    notice(f"{len(rows)} entries in {output}")
    return 0 if rows else 3
