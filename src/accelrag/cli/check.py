"""``accelrag check`` and ``accelrag doctor``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelrag import pipeline
from accelrag.cli.console import notice, out, out_json, paint, progress, safe
from accelrag.cli.options import common, json_option, settings_of
from accelrag.errors import SettingsError, UsageError
from accelrag.settings import Settings

if TYPE_CHECKING:
    from accelrag.pipeline import Diagnosis, ListCheck

__all__ = ["check_command", "doctor_command"]

_STYLES = {"error": "bad", "warning": "warn", "info": "dim"}


@click.command("check", short_help="Link health, duplicates, list titles against real ones.")
@common
@json_option
@click.option("--offline", is_flag=True, help="Look at no link; tell what is known of them.")
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="FILE", help="Write a report: FILE.md or FILE.json."
)
@click.option(
    "--fix", type=click.Path(path_type=Path), metavar="OUT", help="Write a copy with the moved links fixed."
)
def check_command(
    home: str | None,
    model: str | None,
    list_: str | None,
    as_json: bool,
    offline: bool,
    report: Path | None,
    fix: Path | None,
) -> int:
    """Check a list: does each link answer, does it name papers rightly, does anything stand in it twice.

    A link is called dead when two runs a day apart found nothing. Exit code 1 when there are errors.

    \b
    accelrag check --report report.md
    accelrag check --list README.md --fix README.fixed.md
    """
    settings = settings_of(home=home, model=model, list_=list_)
    with progress() as bar:
        checked = pipeline.check_lists(settings, offline=offline, progress=bar, notice=notice)
    if fix is not None and len(checked) > 1:
        raise UsageError("--fix writes a copy of one list", hint="name it: --list NAME")
    shape = _shape(checked)
    if report is not None:
        as_text = json.dumps(shape, ensure_ascii=False, indent=1) + "\n"
        text = as_text if report.suffix == ".json" else "\n".join(c.report.markdown() for c in checked)
        pipeline.write_file(report, text, option="--report")
    count = pipeline.write_fixed(checked[0], fix) if fix is not None else 0
    if as_json:
        out_json(shape)
    else:
        for one in checked:
            _show(one)
    if fix is not None:
        notice(f"{count} moved links are fixed in {fix}")
    return max(c.report.exit_code for c in checked)


def _shape(checked: list[ListCheck]) -> dict[str, object]:
    shapes = [{"name": c.home_list.name, **c.report.to_dict()} for c in checked]
    if len(shapes) == 1:
        return shapes[0]
    return {"exit_code": max(c.report.exit_code for c in checked), "lists": shapes}


def _show(checked: ListCheck) -> None:
    report = checked.report
    out(paint(safe(report.title or checked.home_list.path.name), "title"))
    kind = ""
    for finding in report.findings:
        if finding.kind != kind:
            kind = finding.kind
            count = sum(f.kind == kind for f in report.findings)
            out(f"\n{paint(kind, _STYLES[finding.severity])} ({count})")
        lines = ",".join(map(str, finding.lines)) or "-"
        out(f"{paint(f'{lines:>7}', 'number')}  {safe(finding.title)}: {safe(finding.message)}")
        if finding.url:
            out(f"         {paint(safe(finding.url), 'link')}")
    errors = sum(f.severity == "error" for f in report.findings)
    warnings = sum(f.severity == "warning" for f in report.findings)
    out(f"\n{report.entries} entries, {report.checked_links} links known, {errors} errors, {warnings} warnings")


@click.command("doctor", short_help="What is wrong, and the command that fixes it.")
@common
@json_option
@click.option("--fix", is_flag=True, help="Remove what killed runs left behind.")
def doctor_command(home: str | None, model: str | None, list_: str | None, as_json: bool, fix: bool) -> int:
    """Look at the home, its list, corpus, index and model, and at the language model servers of this machine.

    Exit code 1 when something is wrong.

    \b
    accelrag doctor
    """
    found = _examined(home, model, list_, fix=fix)
    if as_json:
        out_json(found.to_dict())
    else:
        _tell(found)
    return found.exit_code


def _examined(home: str | None, model: str | None, list_: str | None, *, fix: bool) -> Diagnosis:
    try:
        return pipeline.examine(settings_of(home=home, model=model, list_=list_), fix=fix)
    except SettingsError as error:
        import os

        from accelrag.settings import find_home

        problem = pipeline.Symptom("settings", "error", str(error), error.hint)
        found = pipeline.examine(Settings(home=find_home(home, environ=os.environ)[0]), fix=fix)
        return pipeline.Diagnosis(found.home, (problem, *found.findings), found.fixed)


def _tell(found: Diagnosis) -> None:
    out(f"{paint('home', 'number')}  {safe(found.home)}")
    for line in found.fixed:
        out(paint(safe(line), "good"))
    for finding in found.findings:
        out(f"{paint(finding.severity, _STYLES[finding.severity])}  {finding.about}: {safe(finding.message)}")
        if finding.fix:
            out(f"  {'use' if finding.severity == 'info' else 'try'}: {safe(finding.fix)}")
    if not found.exit_code:
        out(paint("nothing is wrong", "good"))
