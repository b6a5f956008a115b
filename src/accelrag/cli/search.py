"""``accelrag search``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from accelrag import pipeline
from accelrag.cli.console import notice, out, out_json, paint, progress, safe, width
from accelrag.cli.options import common, filtering, filters, json_option, questions, settings_of
from accelrag.errors import AccelragError
from accelrag.text.plaintext import plain_text
from accelrag.types import Result

if TYPE_CHECKING:
    from accelrag.retriever import Search

__all__ = ["search_command"]


@click.command("search", short_help="Ranked entries with their best passage.")
@click.argument("query")
@common
@filtering
@json_option
@click.option("--explain", is_flag=True, help="Show each score and why.")
def search_command(
    query: str,
    home: str | None,
    model: str | None,
    list_: str | None,
    sections: tuple[str, ...],
    kinds: tuple[str, ...],
    top_k: int | None,
    as_json: bool,
    explain: bool,
) -> int:
    """Rank the entries for QUERY; `-` reads one query a line.

    \b
    accelrag search "kv cache quantization" -k 5 --explain
    """

    settings = settings_of(home=home, model=model, list_=list_, top_k=top_k)
    if query and query != "-":
        pipeline.clean_question(query)  # what is wrong with it is said before an index is built
    with progress() as bar:
        assistant = pipeline.Assistant.open(settings, progress=bar, notice=notice)
    for text in questions(query):
        try:
            found = assistant.search(text, filters=filters(sections, kinds))
        except AccelragError as error:
            if query != "-":
                raise
            if as_json:
                out_json({"query": text[:200], **error.to_dict()})
            else:
                notice(f"error: {error}")
            continue
        if as_json:
            shape = {**found.to_dict(), "query": text}
            if explain:
                shape["explain"] = _reading(found)
            out_json(shape)
        else:
            _show(found, explain)
    return 0


def _show(found: Search, explain: bool) -> None:
    for wrong, right in found.reading.corrections.items():
        notice(f"read {wrong!r} as {right!r}")
    if explain:
        reading = _reading(found)
        words = ", ".join(f"{t['stem']} {t['weight']}" for t in reading["terms"])
        out(
            paint(
                f"words: {safe(words) or 'none'} · names: {safe(', '.join(reading['identifiers'])) or 'none'}", "dim"
            )
        )
        signals = " · ".join(f"{k} {v}" for k, v in reading["signals"].items())
        out(paint(signals, "dim"))
    if not found.results:
        out("nothing found")
    for result in found.results:
        _row(result, explain)


def _row(result: Result, explain: bool) -> None:
    entry = result.entry
    places = "; ".join(" > ".join(path) for path in entry.sections)
    out(f"{paint(f'{result.rank:>2}.', 'number')} {paint(safe(entry.title), 'title')}  {result.score:.2f}")
    out(f"    {paint(safe(entry.url), 'link')}")
    out(f"    {paint(safe(f'{places} · {entry.kind} · {result.coverage}'), 'dim')}")
    best = next((h.passage for h in result.hits if not h.passage.is_note), None)
    text = plain_text(best.text) if best else entry.note
    if text:
        out(textwrap.indent(textwrap.fill(textwrap.shorten(safe(text), 300, placeholder=" …"), width() - 4), "    "))
    if explain:
        for hit in result.hits:
            where = "note" if hit.passage.is_note else " > ".join(hit.passage.heading) or "text"
            numbers = f"fused {hit.score:.3f}, cosine {hit.dense:.3f}, BM25 {hit.lexical:.2f}"
            out(paint(f"    · {numbers}: {safe(where)}", "dim"))
        for reason in result.why:
            out(paint(f"    · {safe(reason)}", "dim"))


def _reading(found: Search) -> dict[str, Any]:
    reading, signals = found.reading, found.signals
    return {
        "terms": [{"stem": stem, "weight": round(weight, 2)} for stem, weight in reading.terms],
        "identifiers": list(reading.identifiers),
        "grams": list(reading.grams),
        "corrections": dict(reading.corrections),
        "unknown": list(reading.unknown),
        "signals": {
            "cosine": round(signals.cosine, 3),
            "known": round(signals.known, 3),
            "found": round(signals.found, 3),
            "noted": round(signals.noted, 3),
            "named": signals.named,
        },
    }
