"""What keeping values in a folder needs: one lock, files replaced whole, one error for a folder that cannot be
written, and how a Document and an Entry become the columns of a table.

The kernel frees the lock of a process that was killed, so it is never stale.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from accelrag.errors import Busy, StorageError
from accelrag.types import Document, Entry, EntryLink, Place

__all__ = [
    "DOCUMENT_COLUMNS",
    "document_from",
    "document_row",
    "entry_from",
    "entry_values",
    "hold",
    "replace_file",
    "unwritable",
    "writable",
]

DOCUMENT_COLUMNS = (
    "id, entry_id, text, coverage, title, source, fetched_at, revision, licence, authors, published, metadata, "
    "pages, markdown, stale"
)

_HINT = "check the folder's permissions and free space"


def document_row(document: Document) -> tuple[Any, ...]:
    """The values of ``DOCUMENT_COLUMNS``."""
    d = document
    return (
        *(d.id, d.entry_id, d.text, d.coverage, d.title, d.source, d.fetched_at, d.revision, d.licence),
        json.dumps(d.authors, ensure_ascii=False),
        d.published,
        json.dumps(dict(d.metadata), ensure_ascii=False, sort_keys=True),
        json.dumps(d.pages),
        int(d.markdown),
        int(d.stale),
    )


def document_from(row: Sequence[Any]) -> Document:
    """The document of a row of ``DOCUMENT_COLUMNS``.

    Raises:
        ValueError, TypeError: the row holds something else.
    """
    names = [name.strip() for name in DOCUMENT_COLUMNS.split(",")]
    values = dict(zip(names, row, strict=False))  # a table may have columns of its own behind them
    for name in ("authors", "pages"):
        values[name] = tuple(json.loads(values[name]))
    values["metadata"] = json.loads(values["metadata"])
    for name in ("markdown", "stale"):
        values[name] = bool(values[name])
    return Document(**values)


def entry_values(entry: Entry) -> dict[str, Any]:
    """An entry as JSON that ``entry_from`` reads back."""
    places = [
        {
            "title": place.title,
            "sections": list(place.sections),
            "note": place.note,
            "label": place.label,
            "line": place.line,
            "list_name": place.list_name,
        }
        for place in entry.places  # asdict would take eight times as long, and a large list has many
    ]
    return {
        "id": entry.id,
        "key": entry.key,
        "url": entry.url,
        "kind": entry.kind,
        "places": places,
        "also": list(entry.also),
        "facts": {
            "links": [[link.url, link.role, link.text] for link in entry.links],
            "authors": list(entry.authors),
            "year": entry.year,
            "venue": entry.venue,
        },
    }


def entry_from(values: Mapping[str, Any]) -> Entry:
    """The entry of ``entry_values``.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is something else.
    """
    places = tuple(Place(**{**place, "sections": tuple(place["sections"])}) for place in values["places"])
    facts = values.get("facts") or {}  # an import of an earlier version has none
    return Entry(
        *(values["id"], values["key"], values["url"], values["kind"], places, tuple(values["also"])),
        links=tuple(EntryLink(*link) for link in facts.get("links", ())),
        authors=tuple(facts.get("authors", ())),
        year=facts.get("year"),
        venue=facts.get("venue", ""),
    )


def unwritable(path: Path, error: BaseException, hint: str = _HINT) -> StorageError:
    """The error for ``path`` that could not be written, with the system's own words."""
    said = getattr(error, "strerror", None) or " ".join(str(error).split())[:300]
    return StorageError(f"{path} cannot be written: {said}", hint=hint)


def replace_file(path: Path, data: bytes, *, hint: str = _HINT, parents: bool = False) -> None:
    """Write ``data`` beside ``path``, sync it and rename it over: a reader sees the old file or the new one.

    What is no file (``/dev/stdout``, a named pipe) is written to directly. ``parents`` makes missing folders.

    Raises:
        StorageError: it could not be written; the old file stands.
    """
    fresh = path.with_name(f".{path.name}.new")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise unwritable(path, error, hint) from error


@contextmanager
def hold(folder: Path, *, wait: float = 0.0, doing: str = "accelrag fetch") -> Iterator[None]:
    """Hold ``folder/.lock``, waiting for at most ``wait`` seconds (below 0: for ever). Reentrant within a thread.

    Raises:
        Busy: another process holds it; names its number, what it does and since when.
        StorageError: the folder cannot be written.
    """
    from filelock import FileLock, Timeout  # 0.1 s to load, and who only reads holds no lock

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
        raise unwritable(folder, error) from error
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


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turn what SQLite, tantivy, FAISS and the system say of a full or closed folder into one error.

    Raises:
        StorageError: the folder could not be written.
    """
    try:
        yield
    except Exception as error:
        if not _is_storage(error):
            raise
        raise unwritable(folder, error, "check its permissions and free space; the index is as it was") from error


def _is_storage(error: Exception) -> bool:
    # SQLite, tantivy and FAISS each say in their own way that the disk is full or the folder closed.
    if isinstance(error, (OSError, sqlite3.OperationalError)):
        return True
    said = str(error).lower()
    return isinstance(error, (ValueError, RuntimeError)) and any(
        sign in said for sign in ("no space left", "os error", "permission denied", "write error", "could not open")
    )
