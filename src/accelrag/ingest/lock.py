"""One writer a corpus. The kernel frees the lock of a process that was killed, so it is never stale."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from accelrag.errors import Busy, StorageError

__all__ = ["hold"]


@contextmanager
def hold(folder: Path, *, wait: float = 0.0, doing: str = "accelrag fetch") -> Iterator[None]:
    """Hold ``folder/.lock``, waiting for at most ``wait`` seconds (below 0: for ever). Reentrant within a thread.

    Raises:
        Busy: another process holds it; names its number, what it does and since when.
        StorageError: the folder cannot be written.
    """
    note = folder / ".lock.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", is_singleton=True)
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise Busy(
            f"another accelrag writes into {folder}{_holder(note)}",
            hint="wait until it is through, or end it, and run the command again",
        ) from error
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error}", hint="check the folder's permissions") from error
    try:
        first = lock.lock_counter == 1
        if first:
            with suppress(OSError):
                said = {
                    "pid": os.getpid(),
                    "doing": doing,
                    "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                }
                note.write_text(json.dumps(said), encoding="utf-8")
        yield
    finally:
        if lock.lock_counter == 1:
            with suppress(OSError):
                note.unlink()
        lock.release()


def _holder(note: Path) -> str:
    try:
        said = json.loads(note.read_text(encoding="utf-8"))
        return f" (process {int(said['pid'])}, {str(said['doing'])[:80]}, since {str(said['since'])[:40]})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
