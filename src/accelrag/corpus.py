"""The store of fetched documents: one SQLite file, ``corpus/corpus.db``, written in transactions.

It holds what was fetched or imported, never what can be derived from the list. A kill at any moment leaves the last
committed state (SQLite write-ahead log, https://www.sqlite.org/wal.html).
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from accelrag.errors import StorageError
from accelrag.storage import DOCUMENT_COLUMNS, document_from, document_row, entry_from, entry_values
from accelrag.types import Document, Entry, Failure

__all__ = ["Corpus"]

_PATIENCE = 30.0  # seconds that a connection waits for another one's lock
_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE documents (
    entry_id TEXT PRIMARY KEY, id TEXT NOT NULL, text TEXT NOT NULL, coverage TEXT NOT NULL, title TEXT NOT NULL,
    source TEXT NOT NULL, fetched_at TEXT NOT NULL, revision TEXT NOT NULL, licence TEXT NOT NULL,
    authors TEXT NOT NULL, published TEXT NOT NULL, metadata TEXT NOT NULL, pages TEXT NOT NULL,
    markdown INTEGER NOT NULL, stale INTEGER NOT NULL, digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE failures (
    entry_id TEXT PRIMARY KEY, reason TEXT NOT NULL, detail TEXT NOT NULL, url TEXT NOT NULL,
    permanent INTEGER NOT NULL, failed_at TEXT NOT NULL, attempts INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE imported (entry_id TEXT PRIMARY KEY, entry TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class Corpus:
    """Documents and failures by entry id. Each write is one transaction; ``batch()`` groups many into one."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._db = connection
        self.path = path
        self._depth = 0

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False) -> Corpus:
        """Open ``folder/corpus.db``, making it where it is missing.

        Read-only on a folder without one gives an empty corpus in memory.

        Raises:
            StorageError: the file is no corpus, was made by a newer accelrag, or cannot be opened.
        """
        path = folder / "corpus.db"
        try:
            if read_only:
                if not path.exists():
                    return cls.open_in_memory(path)
                db = _reader(path)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                db = sqlite3.connect(path, check_same_thread=False, timeout=_PATIENCE, isolation_level=None)
                _log_ahead(db)
                db.execute("PRAGMA synchronous=NORMAL")
            version = _version(db)
            if version == 0 and not read_only:
                _create(db)
            elif version > _SCHEMA_VERSION:
                raise StorageError(
                    f"{path} was written by a newer accelrag (schema {version})",
                    hint="update accelrag: pip install -U accelrag",
                )
        except (sqlite3.Error, OSError) as error:
            raise StorageError(
                f"{path} cannot be opened: {error}", hint="`accelrag doctor` says what is wrong with it"
            ) from error
        return cls(db, path)

    @classmethod
    def open_in_memory(cls, path: Path = Path(":memory:")) -> Corpus:
        """An empty corpus that is gone when it is closed."""
        db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        db.executescript(_SCHEMA)
        return cls(db, path)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Group the writes inside into one transaction: all of them are kept, or none."""
        self._depth += 1
        try:
            if self._depth == 1:
                with self._translated(), _transaction(self._db):
                    yield
            else:
                yield
        finally:
            self._depth -= 1

    def document(self, entry_id: str) -> Document | None:
        """The document of an entry."""
        with self._translated():
            query = f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE entry_id=?"  # noqa: S608
            row = self._db.execute(query, (entry_id,)).fetchone()
        return document_from(row) if row else None

    def documents(self) -> Iterator[Document]:
        """All documents by entry id, streamed."""
        with self._translated():
            for row in self._db.execute(f"SELECT {DOCUMENT_COLUMNS} FROM documents ORDER BY entry_id"):  # noqa: S608
                yield document_from(row)

    def digests(self) -> dict[str, tuple[str, str, bool]]:
        """``entry_id -> (digest of the text, coverage, stale)`` of every document, without the texts."""
        with self._translated():
            rows = self._db.execute("SELECT entry_id, digest, coverage, stale FROM documents ORDER BY entry_id")
            return {entry_id: (digest, coverage, bool(stale)) for entry_id, digest, coverage, stale in rows}

    def failure(self, entry_id: str) -> Failure | None:
        """The failure of an entry."""
        return self.failures().get(entry_id)

    def failures(self) -> dict[str, Failure]:
        """``entry_id -> Failure``."""
        with self._translated():
            rows = self._db.execute(
                "SELECT entry_id, reason, detail, url, permanent, failed_at, attempts FROM failures ORDER BY entry_id"
            )
            return {r[0]: Failure(r[0], r[1], r[2], r[3], bool(r[4]), r[5], r[6]) for r in rows}

    def put(self, document: Document) -> None:
        """Keep a document in place of what was known of its entry."""
        row = (*document_row(document), document.digest)
        with self.batch():
            marks = ",".join("?" * len(row))
            self._db.execute(f"INSERT OR REPLACE INTO documents ({DOCUMENT_COLUMNS}, digest) VALUES ({marks})", row)  # noqa: S608
            self._db.execute("DELETE FROM failures WHERE entry_id=?", (document.entry_id,))

    def touch(self, entry_id: str, fetched_at: str) -> None:
        """Say that a document was asked for again and is still right."""
        with self.batch():
            self._db.execute(
                "UPDATE documents SET fetched_at=?, stale=0, metadata=json_remove(metadata, '$.stale_reason', "
                "'$.stale_since', '$.stale_for_good') WHERE entry_id=?",
                (fetched_at, entry_id),
            )

    def put_failure(self, failure: Failure) -> None:
        """Keep a failure. An entry that has a document keeps it, marked stale: then no failure is stored.

        Why and since when is kept in the metadata of the stale document: ``stale_reason``, ``stale_since`` and, where
        it is no use to ask again, ``stale_for_good``.
        """
        with self.batch():
            for_good = "yes" if failure.permanent else ""
            kept = self._db.execute(
                "UPDATE documents SET stale=1, metadata=json_set(metadata, '$.stale_reason', ?, '$.stale_since', "
                "coalesce(json_extract(metadata, '$.stale_since'), ?), '$.stale_for_good', ?) WHERE entry_id=?",
                (failure.reason, failure.failed_at, for_good, failure.entry_id),
            ).rowcount
            if kept:
                return
            self._db.execute(
                "INSERT OR REPLACE INTO failures (entry_id, reason, detail, url, permanent, failed_at, attempts) "
                "VALUES (?,?,?,?,?,?,?)",
                (
                    failure.entry_id,
                    failure.reason,
                    failure.detail,
                    failure.url,
                    int(failure.permanent),
                    failure.failed_at,
                    failure.attempts,
                ),
            )

    def remove(self, entry_id: str) -> None:
        """Forget an entry's document and failure."""
        with self.batch():
            for table in ("documents", "failures", "imported"):
                self._db.execute(f"DELETE FROM {table} WHERE entry_id=?", (entry_id,))  # noqa: S608

    def compact(self) -> None:
        """Give the space of removed texts back to the disk."""
        with self._translated():
            self._db.execute("VACUUM")

    def put_imported(self, entry: Entry) -> None:
        """Keep an entry that came with its text, from no list."""
        with self.batch():
            self._db.execute(
                "INSERT OR REPLACE INTO imported (entry_id, entry) VALUES (?,?)",
                (entry.id, json.dumps(entry_values(entry), ensure_ascii=False)),
            )

    def imported(self) -> Iterator[Entry]:
        """Every imported entry by id, streamed."""
        with self._translated():
            for (raw,) in self._db.execute("SELECT entry FROM imported ORDER BY entry_id"):
                yield entry_from(json.loads(raw))

    def state(self, key: str, default: str = "") -> str:
        """A value that a run left for the next one."""
        with self._translated():
            row = self._db.execute("SELECT value FROM state WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else default

    def put_state(self, key: str, value: str) -> None:
        """Leave a value for the next run."""
        with self.batch():
            self._db.execute("INSERT OR REPLACE INTO state (key, value) VALUES (?,?)", (key, value))

    def problems(self) -> list[str]:
        """What is wrong with the corpus, in words; empty when it is whole."""
        found = []
        with self._translated():
            for (line,) in self._db.execute("PRAGMA integrity_check"):
                if line != "ok":
                    found.append(f"corpus.db: {line}")
            both = self._db.execute("SELECT entry_id FROM documents NATURAL JOIN failures").fetchall()
            found += [f"{entry_id} is stored both as a document and as a failure" for (entry_id,) in both]
        for document in self.documents():
            row = self._db.execute("SELECT digest FROM documents WHERE entry_id=?", (document.entry_id,)).fetchone()
            if row is not None and row[0] != document.digest:
                found.append(f"the text of {document.entry_id} does not match its digest")
        return found

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageError(
                f"{self.path} cannot be used: {error}", hint="`accelrag doctor` says what is wrong with it"
            ) from error


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _create(db: sqlite3.Connection) -> None:
    with _transaction(db):
        # Looked at again under the lock: another process may have made the tables meanwhile.
        if _version(db) == 0:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                db.execute(statement)
            db.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")


def _reader(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing. In a folder that cannot be written SQLite has to be told so.

    One that is opened with ``mode=ro`` would leave its log and index files beside the database for ever.
    https://www.sqlite.org/wal.html#read_only_databases
    """
    address = path.absolute().as_uri()
    db = sqlite3.connect(f"{address}?mode=rw", uri=True, check_same_thread=False, timeout=30)
    try:
        db.execute("PRAGMA query_only=1")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        db.close()
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        db = sqlite3.connect(f"{address}?immutable=1", uri=True, check_same_thread=False)
    return db


def _log_ahead(db: sqlite3.Connection) -> None:
    """Switch to WAL, waiting for others that do so: SQLite's own time-out does not cover this switch."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
