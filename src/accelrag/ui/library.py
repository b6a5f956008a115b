"""What is here, and the long runs that change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accelrag.errors import AccelragError
from accelrag.pipeline import status, update_home
from accelrag.settings import Settings
from accelrag.sources.reasons import REASONS
from accelrag.ui.asking import build_work
from accelrag.ui.evidence import COVERAGE
from accelrag.ui.jobs import Job
from accelrag.ui.rendering import render

__all__ = ["build_work", "job_html", "status_html", "update_work"]


def status_html(settings: Settings) -> str:
    """The home in numbers."""
    try:
        found = status(settings)
    except AccelragError as error:
        return render("trouble.html", message=str(error), hint=error.hint)
    index = found.index
    cards = [
        ("Entries", f"{found.entries:,}", f"in {found.places:,} places"),
        ("With text", f"{found.documents:,}", f"{found.stale:,} of them stale"),
        ("Passages", f"{index['passages']:,}" if "passages" in index else "–", _age(index)),
        ("No text", f"{sum(found.failures.values()):,}", "see below"),
    ]
    facts = {
        "Home": found.home,
        "List": ", ".join(str(item.get("title") or item.get("name") or item.get("path")) for item in found.lists),
        "Model": str(index.get("model", "")),
        "Generation": str(index.get("generation", "")),
        "Built": str(index.get("created", "")).replace("T", " ")[:16],
        "Size": f"{index['bytes'] / 1e6:.0f} MB" if "bytes" in index else "",
    }
    return render(
        "library.html",
        problem=str(index.get("problem", "")),
        newer=found.newer,
        cards=cards,
        coverage=_most_first({COVERAGE.get(k, k): v for k, v in found.coverage.items()}),
        failures=_most_first({REASONS.get(k, k): v for k, v in found.failures.items()}),
        total=max(1, found.entries),
        facts={name: value for name, value in facts.items() if value},
    )


def job_html(job: Job | None) -> str:
    """How far the last run is."""
    if job is None:
        return ""
    tasks = [
        (
            name,
            min(100, round(100 * done / total)) if total else 0,
            f"{done:,} of {total:,}" if total else f"{done:,}",
        )
        for name, (done, total) in list(job.tasks.items())
    ]
    states = {
        "running": "Cancelling…" if job.cancelling else f"Running for {job.seconds:.0f} s",
        "done": f"Done in {job.seconds:.0f} s",
        "failed": "Failed",
        "cancelled": "Cancelled",
    }
    return render("job.html", job=job, state=states[job.state], tasks=tasks)


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


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: -item[1])


def _age(index: Mapping[str, Any]) -> str:
    seconds = index.get("age_seconds")
    if seconds is None:
        return "no index yet"
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"built {count} {name}{'s' if count != 1 else ''} ago"
    return "built just now"
