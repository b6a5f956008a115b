"""Runs accelrag as a person does, in a process of its own with an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Run", "run_cli"]


@dataclass(frozen=True)
class Run:
    """What a run left: exit code, standard output and standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as one JSON value a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def run_cli(
    *arguments: str,
    home: Path | None = None,
    model: Path | None = None,
    stdin: str | bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    python: Sequence[str] = (),
    before: Sequence[str] = (),
) -> Run:
    """Run ``accelrag ARGUMENTS`` with nothing of this process's own settings; no traceback may come out of it."""
    clean = {k: v for k, v in os.environ.items() if k in {"PATH", "LANG", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV"}}
    clean |= {"HOME": str(cwd or home or "/nonexistent"), "XDG_DATA_HOME": str(cwd or home or Path("/nonexistent"))}
    if home is not None:
        clean["ACCELRAG_HOME"] = str(home)
    if model is not None:
        clean["ACCELRAG_MODEL"] = str(model)
    clean |= dict(env or {})
    done = subprocess.run(
        [*before, sys.executable, *python, "-m", "accelrag", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env=clean,
        cwd=cwd,
        timeout=300,
        check=False,
    )
    run = Run(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace"))
    assert "Traceback (most recent call last)" not in run.out + run.err, run.err
    return run
