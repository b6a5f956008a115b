"""A small corpus for index tests: the list of ``conftest`` and three texts written for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from accelrag.embedding.encoder import OnnxEncoder
from accelrag.index import BuildReport, build
from accelrag.listing import parse
from accelrag.types import Document, Entry

TEXTS = {
    "https://github.com/example/fastgemm": (
        "readme",
        "# FastGEMM\n\nFastGEMM reaches 92% of the peak of a tensor core. It needs no tuning at run time.\n\n"
        "## Install\n\n```sh\n# get it\nmake -j all\n```\n\n## Limits\n\nMatrices under 64 rows are slow. "
        "It was measured on the XQ-900 card with `fg.bench()`.\n",
    ),
    "https://arxiv.org/abs/2401.00002": (
        "abstract",
        "We keep the KV cache in pages of fixed size. Waste falls from 70% to less than 4% of the memory. "
        "Throughput rises 2.5 times over a contiguous cache.",
    ),
    "https://github.com/example/drampipe": (
        "readme",
        "DRAMpipe simulates banks, ranks and channels cycle by cycle. "
        "It supports DDR5 and HBM3. 内存模拟器支持HBM3。",
    ),
}


def documents_of(
    entries: list[Entry], texts: Mapping[str, tuple[str, str]] = TEXTS
) -> Callable[[str], Document | None]:
    """``document_of`` for a build: the texts by the URL of their entry."""
    by_id = {e.id: e for e in entries}

    def document_of(entry_id: str) -> Document | None:
        entry = by_id[entry_id]
        if entry.url not in texts:
            return None
        coverage, text = texts[entry.url]
        return Document(
            f"text:{entry.id}",
            entry.id,
            text,
            coverage,  # type: ignore[arg-type]
            title=entry.title,
            source=entry.url,
            markdown=text.startswith("#"),
        )

    return document_of


def build_small(
    index_dir: Path,
    encoder: Path | str,
    markdown: str,
    texts: Mapping[str, tuple[str, str]] = TEXTS,
    **kwargs: object,
) -> BuildReport:
    """Build an index of a list in Markdown with texts by URL."""
    entries = list(parse(markdown).entries)
    return build(index_dir, entries, documents_of(entries, texts), model=str(encoder), **kwargs)  # type: ignore[arg-type]


def every_file(folder: Path) -> Iterator[Path]:
    """Every file below a folder, sorted."""
    return iter(sorted(p for p in folder.rglob("*") if p.is_file()))


class CountingEncoder(OnnxEncoder):
    """An encoder that remembers the texts it was given."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.seen: list[str] = []

    def encode_passages(self, texts, on_done=None):  # type: ignore[no-untyped-def]
        self.seen += list(texts)
        return super().encode_passages(texts, on_done)
