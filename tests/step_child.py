"""Kill an update at each of its file operations in turn: ``python step_child.py TEMPLATE HOME MODEL FIRST STEP``.

Python tells of a file operation before it does it (https://docs.python.org/3/library/audit_events.html), so a kill
there is a kill between two operations. Each update, and each look at what it left, is a process of its own that is
forked from this one, which has loaded everything and done nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import onnxruntime
import tantivy

import accelrag.answer
import accelrag.retriever  # noqa: F401
from accelrag.index import Store, current_generation
from accelrag.pipeline import Assistant, doctor, examine, gc, list_check, update_home, updating, writing
from accelrag.settings import Settings

LOADED = (faiss, onnxruntime, tantivy, doctor, gc, list_check, updating, writing)
EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "shutil.rmtree", "sqlite3.connect"}


def forked(work: Callable[[], Any]) -> int:
    """Run in a process of its own; its wait status."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def killed_at(number: int, settings: Settings) -> None:
    seen = 0
    home = str(settings.home)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in EVENTS and args and home in str(args[0]):
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    update_home(settings, offline=True)


def editions(settings: Settings) -> set[str]:
    with closing(Store(current_generation(settings.index_dir) / "passages.db")) as store:
        return {re.search(r"edition (\d+)", entry.note)[1] for entry, _ in store.entries()}


def look(settings: Settings) -> None:
    assistant = Assistant.open(settings, build=False)
    found = {re.search(r"edition (\d+)", r.entry.note)[1] for r in assistant.search("edition").results}
    assert len(found) == 1, f"a mixed answer: {found}"
    assert found == editions(settings)
    update_home(settings, offline=True)
    assert editions(settings) == {"2"}, "the next run did not finish"
    findings = examine(settings, fix=True, servers=list, free=lambda _: 10**12).findings
    assert findings == (), findings
    left = {p.name for p in settings.home.rglob("*") if p.name.startswith(".building") or p.name.endswith(".new")}
    assert not left, left


def main(template: str, home: str, model: str, first: str, step: str) -> None:
    settings = Settings(home=Path(home), model=model, threads=1)
    number = int(first)
    while True:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(template, home)
        status = forked(partial(killed_at, number, settings))
        if not os.WIFSIGNALED(status):
            print("finished before operation", number, "status", status, flush=True)
            return
        if forked(partial(look, settings)):
            print("after a kill at operation", number, flush=True)
            sys.exit(1)
        number += int(step)


if __name__ == "__main__":
    main(*sys.argv[1:])
