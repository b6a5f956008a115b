"""Dense search by FAISS: exact up to ``EXACT_LIMIT`` vectors of a kind, beyond it inverted lists of 8-bit codes.

Notes and texts have files of their own, so that each kind of evidence is ranked by itself whatever the other's size.
Codes only propose: their best are scored again with the vectors themselves, read from ``*.f32``, so that a cosine is
exact in every store. How many lists are looked into is measured at build, on questions made from the vectors, and is
written down with the recall it gave. https://github.com/facebookresearch/faiss/wiki
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelrag.errors import IndexDamaged
from accelrag.storage import unwritable
from accelrag.stores.protocol import Evidence, Ranking, Scope, Vectors
from accelrag.stores.recall import choose_probes

__all__ = ["EXACT_LIMIT", "DenseIndex"]

EXACT_LIMIT = 50_000  # an exact search of 50,000 vectors takes 5 ms on one core
_MAPPED = 100_000_000  # bytes from which a file is mapped rather than read
_PROPOSED = 4  # how many candidates a result gets, before they are scored exactly
_FEW = 20_000  # allowed passages that are scored one by one: exact, and faster than the lists
_TRAIN_PER_LIST = 64
_BLOCK = 65_536


class DenseIndex:
    """The vectors of a generation, in a folder. Ids of notes come before ids of texts."""

    def __init__(self, folder: Path) -> None:
        """Open the files.

        Raises:
            IndexDamaged: a file is missing or no FAISS index.
        """
        notes = _Part(folder, "note", 0)  # every entry has one
        self._parts = [notes]
        if (folder / "text.faiss").exists():
            self._parts.append(_Part(folder, "text", notes.count))

    @classmethod
    def build(
        cls, folder: Path, vectors: Vectors, *, notes: int, exact_limit: int = EXACT_LIMIT
    ) -> dict[str, dict[str, Any]]:
        """Write an index of unit rows, notes first; how each kind is kept and with what measured recall.

        ``vectors`` may be a mapped file: it is read in blocks. The same rows give the same files.

        Raises:
            StorageError: a file cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        kept = {}
        for of, rows in (("note", vectors[:notes]), ("text", vectors[notes:])):
            if len(rows):
                kept[of] = _write_part(folder, of, rows, exact_limit)
        return kept

    @property
    def count(self) -> int:
        return sum(part.count for part in self._parts)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._parts[0].dimension

    def search(
        self, query: Vectors, limit: int, *, of: Evidence | None = None, within: Scope | None = None
    ) -> Ranking:
        found: Ranking = []
        row = np.ascontiguousarray(query.reshape(1, -1), dtype=np.float32)
        allowed = None if within is None else np.asarray(within.passages, dtype=np.int64)
        for part in self._parts:
            if of in (None, part.of):
                found += part.search(row, limit, allowed)
        return heapq.nsmallest(limit, found, key=lambda item: (-item[1], item[0]))

    def close(self) -> None:
        return  # files are let go with the last search that uses them


class _Part:
    """The vectors of one kind of evidence; ``first`` is the id of its first passage."""

    def __init__(self, folder: Path, of: Evidence, first: int) -> None:
        import faiss

        self.of, self.first = of, first
        self._faiss: Any = faiss
        path, raw = folder / f"{of}.faiss", folder / f"{of}.f32"
        try:
            flags = faiss.IO_FLAG_MMAP if path.stat().st_size > _MAPPED else 0
            self._index: Any = faiss.read_index(str(path), flags)
            self._raw = np.memmap(raw, np.float32, "r").reshape(-1, self.dimension) if raw.exists() else None
        except (RuntimeError, OSError, ValueError) as error:
            raise _damaged(path, error) from error
        approximate = isinstance(self._index, faiss.IndexIVF)
        if approximate and (self._raw is None or len(self._raw) != self.count):
            raise _damaged(raw, "it does not hold the vectors of its index")

    @property
    def count(self) -> int:
        return int(self._index.ntotal)

    @property
    def dimension(self) -> int:
        return int(self._index.d)

    def search(self, row: Vectors, limit: int, allowed: NDArray[np.int64] | None) -> Ranking:
        if allowed is not None:
            allowed = allowed[(allowed >= self.first) & (allowed < self.first + self.count)] - self.first
        limit = min(limit, self.count if allowed is None else len(allowed))
        if limit < 1:
            return []
        # Several threads wait, spinning, for the slowest: one is as fast alone, four times as fast on busy cores.
        # OpenMP keeps the number a thread, so that every search says it.
        self._faiss.omp_set_num_threads(1)
        if self._raw is None:
            scores, ids = self._index.search(row, limit, params=self._parameters(allowed))
            return self._ranked(ids[0], scores[0], limit)
        if allowed is not None and len(allowed) <= _FEW:
            return self._rescored(row, allowed, limit)
        _, ids = self._index.search(row, _PROPOSED * limit, params=self._parameters(allowed))
        return self._rescored(row, ids[0], limit)

    def _rescored(self, row: Vectors, ids: NDArray[np.int64], limit: int) -> Ranking:
        assert self._raw is not None
        ids = np.sort(ids[ids >= 0])
        return self._ranked(ids, self._raw[ids] @ row[0], limit)

    def _ranked(self, ids: NDArray[np.int64], scores: Vectors, limit: int) -> Ranking:
        order = np.lexsort((ids, -scores))[:limit]
        return [(int(ids[i]) + self.first, float(scores[i])) for i in order if ids[i] >= 0]

    def _parameters(self, allowed: NDArray[np.int64] | None) -> Any:
        if allowed is None:
            return None
        bits = np.zeros(self.count, dtype=bool)
        bits[allowed] = True
        packed = np.packbits(bits, bitorder="little")
        selector = self._faiss.IDSelectorBitmap(self.count, self._faiss.swig_ptr(packed))
        if isinstance(self._index, self._faiss.IndexIVF):
            parameters = self._faiss.SearchParametersIVF(sel=selector, nprobe=self._index.nprobe)
        else:
            parameters = self._faiss.SearchParameters(sel=selector)
        parameters.kept = packed  # the selector points into it
        return parameters


def _write_part(folder: Path, of: str, rows: Vectors, exact_limit: int) -> dict[str, Any]:
    import faiss

    faiss.omp_set_num_threads(os.cpu_count() or 1)
    path = folder / f"{of}.faiss"
    count, dimension = rows.shape
    described: dict[str, Any] = {"vectors": count, "kind": "exact"}
    if count <= exact_limit:
        index: Any = faiss.IndexFlatIP(dimension)
    else:
        index = _trained(rows)
        described = {"vectors": count, "kind": "inverted lists of 8-bit codes, scored again", "lists": index.nlist}
    for block in _blocks(rows):
        index.add(block)
    try:
        if count > exact_limit:
            with (folder / f"{of}.f32").open("wb") as stream:
                for block in _blocks(rows):
                    block.tofile(stream)
            described |= choose_probes(index, rows, proposed=_PROPOSED)
        faiss.write_index(index, str(path))
    except (RuntimeError, OSError) as error:
        raise unwritable(path, error) from error
    return described


def _trained(rows: Vectors) -> Any:
    import faiss

    count, dimension = rows.shape
    lists = 1 << max(4, int(np.log2(4 * np.sqrt(count))))
    index: Any = faiss.index_factory(dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.cp.niter = 10
    sample = np.linspace(0, count - 1, min(count, _TRAIN_PER_LIST * lists)).astype(np.int64)
    index.train(np.ascontiguousarray(rows[sample]))
    return index


def _blocks(rows: Vectors) -> Iterator[Vectors]:
    for at in range(0, len(rows), _BLOCK):
        yield np.ascontiguousarray(rows[at : at + _BLOCK], dtype=np.float32)


def _damaged(path: Path, why: object) -> IndexDamaged:
    said = str(why).splitlines()[0][:160] if str(why) else type(why).__name__
    return IndexDamaged(
        f"the vectors in {path} cannot be opened: {said}", hint="rebuild the index: accelrag index --rebuild"
    )
