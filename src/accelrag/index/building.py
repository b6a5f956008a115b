"""Entries and documents -> a published generation. Only text that was never encoded before is encoded."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from accelrag.embedding import Encoder, open_encoder
from accelrag.errors import IndexDamaged, IndexMismatch, IndexMissing, ListError, StorageError
from accelrag.index.bundle import building_folder, current_generation, orphans, publish, sweep, writing
from accelrag.index.chunking import CHUNKER, Sizes
from accelrag.index.exported import prepare_encoder
from accelrag.index.filling import Filled, Recipe, fill
from accelrag.index.manifest import SCHEMA, Manifest, mark_files
from accelrag.index.store import Store
from accelrag.storage import entry_values, writable
from accelrag.stores.embedded import EmbeddedWriter, open_embedded
from accelrag.types import Document, Entry, Progress
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


@dataclass(frozen=True, slots=True)
class _Order:
    """What a generation is made of, and what says so in its manifest."""

    entries: Sequence[Entry]
    document_of: Callable[[str], Document | None]
    model: str
    lists: Sequence[Mapping[str, Any]]
    encoder_dir: Path
    digest: str


def build(  # noqa: PLR0913 - the options of one build, each by its name
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
        order = _Order(entries, document_of, model, lists, encoder_dir, digest)
        try:
            filled = _fill(building, order, Recipe(encoder, sizes, encoder_dir.parent), progress)
            folder = publish(index_dir, building, digest)
        finally:
            shutil.rmtree(building, ignore_errors=True)
        sweep(index_dir)
        return BuildReport(folder, filled.counts["entries"], filled.counts["passages"], filled.encoded, False)


def _fill(building: Path, order: _Order, recipe: Recipe, progress: Progress | None) -> Filled:
    """Write every file of the generation into ``building`` and look at it once more."""
    filled = fill(building, order.entries, order.document_of, recipe, EmbeddedWriter(building), progress)
    encoder_dir = order.encoder_dir
    _link_encoder(encoder_dir, building / "encoder")
    manifest = Manifest(
        schema=SCHEMA,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        model=order.model,
        encoder=json.loads((encoder_dir / "encoder.json").read_text(encoding="utf-8")),
        chunker={"name": CHUNKER, **asdict(recipe.sizes)},
        lists=tuple(order.lists),
        counts=filled.counts,
        coverage=filled.coverage,
        source_digest=order.digest,
        store=filled.store,
        files=mark_files(building),
    )
    manifest.write(building)
    _self_check(building, filled.counts["passages"])
    return filled


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
        dense, lexical = open_embedded(folder)
        counts = (stored, lexical.count, dense.count)
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
    for entry in entries:
        add(entry_values(entry))
        document = document_of(entry.id)
        if document is not None and document.text.strip():
            # A source that was asked again and had nothing new makes no new index: the time of asking is left out.
            add({**asdict(document), "text": document.digest, "fetched_at": ""})
    return digest.hexdigest()
