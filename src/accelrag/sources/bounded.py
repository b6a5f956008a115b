"""Hostile bodies are read in a process of their own, with an end in time and a ceiling in memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from accelrag.errors import FetchFailed

__all__ = ["run_bounded"]

_LONGEST_ANSWER = 64_000_000
_MEMORY = 2_000_000_000


def run_bounded(
    what: str, body: bytes, options: dict[str, Any], *, seconds: float, memory: int = _MEMORY
) -> dict[str, Any]:
    """Run one of the readers of ``accelrag.sources.reader`` over a body. ``memory`` is in bytes.

    Raises:
        FetchFailed: unreadable: the reader crashed, or took too long or too much.
    """
    command = [sys.executable, "-P", "-m", "accelrag.sources.reader", what, json.dumps(options), str(memory)]
    environ = {
        k: v for k, v in os.environ.items() if k in {"PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMP", "TEMP", "HOME"}
    }
    # The reader sees the packages that this process sees, and no token of its environment.
    environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    environ |= {"PYTHONIOENCODING": "utf-8", "MALLOC_ARENA_MAX": "2"}
    try:
        ended = subprocess.run(
            command,
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env=environ,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise FetchFailed(f"not read within {seconds:g} s", reason="unreadable") from error
    except OSError as error:
        raise FetchFailed(f"the reader cannot be started: {error}", reason="unreadable") from error
    if ended.returncode != 0 or len(ended.stdout) > _LONGEST_ANSWER:
        raise FetchFailed(f"the reader ended with {ended.returncode}", reason="unreadable")
    try:
        answer = json.loads(ended.stdout)
    except ValueError as error:
        raise FetchFailed("the reader answered no JSON", reason="unreadable") from error
    if not isinstance(answer, dict):
        raise FetchFailed("the reader answered no object", reason="unreadable")
    return answer
