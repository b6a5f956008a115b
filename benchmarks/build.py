"""Building an index against the bare encoder: the same texts through torch and sentence-transformers, and through us.

    python benchmarks/build.py [TEXTS]

Texts are made of words from the default list, 60 to 200 words long. Prints texts a second and the ratio.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from accelrag.embedding import VectorCache, find_model, open_encoder
from accelrag.index import prepare_encoder


def texts(count: int) -> list[str]:
    listed = Path(__file__).parents[1] / "corpus" / "awesome-ai-accelerators.md"
    words = listed.read_text(encoding="utf-8").split()
    chance = random.Random(0)
    return [" ".join(chance.choices(words, k=chance.randint(60, 120))) for _ in range(count)]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    written = texts(count)
    with tempfile.TemporaryDirectory() as folder:
        encoder = open_encoder(prepare_encoder(Path(folder), ""))
        cache = VectorCache(Path(folder), encoder.fingerprint)
        encoder.encode_passages(written[:2])
        started = time.perf_counter()
        encoder.encode_passages(written)
        bare = count / (time.perf_counter() - started)
        started = time.perf_counter()
        cache.encode(encoder, written)
        built = count / (time.perf_counter() - started)
        started = time.perf_counter()
        _, encoded = cache.encode(encoder, written)
        again = time.perf_counter() - started
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(find_model().location, device="cpu")
        model.encode(written[:2])
        started = time.perf_counter()
        model.encode(written, batch_size=32, normalize_embeddings=True)
        torch = count / (time.perf_counter() - started)
    print(f"exported encoder {bare:.1f} texts/s, with cache {built:.1f} ({built / bare:.2f}), torch {torch:.1f}")
    print(f"again: {encoded} encoded in {again:.3f} s")


main()
