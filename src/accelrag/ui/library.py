"""What is here, and the long runs that change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accelrag.errors import AccelragError
from accelrag.pipeline import status, update_home
from accelrag.settings import Settings
from accelrag.sources.reasons import REASONS
from accelrag.ui.asking import build_work
from accelrag.ui.escape import text
from accelrag.ui.evidence import COVERAGE
from accelrag.ui.jobs import Job

__all__ = ["build_work", "job_html", "status_html", "update_work"]


def status_html(settings: Settings) -> str:
    """The home in numbers."""
    try:
        found = status(settings)
    except AccelragError as error:
        return f'<div class="trouble"><p>{text(str(error), 600)}</p><p class="hint">{text(error.hint, 600)}</p></div>'
    index = found.index
    cards = [
        ("Entries", f"{found.entries:,}", f"in {found.places:,} places"),
        ("With text", f"{found.documents:,}", f"{found.stale:,} of them stale"),
        ("Passages", f"{index['passages']:,}" if "passages" in index else "–", _age(index)),
        ("No text", f"{sum(found.failures.values()):,}", "see below"),
    ]
    shown = "".join(
        f'<li class="figure"><span>{text(name)}</span><strong>{text(value)}</strong><small>{text(more)}</small></li>'
        for name, value, more in cards
    )
    newer = "".join(f'<p class="notice">{text(line, 400)}</p>' for line in found.newer)
    problem = f'<p class="trouble">{text(str(index["problem"]), 600)}</p>' if "problem" in index else ""
    facts = {
        "Home": found.home,
        "List": ", ".join(str(item.get("title") or item.get("name") or item.get("path")) for item in found.lists),
        "Model": str(index.get("model", "")),
        "Generation": str(index.get("generation", "")),
        "Built": str(index.get("created", "")).replace("T", " ")[:16],
        "Size": f"{index['bytes'] / 1e6:.0f} MB" if "bytes" in index else "",
    }
    rows = "".join(f"<dt>{name}</dt><dd>{text(value, 400)}</dd>" for name, value in facts.items() if value)
    reasons = {REASONS.get(k, k): v for k, v in found.failures.items()}
    return (
        f'{problem}{newer}<ul class="figures">{shown}</ul><div class="two"><section><h3>Coverage</h3>'
        f"{_bars({COVERAGE.get(k, k): v for k, v in found.coverage.items()}, found.entries)}</section>"
        f"<section><h3>Why there is no text</h3>{_bars(reasons, found.entries)}</section></div>"
        f'<h3>Index</h3><dl class="facts">{rows}</dl>'
    )


def job_html(job: Job | None) -> str:
    """How far the last run is."""
    if job is None:
        return ""
    bars = []
    for name, (done, total) in list(job.tasks.items()):
        share = round(100 * done / total) if total else 0
        amount = f"{done:,} of {total:,}" if total else f"{done:,}"
        bars.append(
            f'<li><span>{text(name, 80)}</span><span class="bar"><i style="width:{min(100, share)}%"></i></span>'
            f"<span>{amount}</span></li>"
        )
    words = {
        "running": "Cancelling…" if job.cancelling else f"Running for {job.seconds:.0f} s",
        "done": f"Done in {job.seconds:.0f} s",
        "failed": "Failed",
        "cancelled": "Cancelled",
    }
    message = f"<p>{text(job.message, 600)}</p>" if job.message else ""
    return (
        f'<div class="job {job.state}" data-state="{job.state}"><p><strong>{text(job.name.capitalize())}</strong> · '
        f'{words[job.state]}</p><ul class="bars">{"".join(bars)}</ul>{message}</div>'
    )


def update_work(settings: Settings, job: Job) -> str:
    """Refresh the lists that come from elsewhere, fetch what is new or stale, then index it: ``accelrag update``."""
    report = update_home(settings, progress=job, cancelled=lambda: job.cancelling, wait=600.0)
    job.check()
    told = [f"{item.title or item.name}: {item.problem}." for item in report.lists if item.problem]
    if report.fetched is not None:
        done = report.fetched
        told.append(f"{done.fetched} fetched, {done.unchanged} unchanged, {done.failed} failed.")
    if report.index is not None:
        told.append(f"{report.index.passages} passages, {report.index.encoded} encoded anew.")
    return " ".join(told)


def _bars(counts: Mapping[str, int], total: int) -> str:
    if not counts:
        return '<p class="hint">nothing</p>'
    rows = "".join(
        f'<li><span>{text(name, 80)}</span><span class="bar"><i style="width:{round(100 * n / max(1, total))}%"></i>'
        f"</span><span>{n:,}</span></li>"
        for name, n in sorted(counts.items(), key=lambda item: -item[1])
    )
    return f'<ul class="bars">{rows}</ul>'


def _age(index: Mapping[str, Any]) -> str:
    seconds = index.get("age_seconds")
    if seconds is None:
        return "no index yet"
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"built {count} {name}{'s' if count != 1 else ''} ago"
    return "built just now"
