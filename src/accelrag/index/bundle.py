"""Generations: opened by readers, published by one rename, swept when they are no longer needed.

index/
  CURRENT                 the name of the generation that answers
  gen-000003-1f2e3d4c/    manifest.json passages.db vectors/ lexical/ encoder/
  .building-…/            a generation in the making; left by a killed build, removed by the next
  cache/                  exported encoders and vectors
"""

from __future__ import annotations

import os
import re
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from accelrag.embedding import Encoder, open_encoder
from accelrag.errors import IndexDamaged, IndexMismatch, IndexMissing
from accelrag.index.manifest import Manifest
from accelrag.index.store import Store
from accelrag.storage import hold
from accelrag.stores.embedded import open_embedded
from accelrag.stores.protocol import DenseStore, LexicalStore

__all__ = ["CURRENT", "Index", "current_generation", "generations", "publish", "sweep", "writing"]

CURRENT = "CURRENT"
_NAME = re.compile(r"gen-(\d{6,})-[0-9a-f]{8}$")
_BUILDING = ".building-"
_KEEP = 2  # a reader that has read CURRENT and not yet opened the files still finds them


class Index:
    """An opened generation. It stays as it was while newer ones are published."""

    def __init__(self, folder: Path, manifest: Manifest, *, threads: int = 0) -> None:
        self.folder = folder
        self.manifest = manifest
        self.store = Store(folder / "passages.db")
        self._threads = threads
        self._loaded = False
        self._warming: Future[Encoder] | None = None

    @classmethod
    def open(cls, index_dir: Path, *, model: str = "", threads: int = 0) -> Index:
        """Open the published generation and check that it is whole.

        Raises:
            IndexMissing: nothing was built yet.
            IndexDamaged: it is not as it was written.
            IndexMismatch: it was built by another schema or with another model than ``model``.
        """
        for attempt in (1, 2, 3):
            folder = current_generation(index_dir)
            try:
                manifest = Manifest.read(folder)
                if model != manifest.model:
                    wanted = model or "the default model"
                    flag = f" --model {model}" if model else ""
                    raise IndexMismatch(
                        f"the index was built with {manifest.encoder['name']}, not with {wanted}",
                        hint=f"rebuild it: accelrag index{flag}",
                    )
                manifest.check(folder)
                index = cls(folder, manifest, threads=threads)
            except (IndexDamaged, IndexMissing):
                # A newer generation may have been published, and ours swept, since CURRENT was read.
                if attempt == 3 or current_generation(index_dir) == folder:
                    raise
                continue
            return index
        raise AssertionError("unreachable")

    @cached_property
    def _stores(self) -> tuple[DenseStore, LexicalStore]:
        return open_embedded(self.folder)

    @property
    def dense(self) -> DenseStore:
        """The vector side."""
        return self._stores[0]

    @property
    def lexical(self) -> LexicalStore:
        """The BM25 side."""
        return self._stores[1]

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder that made the vectors."""
        if self._warming is not None:
            return self._warming.result()
        return open_encoder(self.folder / "encoder", threads=self._threads)

    def warm(self) -> None:
        """Begin to load the encoder beside whatever comes next: it takes a third of a first question's time.

        What goes wrong is raised where the encoder is used.
        """

        def loaded() -> Encoder:
            encoder = open_encoder(self.folder / "encoder", threads=self._threads)
            encoder.load()
            return encoder

        if self._warming is None and "encoder" not in self.__dict__:
            pool = ThreadPoolExecutor(1)
            self._warming = pool.submit(loaded)
            pool.shutdown(wait=False)

    def load(self) -> None:
        """Open every part: from then on the generation answers even when its folder is removed.

        Raises:
            IndexDamaged, ModelError: a part cannot be opened.
        """
        if not self._loaded:
            _ = self._stores
            self.encoder.load()
            self._loaded = True

    def check(self) -> None:
        """Hash every file and compare the counts of all parts.

        Raises:
            IndexDamaged: something differs.
        """
        self.manifest.check(self.folder, thorough=True)
        counts = self.store.counts()
        seen = {"passages.db": counts["passages"], "lexical": self.lexical.count, "vectors": self.dense.count}
        wanted = self.manifest.counts["passages"]
        wrong = [f"{name} holds {count}" for name, count in seen.items() if count != wanted]
        if wrong or counts["entries"] != self.manifest.counts["entries"]:
            raise IndexDamaged(
                f"the index should hold {wanted} passages, but {', '.join(wrong) or 'its entries differ'}",
                hint="rebuild it: accelrag index --rebuild",
            )

    def close(self) -> None:
        """Close the files."""
        self.store.close()
        if "_stores" in self.__dict__:
            for store in self._stores:
                store.close()


def current_generation(index_dir: Path) -> Path:
    """The folder of the generation that answers.

    Raises:
        IndexMissing: nothing was built yet.
        IndexDamaged: CURRENT names no generation.
    """
    try:
        name = (index_dir / CURRENT).read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise IndexMissing(f"there is no index in {index_dir}", hint="build it: accelrag index") from error
    except (OSError, ValueError) as error:
        raise IndexDamaged(
            f"{index_dir / CURRENT} cannot be read: {error}", hint="rebuild the index: accelrag index --rebuild"
        ) from error
    if not _NAME.match(name) or not (index_dir / name).is_dir():
        raise IndexDamaged(
            f"{index_dir / CURRENT} names {name[:60]!r}, which is not there", hint="rebuild: accelrag index --rebuild"
        )
    return index_dir / name


def generations(index_dir: Path) -> list[Path]:
    """Every published generation folder, oldest first."""
    if not index_dir.is_dir():
        return []
    return sorted((p for p in index_dir.iterdir() if _NAME.match(p.name) and p.is_dir()), key=lambda p: p.name)


def _number(generation: Path) -> int:
    match = _NAME.match(generation.name)
    assert match
    return int(match[1])


def orphans(index_dir: Path) -> list[Path]:
    """Folders and files that a killed build left behind: half-made ones, and a generation that never answered."""
    if not index_dir.is_dir():
        return []
    found = [p for p in index_dir.iterdir() if p.name.startswith(_BUILDING) or p.name == f"{CURRENT}.new"]
    found += (index_dir / "cache").glob(".encoder-*")
    try:
        current = _number(current_generation(index_dir))
        found += [p for p in generations(index_dir) if _number(p) > current]
    except (IndexMissing, IndexDamaged):
        pass  # which of them answered cannot be told
    return sorted(found)


def building_folder(index_dir: Path) -> Path:
    """A new empty folder for a generation in the making."""
    folder = index_dir / f"{_BUILDING}{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def publish(index_dir: Path, building: Path, digest: str) -> Path:
    """Give the finished folder its name and make it the one that answers, by one rename of CURRENT."""
    for path in orphans(index_dir):
        if _NAME.match(path.name):  # else it would be kept as the one before, in place of the one that readers use
            shutil.rmtree(path)
    known = [_number(p) for p in generations(index_dir)]
    folder = index_dir / f"gen-{max(known, default=0) + 1:06d}-{digest[:8]}"
    building.rename(folder)
    fresh = index_dir / f"{CURRENT}.new"
    with fresh.open("w", encoding="utf-8") as stream:
        stream.write(folder.name + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(index_dir / CURRENT)
    _flush_folder(index_dir)
    return folder


def sweep(index_dir: Path, *, keep: int = _KEEP) -> list[Path]:
    """Remove orphans, and all but the newest ``keep`` generations; what was removed. Call it while writing."""
    try:
        current: Path | None = current_generation(index_dir)
    except (IndexMissing, IndexDamaged):
        current = None
    kept = [current, *reversed(generations(index_dir))] if current else list(reversed(generations(index_dir)))
    wanted = list(dict.fromkeys(kept))[:keep]
    unwanted = [p for p in generations(index_dir) if p not in wanted]
    gone = list(dict.fromkeys([*orphans(index_dir), *unwanted]))
    for path in gone:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return gone


def writing(index_dir: Path, *, wait: float = 0.0) -> AbstractContextManager[None]:
    """Hold the index's write lock. The kernel frees it when the holder ends, however it ends. Reentrant in a thread.

    Raises:
        Busy: another accelrag holds it for longer than ``wait`` seconds.
        StorageError: the folder cannot be written.
    """
    return hold(index_dir, wait=wait, doing="accelrag index")


def _flush_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
