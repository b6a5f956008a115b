"""What an index lags behind its lists, told by size and modification time alone."""

from __future__ import annotations

from accelrag.errors import AccelragError
from accelrag.index.manifest import Manifest
from accelrag.pipeline.home import home_lists
from accelrag.settings import Settings

__all__ = ["lag", "quick_lag"]


def lag(manifest: Manifest, marks: list[dict[str, object]]) -> list[str]:
    """What of the lists changed since the index was built, by size and modification time."""
    then = {item["path"]: (item["size"], item["mtime_ns"]) for item in manifest.lists}
    found = []
    for mark in marks:
        was = then.get(str(mark["path"]))
        name = mark["name"] or mark["path"]
        if was is None:
            found.append(f"{name} is not in the index")
        elif was != (mark["size"], mark["mtime_ns"]):
            found.append(f"{name} changed since the index was built")
    return found


def quick_lag(settings: Settings, manifest: Manifest) -> list[str]:
    """``lag`` without parsing the lists; nothing where they cannot be read."""
    marks: list[dict[str, object]] = []
    try:
        for item in home_lists(settings):
            if not item.url:
                stat = item.path.stat()
                mark = {"name": item.name, "path": str(item.path), "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
                marks.append(mark)
    except (OSError, AccelragError):
        return []
    return lag(manifest, marks)
