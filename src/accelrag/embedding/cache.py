"""Vectors by (encoder fingerprint, text hash) in one SQLite file: only new text is ever encoded."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from accelrag.embedding.protocol import Encoder, Vectors
from accelrag.storage import unwritable

__all__ = ["VectorCache", "text_key"]

_BLOCK = 256
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"


def text_key(text: str) -> bytes:
    """The cache key of a text: its SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class VectorCache:
    """Keeps the vectors of one encoder. A damaged file is set aside and started anew: it can always be refilled."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._path = folder / f"vectors-{fingerprint}.db"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = self._open()
        except (OSError, sqlite3.Error) as error:
            raise unwritable(self._path, error) from error

    def encode(
        self, encoder: Encoder, texts: Sequence[str], on_done: Callable[[int], None] | None = None
    ) -> tuple[Vectors, int]:
        """Vectors of ``texts`` in order, shape ``(len(texts), dimension)``, and how many had to be encoded.

        Each block is committed as it is done, so that an interrupted build goes on where it stopped.
        """
        try:
            return self._encode(encoder, texts, on_done)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise unwritable(self._path, error) from error
        try:
            self._db.close()
            self._db = self._anew()
            return self._encode(encoder, texts, None)
        except (OSError, sqlite3.Error) as error:
            raise unwritable(self._path, error) from error

    def _encode(
        self, encoder: Encoder, texts: Sequence[str], on_done: Callable[[int], None] | None
    ) -> tuple[Vectors, int]:
        keys = [text_key(t) for t in texts]
        out = np.empty((len(texts), encoder.dimension), dtype=np.float32)
        known = self._read(set(keys), encoder.dimension)
        missing: dict[bytes, int] = {}
        for i, key in enumerate(keys):
            vector = known.get(key)
            if vector is None:
                missing.setdefault(key, i)
            else:
                out[i] = vector
        if on_done and len(texts) > len(missing):
            on_done(len(texts) - len(missing))
        order = sorted(missing.items(), key=lambda item: item[1])
        for at in range(0, len(order), _BLOCK):
            block = order[at : at + _BLOCK]
            vectors = encoder.encode_passages([texts[i] for _, i in block], on_done)
            self._write((key, _sealed(vector.tobytes())) for (key, _), vector in zip(block, vectors, strict=True))
            for (key, _), vector in zip(block, vectors, strict=True):
                known[key] = vector
        for i, key in enumerate(keys):
            out[i] = known[key]
        return out, len(order)

    def needless(self, texts: Iterable[bytes]) -> tuple[int, int]:
        """How many vectors have a key that is not among ``texts``, and their bytes."""
        wanted = set(texts)
        rows = self._db.execute("SELECT key, length(key) + length(vector) FROM vectors")
        sizes = [size for key, size in rows if key not in wanted]
        return len(sizes), sum(sizes)

    def keep_only(self, texts: Iterable[bytes]) -> int:
        """Forget every vector whose key is not among ``texts``; how many that were."""
        try:
            with self._db:
                self._db.execute("CREATE TEMP TABLE keep (key BLOB PRIMARY KEY)")
                self._db.executemany("INSERT OR IGNORE INTO keep VALUES (?)", ((k,) for k in texts))
                gone = self._db.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM keep)").rowcount
                self._db.execute("DROP TABLE keep")
            return gone
        except sqlite3.Error as error:
            raise unwritable(self._path, error) from error

    def compact(self) -> None:
        """Give the space of forgotten vectors back to the disk."""
        self._db.execute("VACUUM")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            return self._anew()

    def _anew(self) -> sqlite3.Connection:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(_TABLE)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _read(self, keys: set[bytes], dimension: int) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        ordered = sorted(keys)
        for at in range(0, len(ordered), 500):
            block = ordered[at : at + 500]
            marks = ",".join("?" * len(block))
            for key, raw in self._db.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", block):  # noqa: S608
                # A vector with a flipped bit would go unseen into every later index: it is encoded again instead.
                if len(raw) == dimension * 4 + 4 and raw == _sealed(raw[:-4]):
                    found[key] = np.frombuffer(raw[:-4], dtype=np.float32)
        return found

    def _write(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?,?)", rows)


def _sealed(raw: bytes) -> bytes:
    return raw + zlib.crc32(raw).to_bytes(4, "big")


def _is_damage(error: sqlite3.Error) -> bool:
    # Full, read-only, locked and unreadable files have codes of their own: https://www.sqlite.org/rescode.html
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    return code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA}
