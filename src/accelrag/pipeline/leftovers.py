"""What runs that were killed left in a home, and its removal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from accelrag.errors import Busy
from accelrag.index import orphans, sweep, writing
from accelrag.pipeline.gc import index_folders
from accelrag.settings import Settings

__all__ = ["holder_of", "is_alive", "left_behind", "swept"]


def left_behind(settings: Settings) -> list[Path]:
    """Folders and files that no run will look at again."""
    found = [path for folder in index_folders(settings) for path in orphans(folder)]
    if settings.corpus_dir.is_dir():
        found += sorted(settings.corpus_dir.glob(".*.new"))
    return found


def swept(settings: Settings) -> Iterator[str]:
    """Remove what was left behind, unless its maker is still at work."""
    from accelrag.storage import hold

    left = left_behind(settings)
    note = settings.corpus_dir / ".lock.json"
    stale = holder_of(note)
    if not left and not (stale and not is_alive(stale[0])):
        return
    with suppress(Busy), hold(settings.corpus_dir, doing="accelrag doctor"):
        for folder in index_folders(settings):
            if folder.is_dir() and orphans(folder):
                with suppress(Busy), writing(folder):
                    yield from (f"removed {path}" for path in sweep(folder))
        for path in settings.corpus_dir.glob(".*.new"):
            path.unlink(missing_ok=True)
            yield f"removed {path}"
    if stale and not is_alive(stale[0]):
        note.unlink(missing_ok=True)
        yield f"removed {note}"


def holder_of(note: Path) -> tuple[int, str] | None:
    """Process and words of the note that stands beside a lock; None where there is none."""
    try:
        said = json.loads(note.read_text(encoding="utf-8"))
        return int(said["pid"]), f"{str(said['doing'])[:60]} since {str(said['since'])[:40]}"
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return (0, "unreadable")


def is_alive(pid: int) -> bool:
    """Whether a process of that number runs on this machine."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
