"""``passages.db``: entries, documents, passages and vocabulary of one generation, written once, then read only."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from accelrag.errors import IndexDamaged
from accelrag.storage import DOCUMENT_COLUMNS, document_from, document_row, entry_from, entry_values, unwritable
from accelrag.types import Coverage, Document, Entry, Passage

__all__ = ["PassageWriter", "Store"]

_SCHEMA = """
CREATE TABLE entries (id TEXT PRIMARY KEY, position INTEGER, key TEXT, url TEXT, title TEXT, kind TEXT, coverage TEXT,
    places TEXT, also TEXT, facts TEXT, x REAL, y REAL) WITHOUT ROWID;
CREATE TABLE documents (id TEXT PRIMARY KEY, entry_id TEXT, text TEXT, coverage TEXT, title TEXT, source TEXT,
    fetched_at TEXT, revision TEXT, licence TEXT, authors TEXT, published TEXT, metadata TEXT, pages TEXT,
    markdown INTEGER, stale INTEGER) WITHOUT ROWID;
CREATE TABLE passages (id INTEGER PRIMARY KEY, document_id TEXT, entry_id TEXT, start INTEGER, "end" INTEGER,
    heading TEXT, page INTEGER);
CREATE TABLE vocabulary (term TEXT PRIMARY KEY, df INTEGER) WITHOUT ROWID;
CREATE TABLE sections (name TEXT PRIMARY KEY, entries INTEGER) WITHOUT ROWID;
CREATE INDEX passages_of ON passages (entry_id, id);
CREATE INDEX entry_position ON entries (position);
CREATE INDEX entry_key ON entries (key);
"""
_ENTRY = "id, key, url, kind, places, also, facts, coverage"
_PASSAGE = (
    'SELECT p.id, p.document_id, p.entry_id, p.start, p."end", '
    'substr(d.text, p.start + 1, p."end" - p.start), p.heading, p.page '
    "FROM passages p JOIN documents d ON d.id = p.document_id"
)
_BLOCK = 500


class PassageWriter:
    """Fills a new ``passages.db`` in one transaction."""

    def __init__(self, path: Path) -> None:
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=OFF")  # the folder is thrown away when the build fails
            self._db.executescript(_SCHEMA)
            self._db.execute("BEGIN")
        except sqlite3.Error as error:
            raise unwritable(path, error) from error
        self._path = path
        self._df: Counter[str] = Counter()
        self._sections: Counter[str] = Counter()

    def add_entry(self, position: int, entry: Entry) -> None:
        """Add an entry in list order, covered by its note until ``cover`` says more."""
        self._sections.update({name for path in entry.sections for name in path})
        values = entry_values(entry)
        places = json.dumps(values["places"], ensure_ascii=False)
        row = (
            *(entry.id, position, entry.key, entry.url, entry.title, entry.kind, "note"),
            places,
            json.dumps(values["also"]),
            json.dumps(values["facts"], ensure_ascii=False),
        )
        self._insert("entries (id, position, key, url, title, kind, coverage, places, also, facts)", row)

    def add_document(self, document: Document) -> None:
        """Add a document as it is quoted."""
        self._insert(f"documents ({DOCUMENT_COLUMNS})", document_row(document))

    def add_passage(self, passage: Passage, terms: Iterable[str]) -> None:
        """Add a passage and count its distinct words."""
        heading = json.dumps(passage.heading, ensure_ascii=False)
        p = passage
        row = (p.id, p.document_id, p.entry_id, p.start, p.end, heading, p.page)
        self._insert('passages (id, document_id, entry_id, start, "end", heading, page)', row)
        self._df.update(set(terms))

    def cover(self, entry_id: str, coverage: Coverage) -> None:
        """Say how much of an entry was read."""
        self._db.execute("UPDATE entries SET coverage=? WHERE id=?", (coverage, entry_id))

    def passages(self, entry_of: Mapping[str, Entry]) -> Iterator[tuple[Passage, Entry]]:
        """Every passage that was added, by id, with its entry; read as it is asked for."""
        for row in self._db.execute(f"{_PASSAGE} ORDER BY p.id"):
            passage = _passage(row)
            yield passage, entry_of[passage.entry_id]

    def place(self, positions: Iterable[tuple[str, float, float]]) -> None:
        """Store where each entry lies on the map: ``(entry id, x, y)``, both in [-1, 1]."""
        self._db.executemany("UPDATE entries SET x=?, y=? WHERE id=?", ((x, y, i) for i, x, y in positions))

    def close(self) -> None:
        """Write the vocabulary and commit."""
        try:
            self._db.executemany("INSERT INTO vocabulary (term, df) VALUES (?,?)", sorted(self._df.items()))
            self._db.executemany("INSERT INTO sections (name, entries) VALUES (?,?)", sorted(self._sections.items()))
            self._db.execute("COMMIT")
            self._db.close()
        except sqlite3.Error as error:
            raise unwritable(self._path, error) from error

    def abandon(self) -> None:
        """Close without committing."""
        self._db.close()

    def _insert(self, into: str, row: Sequence[Any]) -> None:
        try:
            self._db.execute(f"INSERT INTO {into} VALUES ({','.join('?' * len(row))})", row)  # noqa: S608
        except sqlite3.Error as error:
            raise unwritable(self._path, error) from error


class Store:
    """Reads a ``passages.db``."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            IndexDamaged: it is missing or not one of ours.
        """
        self._path = path
        with self._translated():
            uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            self._db = sqlite3.connect(uri, uri=True, check_same_thread=False)
            self._db.execute("SELECT 1 FROM entries LIMIT 1")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def entries(self) -> Iterator[tuple[Entry, Coverage]]:
        """Every entry with its coverage, in list order."""
        with self._translated():
            for row in self._db.execute(f"SELECT {_ENTRY} FROM entries ORDER BY position"):  # noqa: S608
                yield _entry(row)

    def entry(self, entry_id: str) -> tuple[Entry, Coverage] | None:
        """One entry with its coverage."""
        return self.some_entries([entry_id]).get(entry_id)

    def some_entries(self, ids: Sequence[str]) -> dict[str, tuple[Entry, Coverage]]:
        """Entries by id."""
        with self._translated():
            rows = self._in_blocks(f"SELECT {_ENTRY} FROM entries WHERE id IN", ids)  # noqa: S608
            return {row[0]: _entry(row) for row in rows}

    def sections(self) -> dict[str, int]:
        """``section name -> entries that are listed in it``, at any depth."""
        with self._translated():
            return dict(self._db.execute("SELECT name, entries FROM sections ORDER BY name").fetchall())

    def map(self) -> dict[str, tuple[float, float]]:
        """``entry id -> (x, y)`` on the map."""
        with self._translated():
            return {i: (x, y) for i, x, y in self._db.execute("SELECT id, x, y FROM entries WHERE x IS NOT NULL")}

    def document(self, document_id: str) -> Document | None:
        """A document by its id."""
        with self._translated():
            row = self._db.execute(f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id=?", (document_id,)).fetchone()  # noqa: S608
            return document_from(row) if row else None

    def owners(self, ids: Sequence[int]) -> dict[int, tuple[str, bool]]:
        """``passage id -> (entry id, whether it is the entry's own note passage)``."""
        with self._translated():
            rows = self._in_blocks("SELECT id, entry_id, document_id FROM passages WHERE id IN", ids)
            return {i: (entry_id, document_id.startswith("note:")) for i, entry_id, document_id in rows}

    def passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        """Passages by id, with their text."""
        query = f"{_PASSAGE} WHERE p.id IN"
        with self._translated():
            return {row[0]: _passage(row) for row in self._in_blocks(query, ids)}

    def passages_of(self, entry_id: str) -> list[Passage]:
        """The passages of an entry, note first."""
        with self._translated():
            ids = [
                i for (i,) in self._db.execute("SELECT id FROM passages WHERE entry_id=? ORDER BY id", (entry_id,))
            ]
        found = self.passages(ids)
        with self._translated():
            return [found[i] for i in ids]

    def note_passage(self, entry_id: str) -> Passage:
        """The entry's own passage; the first where a very long note was cut.

        Raises:
            IndexDamaged: the entry has none, which no build leaves.
        """
        query = "SELECT id FROM passages WHERE entry_id=? AND document_id=? ORDER BY id LIMIT 1"
        with self._translated():
            row = self._db.execute(query, (entry_id, f"note:{entry_id}")).fetchone()
        if row is None:
            raise IndexDamaged(
                f"{self._path} lacks the note of {entry_id}", hint="rebuild it: accelrag index --rebuild"
            )
        with self._translated():
            return self.passages([row[0]])[row[0]]

    def passage_ids(self, entry_ids: Iterable[str]) -> list[int]:
        """Ids of all passages of the entries, sorted."""
        with self._translated():
            return sorted(i for (i,) in self._in_blocks("SELECT id FROM passages WHERE entry_id IN", list(entry_ids)))

    def frequency(self, term: str) -> int:
        """In how many passages a folded word occurs."""
        with self._translated():
            row = self._db.execute("SELECT df FROM vocabulary WHERE term=?", (term,)).fetchone()
        return int(row[0]) if row else 0

    def near_terms(self, term: str, reach: int) -> list[tuple[str, int]]:
        """Words of about the same length that start with one of the term's first two letters, with frequencies."""
        low, high = len(term) - reach, len(term) + reach
        found: list[tuple[str, int]] = []
        with self._translated():
            for first in dict.fromkeys(term[:2]):
                rows = self._db.execute(
                    "SELECT term, df FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
                    (first, chr(ord(first) + 1), low, high),
                )
                found += rows.fetchall()
        return found

    def counts(self) -> dict[str, int]:
        """Rows of each table."""
        with self._translated():
            return {
                table: int(self._db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])  # noqa: S608
                for table in ("entries", "documents", "passages")
            }

    def _in_blocks(self, query: str, ids: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        for at in range(0, len(ids), _BLOCK):
            block = list(ids[at : at + _BLOCK])
            yield from self._db.execute(f"{query} ({','.join('?' * len(block))})", block)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError) as error:  # or rows that hold junk
            raise IndexDamaged(
                f"{self._path} cannot be read: {' '.join(str(error).split())}",
                hint="rebuild the index: accelrag index --rebuild",
            ) from error


def _entry(row: tuple[Any, ...]) -> tuple[Entry, Coverage]:
    values = {"places": json.loads(row[4]), "also": json.loads(row[5]), "facts": json.loads(row[6])}
    return entry_from({"id": row[0], "key": row[1], "url": row[2], "kind": row[3], **values}), row[7]


def _passage(row: tuple[Any, ...]) -> Passage:
    return Passage(row[0], row[1], row[2], row[3], row[4], row[5], tuple(json.loads(row[6])), row[7])
