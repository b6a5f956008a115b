"""One error for a folder that cannot be written, whatever library found out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from accelrag.errors import StorageError

__all__ = ["writable"]


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
        raise StorageError(
            f"{folder} cannot be written: {error}",
            hint="check its permissions and free space; the index is as it was",
        ) from error


def _is_storage(error: Exception) -> bool:
    # SQLite, tantivy and FAISS each say in their own way that the disk is full or the folder closed.
    if isinstance(error, (OSError, sqlite3.OperationalError)):
        return True
    said = str(error).lower()
    return isinstance(error, (ValueError, RuntimeError)) and any(
        sign in said for sign in ("no space left", "os error", "permission denied", "write error", "could not open")
    )
