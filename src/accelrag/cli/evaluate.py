"""``accelrag eval``."""

from __future__ import annotations

from pathlib import Path

import click

from accelrag import pipeline
from accelrag.cli.console import notice, out, out_json, paint, progress, safe
from accelrag.cli.options import common, json_option, settings_of

__all__ = ["eval_command"]


@click.command("eval", short_help="Figures on a question file.")
@click.argument("file", type=click.Path(path_type=Path))
@common
@json_option
@click.option("--fusion", default="sum", type=click.Choice(["sum", "rrf", "dense", "lexical"]), help="How to rank.")
@click.option("--floor", "floors", multiple=True, metavar="NAME=VALUE", help="Fail where a figure is below.")
def eval_command(
    file: Path,
    home: str | None,
    model: str | None,
    list_: str | None,
    as_json: bool,
    fusion: str,
    floors: tuple[str, ...],
) -> int:
    """Measure retrieval, refusal, citations and latency on FILE: id, answer or none, question, URLs; tab-separated.

    \b
    accelrag eval evals/calibration.tsv --floor hit@1=0.85 --floor refusal-f1=0.9
    """
    from accelrag.retriever import Fusion

    settings = settings_of(home=home, model=model, list_=list_)
    questions, least = pipeline.read_questions(file), pipeline.floors_of(floors)
    with progress() as bar:
        assistant = pipeline.Assistant.open(settings, progress=bar, notice=notice, fusion=Fusion(method=fusion))
        bar.start("asking", len(questions))
        report = pipeline.evaluate(
            questions,
            lambda text: assistant.search(text, limit=10).results,
            assistant.ask,
            assistant.document,
            lambda: bar.advance("asking"),
        )
        bar.done("asking")
    low = report.below(least)
    if as_json:
        misses = [{"id": i, "question": text, "why": why} for i, text, why in report.misses]
        out_json({"figures": report.figures, "misses": misses, "below": low})
    else:
        for name, value in report.figures.items():
            out(f"{paint(f'{name:>22}', 'number')}  {value:.4g}")
        for i, text, why in report.misses:
            out(paint(safe(f"{i:>22}  {text} ({why})"), "dim"))
        for line in low:
            notice(line)
    return 1 if low else 0
