"""A home for the page: a list and the texts behind its entries, as if they had been fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accelrag.corpus import Corpus
from accelrag.listing import parse
from accelrag.pipeline import build_index
from accelrag.settings import Settings
from accelrag.types import Document
from small_corpus import TEXTS

PAGE_LIST = """# Awesome Test Chips

> A list written for tests.

## Contents

- [Kernels](#kernels)
- [Simulators](#simulators)

## Kernels

### Attention

- [TileFlow Attention](https://arxiv.org/abs/2401.00001) — Tiles the score matrix so that it never leaves the cache.
- [PageTable Attention](https://arxiv.org/abs/2401.00002) — Keeps the KV cache in pages, like virtual memory.

### Matrix multiply

- [FastGEMM](https://github.com/example/fastgemm) — Hand-tuned matrix multiply for tensor cores.
- **Textbook** — [Blocking for Caches](https://books.example.org/blocking), A. Author. How tiles meet the memory.

## Simulators

- [DRAMpipe](https://github.com/example/drampipe) — A cycle-accurate DRAM simulator.
- [NoCturne](https://github.com/example/nocturne) — A simulator of networks on chip.
- [FastGEMM](https://github.com/example/fastgemm) — Also models its own cycles.
"""


def fill_corpus(home: Path, markdown: str, texts: dict[str, tuple[str, str]]) -> None:
    """Write the list and the texts by URL into a home."""
    (home / "corpus").mkdir(parents=True, exist_ok=True)
    (home / "corpus" / "test-chips.md").write_text(markdown, encoding="utf-8")
    with Corpus.open(home / "corpus") as corpus:
        for entry in parse(markdown).entries:
            if entry.url in texts:
                coverage, text = texts[entry.url]
                corpus.put(
                    Document(
                        f"text:{entry.id}",
                        entry.id,
                        text,
                        coverage,  # type: ignore[arg-type]
                        title=entry.title,
                        source=entry.url,
                        fetched_at="2026-01-02T03:04:05+00:00",
                        published="2024-05-06",
                        authors=("Ada Example",),
                    )
                )


def indexed_home(home: Path, **settings: Any) -> Path:
    """``home`` with the list of the page, the texts behind its entries and an index of them."""
    fill_corpus(home, PAGE_LIST, TEXTS)
    build_index(Settings(home=home, **settings))
    return home
