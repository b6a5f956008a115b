"""Sources for verification, written for tests, and a small encoder of words that needs no model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from accelrag.citations import OfferedSource
from accelrag.types import Entry, Passage, Place

TILE = (
    "TileFlow computes exact attention in tiles that stay in on-chip memory. It reduces the reads and writes of "
    "off-chip memory. On the X200 chip, TileFlow runs 2.5x faster than StreamAttend and uses 40% less memory. "
    "It does not approximate the softmax. The authors trained a model with 7 billion parameters on 64 chips in 3 days. "  # noqa: E501
    "TileFlow saves 12.5% of energy and reduces the latency by 31%."
)
PAGE = (
    "PageStore keeps the cache of keys and values in pages of fixed size, like virtual memory. Fragmentation wastes "
    "less than 4% of the memory. PageStore serves 3 times more requests than SlabServe. It supports FP8 and INT4 "
    "formats. PageStore was presented in October 2023."
)
QUANT = (
    "BitPress compresses weights to 4 bits without retraining. The accuracy drops by 0.3 points. BitPress runs on the "  # noqa: E501
    "EdgeOne accelerator. Activations are kept in 16 bits."
)


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit rows in which texts that share words are near: each word has a fixed random direction."""
    rows = np.zeros((len(texts), 96), dtype=np.float32)
    for i, text in enumerate(texts):
        for word in re.findall(r"\w+", text.lower()):
            seed = int.from_bytes(hashlib.sha256(word[:5].encode()).digest()[:4], "big")
            rows[i] += np.random.default_rng(seed).standard_normal(96).astype(np.float32)
        norm = np.linalg.norm(rows[i])
        rows[i] = rows[i] / norm if norm else np.eye(1, 96, dtype=np.float32)[0]
    return rows


def source(n: int, title: str, text: str, *, note: str = "") -> OfferedSource:
    """An entry with one passage of text, and one of its own."""
    entry = Entry(
        f"id{n}", f"https://example.org/{n}", f"https://example.org/{n}", "paper", (Place(title, ("Test",), note),)
    )
    own = f"{title}\n{note}\nTest" if note else f"{title}\nTest"
    passages = (
        Passage(2 * n, f"note:id{n}", f"id{n}", 0, len(own), own),
        Passage(2 * n + 1, f"text:id{n}", f"id{n}", 0, len(text), text),
    )
    return OfferedSource(n, entry, "abstract", passages)


SOURCES = (source(1, "TileFlow", TILE), source(2, "PageStore", PAGE), source(3, "BitPress", QUANT))
DOCUMENTS = {p.document_id: p.text for s in SOURCES for p in s.passages}
