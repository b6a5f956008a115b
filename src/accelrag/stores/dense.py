"""Dense search by FAISS: exact up to 50,000 vectors, inverted lists of 8-bit codes beyond.

Vectors are unit length, so that the inner product is the cosine. https://github.com/facebookresearch/faiss/wiki
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelrag.errors import IndexDamaged
from accelrag.storage import unwritable

__all__ = ["EXACT_LIMIT", "DenseIndex"]

EXACT_LIMIT = 50_000
_TRAIN_PER_LIST = 64


class DenseIndex:
    """A FAISS index in a file."""

    def __init__(self, path: Path) -> None:
        """Open the index; large ones are mapped, not read.

        Raises:
            IndexDamaged: the file is missing or no FAISS index.
        """
        import faiss

        self._faiss: Any = faiss
        try:
            flags = faiss.IO_FLAG_MMAP if path.stat().st_size > 200_000_000 else 0
            self._index: Any = faiss.read_index(str(path), flags)
        except (RuntimeError, OSError) as error:
            raise IndexDamaged(
                f"the vectors in {path} cannot be opened: {str(error).splitlines()[0][:160]}",
                hint="rebuild the index: accelrag index --rebuild",
            ) from error

    @classmethod
    def build(cls, path: Path, vectors: NDArray[np.float32], *, exact_limit: int = EXACT_LIMIT) -> None:
        """Write an index of ``vectors``, shape ``(n, dimension)``, unit rows. The same rows give the same file.

        Raises:
            StorageError: the file cannot be written.
        """
        import faiss

        count, dimension = vectors.shape
        if count <= exact_limit:
            index: Any = faiss.IndexFlatIP(dimension)
        else:
            lists = 1 << max(4, int(np.log2(4 * np.sqrt(count))))
            index = faiss.index_factory(dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
            step = max(1, count // (_TRAIN_PER_LIST * lists))
            index.train(np.ascontiguousarray(vectors[::step]))
            index.nprobe = max(16, lists // 16)
            index.make_direct_map()
        index.add(np.ascontiguousarray(vectors))
        try:
            faiss.write_index(index, str(path))
        except RuntimeError as error:
            raise unwritable(path, error) from error

    @property
    def count(self) -> int:
        """Vectors in the index."""
        return int(self._index.ntotal)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def search(
        self, query: NDArray[np.float32], limit: int, allowed: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """``(id, cosine)`` of the best ``limit`` rows among ``allowed``, best first, ties by id."""
        limit = min(limit, self.count if allowed is None else len(allowed))
        if limit < 1:
            return []
        row = np.ascontiguousarray(query.reshape(1, -1))
        scores, ids = self._index.search(row, limit, params=self._parameters(allowed))
        found = [(int(i), float(s)) for i, s in zip(ids[0], scores[0], strict=True) if i >= 0]
        return sorted(found, key=lambda item: (-item[1], item[0]))

    def vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """The stored vectors of rows, shape ``(len(ids), dimension)``; rounded to 8 bits beyond EXACT_LIMIT."""
        out = np.empty((len(ids), self.dimension), dtype=np.float32)
        for at, i in enumerate(ids):
            out[at] = self._index.reconstruct(int(i))
        return out

    def _parameters(self, allowed: Sequence[int] | None) -> Any:
        if allowed is None:
            return None
        selector = self._faiss.IDSelectorBatch(np.asarray(allowed, dtype=np.int64))
        if isinstance(self._index, self._faiss.IndexIVF):
            return self._faiss.SearchParametersIVF(sel=selector, nprobe=self._index.nprobe)
        return self._faiss.SearchParameters(sel=selector)
