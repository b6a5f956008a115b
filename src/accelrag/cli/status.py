"""``accelrag status`` and ``accelrag config``."""

from __future__ import annotations

import click

from accelrag import pipeline
from accelrag.cli.console import out, out_json, paint, safe
from accelrag.cli.options import common, json_option, settings_of

__all__ = ["config_command", "status_command"]


@click.command("status", short_help="What is here: entries, coverage, model, age.")
@common
@json_option
def status_command(home: str | None, model: str | None, list_: str | None, as_json: bool) -> int:
    """Say what is in the home.

    \b
    accelrag status
    """
    found = pipeline.status(settings_of(home=home, model=model, list_=list_))
    if as_json:
        out_json(found.to_dict())
        return 0
    rows = [("home", found.home)]
    for item in found.lists:
        source = f" (from {item['source']})" if item["source"] else ""
        rows.append(("list", f"{item['title'] or item['path']}: {item['entries']} entries{source}"))
    rows.append(("entries", f"{found.entries}, standing in {found.places} places"))
    rows.append(
        ("coverage", ", ".join(f"{n} {level}" for level, n in sorted(found.coverage.items(), key=lambda i: -i[1])))
    )
    if found.failures:
        rows.append(("no text", ", ".join(f"{n} {reason}" for reason, n in sorted(found.failures.items()))))
    if found.stale:
        rows.append(("stale", f"{found.stale} texts: the last fetch failed"))
    index = found.index
    if not index:
        rows.append(("index", "none yet: the first question builds it, or `accelrag index`"))
    elif "problem" in index:
        rows.append(("index", f"{index['problem']} ({index['hint']})"))
    else:
        size = index["bytes"] / 1e6
        rows.append(("index", f"{index['passages']} passages, {size:.0f} MB, built {_age(index['age_seconds'])} ago"))
        rows.append(("model", f"{index['model']} ({index['fingerprint'][:12]})"))
    rows += [("behind", f"{line}: `accelrag index`") for line in found.newer]
    for name, value in rows:
        out(f"{paint(f'{name:>8}', 'number')}  {safe(value)}")
    return 0


@click.command("config", short_help="Each setting, its value and where it came from.")
@common
@json_option
def config_command(home: str | None, model: str | None, list_: str | None, as_json: bool) -> int:
    """Print each setting with its value and its origin; secrets are hidden.

    \b
    accelrag config
    """
    rows = settings_of(home=home, model=model, list_=list_).explain()
    if as_json:
        out_json({key: {"value": value, "origin": origin, "about": about} for key, value, origin, about in rows})
        return 0
    for key, value, origin, about in rows:
        out(f"{paint(key, 'title')} = {safe(value) or '(empty)'}  {paint(f'[{safe(origin)}]', 'number')}")
        out(f"    {paint(about, 'dim')}")
    return 0


def _age(seconds: int) -> str:
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds // size} {name}"
    return f"{seconds} seconds"
