"""A list is parsed once a version: what was parsed is kept in a file by the digest of its bytes.

Only lists that take noticeable time are kept, from ``WORTH_KEEPING`` bytes. A file's name also holds a digest of the
parser's own source, so another parser never reads what this one understood. A file that cannot be read or written
costs the time to parse, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accelrag.errors import StorageError
from accelrag.storage import entry_from, entry_values, replace_file
from accelrag.types import Skipped

if TYPE_CHECKING:
    from accelrag.listing.parsing import Listing

__all__ = ["WORTH_KEEPING", "parsed_once", "parser_version"]

WORTH_KEEPING = 50_000  # bytes of a list; the parser reads about 1,500 bytes in a millisecond
_UNUSED = 30 * 86_400.0  # seconds after which a kept list that nobody read is removed
_LAYOUT = 1


@lru_cache(maxsize=1)
def parser_version() -> str:
    """A digest of the source of the parser: it changes with the parser, and nobody has to remember to change it."""
    digest = hashlib.sha256(f"{_LAYOUT}".encode())
    package = Path(__file__).parents[1]
    sources = [*(path for room in ("listing", "text", "types") for path in (package / room).glob("*.py"))]
    for path in sorted([*sources, package / "storage.py"]):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def parsed_once(data: bytes, name: str, folder: Path, parse: Callable[[], Listing]) -> Listing:
    """What ``parse()`` gives for ``data``, from ``folder`` where it is kept there, else kept there from now on.

    ``name`` is the list's name, which is written into each place. Nothing is kept of a list that raises.
    """
    if len(data) < WORTH_KEEPING:
        return parse()
    try:
        key = hashlib.sha256(f"{parser_version()}\n{name}\n".encode() + data).hexdigest()
    except OSError:  # the parser's source is not in files
        return parse()
    path = folder / f"{key}.json"
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        kept = _unpacked(json.loads(path.read_bytes()))
        with suppress(OSError):
            os.utime(path)
        return kept
    listing = parse()
    with suppress(StorageError):
        replace_file(path, json.dumps(_packed(listing), ensure_ascii=False).encode(), parents=True)
        _remove_unused(folder)
    return listing


def _packed(listing: Listing) -> dict[str, Any]:
    return {
        "title": listing.title,
        "entries": [entry_values(entry) for entry in listing.entries],
        "skipped": [[s.line, s.text, s.reason] for s in listing.skipped],
    }


def _unpacked(values: Mapping[str, Any]) -> Listing:
    from accelrag.listing.parsing import Listing

    entries = tuple(entry_from(entry) for entry in values["entries"])
    return Listing(values["title"], entries, tuple(Skipped(*row) for row in values["skipped"]))


def _remove_unused(folder: Path) -> None:
    before = time.time() - _UNUSED
    for path in folder.glob("*.json"):
        with suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()
