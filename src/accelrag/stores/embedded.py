"""The embedded store: FAISS and tantivy in the folder of a generation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accelrag.stores.dense import DenseIndex
from accelrag.stores.lexical import LexicalIndex, LexicalWriter
from accelrag.stores.protocol import Rows, Vectors
from accelrag.types import Entry, Passage

__all__ = ["EMBEDDED", "LEXICAL", "VECTORS", "EmbeddedWriter", "open_embedded"]

EMBEDDED = "embedded"
VECTORS, LEXICAL = "vectors", "lexical"


class EmbeddedWriter:
    """Fills a generation's folder: words as they come, vectors at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lexical = LexicalWriter(folder / LEXICAL)

    def add(self, passage: Passage, entry: Entry) -> None:
        self._lexical.add(passage, entry)

    def finish(self, vectors: Vectors, notes: int, rows: Rows) -> dict[str, Any]:
        self._lexical.close()
        return {"kind": EMBEDDED, "vectors": DenseIndex.build(self._folder / VECTORS, vectors, notes=notes)}

    def abandon(self) -> None:
        self._lexical.abandon()


def open_embedded(folder: Path) -> tuple[DenseIndex, LexicalIndex]:
    """Both sides of a generation.

    Raises:
        IndexDamaged: a file is missing or cannot be opened.
    """
    return DenseIndex(folder / VECTORS), LexicalIndex(folder / LEXICAL)
