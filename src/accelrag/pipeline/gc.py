"""``gc``: what no list, no passage and no index needs any longer, and how many bytes that is."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from accelrag.corpus import Corpus
from accelrag.embedding import VectorCache
from accelrag.embedding.cache import text_key
from accelrag.errors import Busy, IndexDamaged, IndexMismatch, IndexMissing
from accelrag.index import Manifest, Store, current_generation, generations, sweep, writing
from accelrag.index.bundle import orphans
from accelrag.index.chunking import embedding_text
from accelrag.pipeline.lists import entries_of
from accelrag.settings import Settings
from accelrag.storage import hold

__all__ = ["Collected", "collect_garbage", "holder_of", "index_folders", "is_alive", "left_behind", "swept"]


@dataclass(slots=True)
class Collected:
    """What was removed, or with ``dry_run`` would be: how many of each kind, and bytes in all."""

    dry_run: bool
    counts: dict[str, int] = field(default_factory=dict)
    bytes: int = 0

    def add(self, what: str, count: int, size: int) -> None:
        """Count ``count`` of a kind, ``size`` bytes together."""
        if count:
            self.counts[what] = self.counts.get(what, 0) + count
            self.bytes += size

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return {"dry_run": self.dry_run, "removed": dict(self.counts), "bytes": self.bytes}


def collect_garbage(settings: Settings, *, dry_run: bool = False, wait: float = 0.0) -> Collected:
    """Remove texts of entries that no list holds, vectors that no passage uses, old encoders and generations.

    Raises:
        ListError: a list of the home cannot be read, so nothing is known to be needless.
        StorageError, Busy: as their names say.
    """
    settings = replace(settings, list="")
    found = Collected(dry_run)
    if dry_run:
        _collect(settings, found)
        return found
    with hold(settings.corpus_dir, wait=wait, doing="accelrag gc"), writing(settings.index_dir, wait=wait):
        _collect(settings, found)
    return found


def index_folders(settings: Settings) -> list[Path]:
    """The home's index and those of other lists below it."""
    apart = settings.index_dir / "lists"
    return [settings.index_dir, *(sorted(p for p in apart.iterdir() if p.is_dir()) if apart.is_dir() else [])]


def _collect(settings: Settings, found: Collected) -> None:
    for folder in index_folders(settings)[1:]:
        if not _list_exists(folder):
            _remove(folder, "indexes of lists that are gone", found)
    _texts(settings, found)
    for folder in index_folders(settings):
        _generations(folder, found)
    _cache(settings, found)


def _texts(settings: Settings, found: Collected) -> None:
    path = settings.corpus_dir / "corpus.db"
    if not path.exists():
        return
    with Corpus.open(settings.corpus_dir, read_only=found.dry_run) as corpus:
        entries, _ = entries_of(settings, corpus)
        wanted = {entry.id for entry in entries}
        for folder in index_folders(settings)[1:]:
            wanted |= {entry.id for entry in _indexed(folder)}
        gone = sorted((corpus.digests().keys() | corpus.failures().keys()) - wanted)
        texts = [d for d in map(corpus.document, gone) if d is not None]
        found.add("texts", len(texts), sum(len(d.text.encode()) for d in texts))
        found.add("failures", len(gone) - len(texts), 0)
        if gone and not found.dry_run:
            with corpus.batch():
                for entry_id in gone:
                    corpus.remove(entry_id)
            corpus.compact()


def _generations(folder: Path, found: Collected) -> None:
    left = orphans(folder)
    try:
        current = current_generation(folder)
    except (IndexMissing, IndexDamaged):
        return
    old = [p for p in generations(folder) if p not in (current, *left)]
    found.add("leftovers of killed runs", len(left), sum(map(_size, left)))
    found.add("old generations", len(old), sum(map(_size, old)))
    if not found.dry_run:
        sweep(folder, keep=1)


def _cache(settings: Settings, found: Collected) -> None:
    cache = settings.index_dir / "cache"
    keys = _needed_vectors(settings) if cache.is_dir() else {}
    if not keys:
        return
    for path in sorted(cache.glob("encoder-*")):
        if _fingerprint(path) not in keys:
            _remove(path, "encoders", found)
    for path in sorted(cache.glob("vectors-*.db")):
        fingerprint = path.stem.removeprefix("vectors-")
        if fingerprint not in keys:
            for part in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
                _remove(part, "vector files of other encoders", found)
            continue
        _vectors(path, fingerprint, keys[fingerprint], found)


def _needed_vectors(settings: Settings) -> dict[str, set[bytes]]:
    """Keys of the texts that the indexes hold, by fingerprint; none where an index cannot be read."""
    keys: dict[str, set[bytes]] = {}
    for folder in index_folders(settings):
        try:
            generation = current_generation(folder)
            manifest = Manifest.read(generation)
        except (IndexMissing, IndexDamaged, IndexMismatch):
            return {}  # what it needs cannot be told, and the next build may use it
        with closing(Store(generation / "passages.db")) as store:
            keys.setdefault(manifest.fingerprint, set()).update(text_key(text) for text in _texts_of(store))
    return keys


def _vectors(path: Path, fingerprint: str, needed: set[bytes], found: Collected) -> None:
    before = path.stat().st_size
    with closing(VectorCache(path.parent, fingerprint)) as vectors:
        if found.dry_run:
            found.add("vectors", *vectors.needless(needed))
            return
        gone = vectors.keep_only(needed)
        if gone:
            vectors.compact()
    found.add("vectors", gone, max(0, before - path.stat().st_size))


def _texts_of(store: Store) -> Iterator[str]:
    for entry, _ in store.entries():
        for passage in store.passages_of(entry.id):
            yield embedding_text(passage)


def _indexed(folder: Path) -> list[Any]:
    try:
        with closing(Store(current_generation(folder) / "passages.db")) as store:
            return [entry for entry, _ in store.entries()]
    except (IndexMissing, IndexDamaged):
        return []


def _list_exists(folder: Path) -> bool:
    try:
        return all(Path(item["path"]).is_file() for item in Manifest.read(current_generation(folder)).lists)
    except IndexMissing:
        return False
    except (IndexDamaged, IndexMismatch, KeyError):
        return True


def _fingerprint(folder: Path) -> str:
    try:
        return str(json.loads((folder / "encoder.json").read_text(encoding="utf-8"))["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _remove(path: Path, what: str, found: Collected) -> None:
    if not path.exists():
        return
    found.add(what, 0 if path.name.endswith(("-wal", "-shm")) else 1, _size(path))
    if found.dry_run:
        return
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    """Bytes that go with a file or folder: what others hold by a hard link stays."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files if p.stat().st_nlink == 1)


def left_behind(settings: Settings) -> list[Path]:
    """Folders and files that no run will look at again."""
    found = [path for folder in index_folders(settings) for path in orphans(folder)]
    if settings.corpus_dir.is_dir():
        found += sorted(settings.corpus_dir.glob(".*.new"))
    return found


def swept(settings: Settings) -> Iterator[str]:
    """Remove what was left behind, unless its maker is still at work."""
    left = left_behind(settings)
    note = settings.corpus_dir / ".lock.json"
    stale = holder_of(note)
    if not left and not (stale and not is_alive(stale[0])):
        return
    with suppress(Busy), hold(settings.corpus_dir, doing="accelrag doctor"):
        for folder in index_folders(settings):
            if folder.is_dir() and orphans(folder):
                with suppress(Busy), writing(folder):
                    yield from (f"removed {path}" for path in sweep(folder))
        for path in settings.corpus_dir.glob(".*.new"):
            path.unlink(missing_ok=True)
            yield f"removed {path}"
    if stale and not is_alive(stale[0]):
        note.unlink(missing_ok=True)
        yield f"removed {note}"


def holder_of(note: Path) -> tuple[int, str] | None:
    """Process and words of the note that stands beside a lock; None where there is none."""
    try:
        said = json.loads(note.read_text(encoding="utf-8"))
        return int(said["pid"]), f"{str(said['doing'])[:60]} since {str(said['since'])[:40]}"
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return (0, "unreadable")


def is_alive(pid: int) -> bool:
    """Whether a process of that number runs on this machine."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
