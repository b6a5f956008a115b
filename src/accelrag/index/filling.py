"""Entries and documents -> the files of a generation, streamed: texts, words and vectors never are in memory whole.

Notes are written first, then texts, so that each kind of evidence is one run of ids. Words go to the store as the
passages are cut; then the texts are read back in order and their vectors written to a file, from which the store
takes them. A vector is kept in the cache as soon as it is made, so an interrupted build goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from accelrag.embedding import Encoder, VectorCache, Vectors
from accelrag.index.chunking import Sizes, chunk, embedding_text, note_document
from accelrag.index.plane import points_of
from accelrag.index.store import PassageWriter
from accelrag.stores.protocol import StoreWriter
from accelrag.text.words import words
from accelrag.types import Document, Entry, Passage, Progress

__all__ = ["Filled", "Recipe", "fill"]

_BLOCK = 1_024  # texts that are read, encoded and written together
DocumentOf = Callable[[str], Document | None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What turns documents into vectors."""

    encoder: Encoder
    sizes: Sizes
    cache_dir: Path


@dataclass(frozen=True, slots=True)
class Filled:
    """What went into a generation, and how its store keeps it."""

    counts: Mapping[str, int]
    coverage: Mapping[str, int]
    encoded: int
    store: Mapping[str, Any]


def fill(
    folder: Path,
    entries: Sequence[Entry],
    document_of: DocumentOf,
    recipe: Recipe,
    store: StoreWriter,
    progress: Progress | None,
) -> Filled:
    """Write ``passages.db`` into ``folder`` and everything that is searched into ``store``."""
    writer = PassageWriter(folder / "passages.db")
    try:
        by_id = {entry.id: entry for entry in entries}
        first_note, coverage, total = _cut(entries, document_of, recipe, writer, store)
        notes = first_note.pop("")
        raw = folder / "vectors.raw"
        encoded = _encode(raw, writer.passages(by_id), total, recipe, progress)
        vectors: Vectors = np.memmap(raw, np.float32, "r", shape=(total, recipe.encoder.dimension))
        writer.place(_map(entries, first_note, vectors))
        described = store.finish(vectors, notes, lambda: writer.passages(by_id))
        writer.close()
        del vectors
        raw.unlink()
    except BaseException:
        writer.abandon()
        store.abandon()
        raise
    counts = {
        "entries": len(entries),
        "passages": total,
        "notes": notes,
        "places": sum(len(e.places) for e in entries),
    }
    return Filled(counts, dict(sorted(coverage.items())), encoded, described)


def _cut(
    entries: Sequence[Entry], document_of: DocumentOf, recipe: Recipe, writer: PassageWriter, store: StoreWriter
) -> tuple[dict[str, int], Counter[str], int]:
    """The first passage of each entry's note, under '' how many notes there are; entries by coverage; passages."""
    first_note: dict[str, int] = {}
    coverage: Counter[str] = Counter()
    at = 0

    def add(document: Document, entry: Entry) -> int:
        writer.add_document(document)
        count = 0
        for passage in chunk(document, recipe.encoder.token_spans, recipe.sizes, first_id=at):
            writer.add_passage(passage, words(f"{' '.join(passage.heading)} {passage.text}"))
            store.add(passage, entry)
            count += 1
        return count

    for position, entry in enumerate(entries):
        writer.add_entry(position, entry)
        first_note[entry.id] = at
        at += add(note_document(entry), entry)
    first_note[""] = at
    for entry in entries:
        document = document_of(entry.id)
        if document is None or not document.text.strip():
            coverage["note"] += 1
            continue
        coverage[document.coverage] += 1
        writer.cover(entry.id, document.coverage)
        at += add(document, entry)
    return first_note, coverage, at


def _encode(
    raw: Path,
    passages: Iterator[tuple[Passage, Entry]],
    total: int,
    recipe: Recipe,
    progress: Progress | None,
) -> int:
    """Write the vector of each passage to ``raw``; how many had to be encoded."""
    cache = VectorCache(recipe.cache_dir, recipe.encoder.fingerprint)
    task = "encoding"
    if progress:
        progress.start(task, total)
    told = (lambda n: progress.advance(task, n)) if progress else None
    encoded = 0
    try:
        with raw.open("wb") as stream:
            while block := [embedding_text(passage) for passage, _ in islice(passages, _BLOCK)]:
                vectors, fresh = cache.encode(recipe.encoder, block, told)
                vectors.tofile(stream)
                encoded += fresh
    finally:
        cache.close()
        if progress:
            progress.done(task)
    return encoded


def _map(
    entries: Sequence[Entry], first_note: Mapping[str, int], vectors: Vectors
) -> Iterator[tuple[str, float, float]]:
    """Entries on a plane by their note vectors, those of a section together; both in [-1, 1]."""
    rows = np.asarray(vectors[[first_note[e.id] for e in entries]])
    groups = [path[0] if (path := e.sections[0] if e.sections else ()) else "" for e in entries]
    for entry, (x, y) in zip(entries, points_of(rows, groups), strict=True):
        yield entry.id, float(x), float(y)
