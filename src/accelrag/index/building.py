"""Entries and documents -> a published generation. Only text that was never encoded before is encoded."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelrag.embedding import Encoder, VectorCache, open_encoder
from accelrag.errors import IndexDamaged, IndexMismatch, IndexMissing, ListError, StorageError
from accelrag.index.bundle import building_folder, current_generation, orphans, publish, sweep, writing
from accelrag.index.chunking import CHUNKER, Sizes, chunk, embedding_text, note_document
from accelrag.index.exported import prepare_encoder
from accelrag.index.manifest import SCHEMA, Manifest, mark_files
from accelrag.index.plane import lay_out
from accelrag.index.store import Store, StoreWriter
from accelrag.storage import writable
from accelrag.stores.dense import DenseIndex
from accelrag.stores.lexical import LexicalIndex
from accelrag.text.words import words
from accelrag.types import Coverage, Document, Entry, Passage, Progress
from accelrag.version import __version__

__all__ = ["BuildReport", "build"]


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did. ``unchanged`` means that the published generation already was what would be built."""

    folder: Path
    entries: int
    passages: int
    encoded: int
    unchanged: bool


def build(
    index_dir: Path,
    entries: Sequence[Entry],
    document_of: Callable[[str], Document | None],
    *,
    model: str = "",
    lists: Sequence[Mapping[str, Any]] = (),
    cache_dir: Path | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    notice: Callable[[str], None] = lambda _: None,
    rebuild: bool = False,
    wait: float = 0.0,
) -> BuildReport:
    """Build and publish a generation from entries in list order and the documents behind them.

    Exported encoders and vectors are kept in ``cache_dir``, ``index_dir/cache`` if it is None.

    Raises:
        ListError: there is no entry at all.
        ModelError, StorageError, Busy: as their names say; the published generation is left as it was.
    """
    if not entries:
        raise ListError("there is no entry to index", hint="check the list: accelrag list --skipped")
    with writing(index_dir, wait=wait), writable(index_dir):
        cache_dir = cache_dir or index_dir / "cache"
        encoder_dir = prepare_encoder(cache_dir, model, threads=threads, notice=notice)
        encoder = open_encoder(encoder_dir, threads=threads)
        sizes = Sizes(limit=encoder.max_tokens)
        digest = _source_digest(entries, document_of, encoder, sizes, lists)
        standing = None if rebuild else _standing(index_dir, digest, model)
        if standing is not None:
            folder, manifest = standing
            if orphans(index_dir):
                sweep(index_dir)
            return BuildReport(folder, manifest.counts["entries"], manifest.counts["passages"], 0, True)
        building = building_folder(index_dir)
        try:
            folder, counts, encoded = _fill(
                index_dir, building, entries, document_of, encoder, encoder_dir, sizes, digest, model, lists, progress
            )
        finally:
            shutil.rmtree(building, ignore_errors=True)
        sweep(index_dir)
        return BuildReport(folder, counts["entries"], counts["passages"], encoded, False)


def _fill(
    index_dir: Path,
    building: Path,
    entries: Sequence[Entry],
    document_of: Callable[[str], Document | None],
    encoder: Encoder,
    encoder_dir: Path,
    sizes: Sizes,
    digest: str,
    model: str,
    lists: Sequence[Mapping[str, Any]],
    progress: Progress | None,
) -> tuple[Path, dict[str, int], int]:
    by_id = {entry.id: entry for entry in entries}
    coverage: dict[str, Coverage] = {}
    passages: list[Passage] = []
    writer = StoreWriter(building / "passages.db")
    try:
        for position, (entry, documents) in enumerate(_read(entries, document_of)):
            coverage[entry.id] = documents[-1].coverage
            writer.add_entry(position, entry, coverage[entry.id])
            for document in documents:
                writer.add_document(document)
                for passage in chunk(document, encoder.token_spans, sizes, first_id=len(passages)):
                    writer.add_passage(passage, words(f"{' '.join(passage.heading)} {passage.text}"))
                    passages.append(passage)
        vectors, encoded = _encode(encoder_dir.parent, encoder, passages, progress)
        writer.place(_map(entries, passages, vectors))
        writer.close()
    except BaseException:
        writer.abandon()
        raise
    LexicalIndex.build(building / "lexical", ((p, by_id[p.entry_id]) for p in passages))
    DenseIndex.build(building / "vectors.faiss", vectors)
    _link_encoder(encoder_dir, building / "encoder")
    counts = {"entries": len(entries), "passages": len(passages), "places": sum(len(e.places) for e in entries)}
    covered: dict[str, int] = {
        level: sum(c == level for c in coverage.values()) for level in sorted(set(coverage.values()))
    }
    manifest = Manifest(
        schema=SCHEMA,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        model=model,
        encoder=json.loads((encoder_dir / "encoder.json").read_text(encoding="utf-8")),
        chunker={"name": CHUNKER, **asdict(sizes)},
        lists=tuple(lists),
        counts=counts,
        coverage=dict(covered),
        source_digest=digest,
        files=mark_files(building),
    )
    manifest.write(building)
    _self_check(building, len(passages))
    return publish(index_dir, building, digest), counts, encoded


def _read(
    entries: Sequence[Entry], document_of: Callable[[str], Document | None]
) -> Iterator[tuple[Entry, list[Document]]]:
    for entry in entries:
        document = document_of(entry.id)
        yield entry, [note_document(entry), *([document] if document and document.text.strip() else [])]


def _encode(
    cache_dir: Path, encoder: Encoder, passages: Sequence[Passage], progress: Progress | None
) -> tuple[NDArray[np.float32], int]:
    cache = VectorCache(cache_dir, encoder.fingerprint)
    task = "encoding"
    if progress:
        progress.start(task, len(passages))
    try:
        texts = [embedding_text(p) for p in passages]
        return cache.encode(encoder, texts, (lambda n: progress.advance(task, n)) if progress else None)
    finally:
        cache.close()
        if progress:
            progress.done(task)


def _map(
    entries: Sequence[Entry], passages: Sequence[Passage], vectors: NDArray[np.float32]
) -> Iterator[tuple[str, float, float]]:
    """Entries on a plane by their note vectors, those of a section together; both in [-1, 1]."""
    notes: dict[str, int] = {}
    for p in passages:
        if p.is_note:
            notes.setdefault(p.entry_id, p.id)
    rows = np.array([notes[e.id] for e in entries])
    groups = [path[0] if (path := e.sections[0] if e.sections else ()) else "" for e in entries]
    for entry, (x, y) in zip(entries, lay_out(vectors[rows], groups), strict=True):
        yield entry.id, float(x), float(y)


def _link_encoder(source: Path, target: Path) -> None:
    target.mkdir()
    for path in sorted(source.iterdir()):
        try:
            os.link(path, target / path.name)  # 90 MB that every generation shares
        except OSError:
            shutil.copy2(path, target / path.name)


def _self_check(folder: Path, passages: int) -> None:
    try:
        with closing(Store(folder / "passages.db")) as store:
            stored = store.counts()["passages"]
        counts = (stored, LexicalIndex(folder / "lexical").count, DenseIndex(folder / "vectors.faiss").count)
    except IndexDamaged as error:
        raise StorageError(f"the new index is not whole: {error}", hint="run the command again") from error
    if set(counts) != {passages}:
        raise StorageError(
            f"the new index holds {counts[0]}, {counts[1]} and {counts[2]} of {passages} passages",
            hint="run the command again",
        )


def _standing(index_dir: Path, digest: str, model: str) -> tuple[Path, Manifest] | None:
    try:
        folder = current_generation(index_dir)
        manifest = Manifest.read(folder)
        manifest.check(folder)
    except (IndexMissing, IndexDamaged, IndexMismatch):
        return None
    same = manifest.source_digest == digest and manifest.model == model
    return (folder, manifest) if same else None


def _source_digest(
    entries: Sequence[Entry],
    document_of: Callable[[str], Document | None],
    encoder: Encoder,
    sizes: Sizes,
    lists: Sequence[Mapping[str, Any]],
) -> str:
    digest = hashlib.sha256()

    def add(value: object) -> None:
        digest.update(json.dumps(value, ensure_ascii=True, sort_keys=True).encode())

    add([SCHEMA, encoder.fingerprint, CHUNKER, asdict(sizes)])
    add([[item.get("name"), item.get("sha256")] for item in lists])
    for entry, documents in _read(entries, document_of):
        add(asdict(entry))
        for document in documents[1:]:
            # A source that was asked again and had nothing new makes no new index: the time of asking is left out.
            add({**asdict(document), "text": document.digest, "fetched_at": ""})
    return digest.hexdigest()
