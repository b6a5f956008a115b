"""A home of a given size, from real abstracts: the whole build but for the encoding of texts that are only varied.

    python benchmarks/sized.py PASSAGES HOME

Reads ``abstracts/abstracts.jsonl.gz`` below ACCELRAG_SHARED. 5,000 abstracts are encoded. Every entry has the title
and the first sentence of an abstract as its note, and as its text sentences of several abstracts in an order of their
own, so that no two are alike. The vector of a text is that of one of the encoded abstracts and noise, at a cosine of
0.8: clustered as real vectors are. Everything else (cutting, words, tantivy, SQLite, FAISS, files, publishing) is as
in any build. Prints one JSON object: passages, seconds, peak memory in MB, bytes of the index, how vectors are kept.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from accelrag.embedding import Encoder, VectorCache, Vectors, open_encoder
from accelrag.index import SCHEMA, Manifest, prepare_encoder
from accelrag.index.building import _link_encoder
from accelrag.index.bundle import building_folder, publish
from accelrag.index.chunking import CHUNKER, Sizes
from accelrag.index.filling import Recipe, fill
from accelrag.index.manifest import mark_files
from accelrag.listing import entry_id
from accelrag.stores.embedded import EmbeddedWriter
from accelrag.types import Document, Entry, Place
from accelrag.version import __version__

ENCODED = 5_000
SENTENCES = 36  # behind an entry: about 16 passages
COSINE = 0.8


class VariedEncoder:
    """The real encoder for questions and tokens; a passage gets a known vector, varied."""

    def __init__(self, real: Encoder, known: Vectors) -> None:
        self._real, self._known = real, known
        self.fingerprint, self.name = f"varied-{real.fingerprint}", real.name
        self.dimension, self.max_tokens = real.dimension, real.max_tokens
        self.encode_queries, self.token_spans, self.load = real.encode_queries, real.token_spans, real.load

    def encode_passages(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        seeds = [zlib.crc32(text.encode()) for text in texts]
        near = self._known[[seed % len(self._known) for seed in seeds]]
        noise = np.random.default_rng(seeds[0] if seeds else 0).standard_normal(near.shape).astype(np.float32)
        noise /= np.linalg.norm(noise, axis=1, keepdims=True)
        made: Vectors = COSINE * near + np.sqrt(1 - COSINE**2) * noise
        if on_done:
            on_done(len(texts))
        return made / np.linalg.norm(made, axis=1, keepdims=True)


def abstracts() -> list[tuple[str, list[str]]]:
    """Titles with the sentences of their abstracts."""
    path = Path(os.environ["ACCELRAG_SHARED"]) / "abstracts" / "abstracts.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [(row["title"], row["abstract"].split(". ")) for row in rows if len(row["abstract"]) > 200]


def entries_of(papers: list[tuple[str, list[str]]], count: int) -> list[Entry]:
    made = []
    for i in range(count):
        title, sentences = papers[i % len(papers)]
        round_ = i // len(papers)
        url = f"https://example.org/{i}"
        place = Place(
            title if not round_ else f"{title} {round_ + 1}", (f"Part {i % 200}",), sentences[0], line=i + 1
        )
        made.append(Entry(entry_id(url), url, url, "paper", (place,)))
    return made


def text_of(papers: list[tuple[str, list[str]]], i: int) -> str:
    chance = random.Random(i)
    sentences: list[str] = []
    while len(sentences) < SENTENCES:
        sentences += papers[chance.randrange(len(papers))][1]
    chance.shuffle(sentences)
    return ". ".join(sentences[:SENTENCES])


def main() -> None:
    passages, home = int(sys.argv[1]), Path(sys.argv[2])
    papers = abstracts()
    entries = entries_of(papers, max(1, passages // 17))
    position = {entry.id: i for i, entry in enumerate(entries)}
    index_dir = home / "index"
    cache = index_dir / "cache"
    (home / "corpus").mkdir(parents=True, exist_ok=True)
    folder = prepare_encoder(cache, "")
    real = open_encoder(folder)
    kept = VectorCache(cache, real.fingerprint)
    known, _ = kept.encode(real, [". ".join(sentences)[:400] for _, sentences in papers[:ENCODED]])
    kept.close()
    encoder = VariedEncoder(real, known)

    def document_of(entry: str) -> Document:
        text = text_of(papers, position[entry])
        return Document(f"text:{entry}", entry, text, "abstract", fetched_at="2026-01-01T00:00:00+00:00")

    sizes = Sizes(limit=encoder.max_tokens, target=90)
    started = time.perf_counter()
    building = building_folder(index_dir)
    filled = fill(building, entries, document_of, Recipe(encoder, sizes, cache), EmbeddedWriter(building), None)
    _link_encoder(folder, building / "encoder")
    config = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
    Manifest(
        schema=SCHEMA,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        model="",
        encoder=config,
        chunker={"name": CHUNKER, **asdict(sizes)},
        lists=(),
        counts=filled.counts,
        coverage=filled.coverage,
        source_digest="0" * 64,
        store=filled.store,
        files=mark_files(building),
    ).write(building)
    published = publish(index_dir, building, "0" * 64)
    seconds = time.perf_counter() - started
    size = sum(p.stat().st_size for p in published.rglob("*") if p.is_file() and p.parent.name != "encoder")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        json.dumps(
            {
                "passages": filled.counts["passages"],
                "seconds": round(seconds, 1),
                "peak_mb": round(memory),
                "index_bytes": size,
                "store": filled.store,
            }
        )
    )


main()
