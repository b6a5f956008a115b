"""Search in a running process, small and at size: latency against exact search, and recall of the approximate index.

    python benchmarks/search.py [ROWS] [HOME]

The dense side is measured on ROWS vectors (default 200,000) around 2,000 centres, as embeddings cluster; the whole
search on the index of HOME where one is given.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from accelrag.stores.dense import DenseIndex


def percentile(seconds: list[float], share: float) -> float:
    return sorted(seconds)[int(share * (len(seconds) - 1))] * 1000


def dense(rows: int) -> None:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((2000, 384)).astype(np.float32)
    vectors = centres[rng.integers(0, 2000, rows)] + 0.7 * rng.standard_normal((rows, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    picked = rng.integers(0, rows, 200)
    queries = vectors[picked] + 0.03 * rng.standard_normal((200, 384)).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.faiss"
        started = time.perf_counter()
        DenseIndex.build(path, vectors)
        built = time.perf_counter() - started
        index = DenseIndex(path)
        seconds, found = [], []
        for query in queries:
            started = time.perf_counter()
            found.append({i for i, _ in index.search(query, 100)[:10]})
            seconds.append(time.perf_counter() - started)
        exact_seconds, recall = [], []
        for query, got in zip(queries, found, strict=True):
            started = time.perf_counter()
            best = set(np.argpartition(-(vectors @ query), 10)[:10].tolist())
            exact_seconds.append(time.perf_counter() - started)
            recall.append(len(best & got) / 10)
        size = path.stat().st_size / 1e6
    p95, exact = percentile(seconds, 0.95), percentile(exact_seconds, 0.95)
    print(f"{rows} vectors: p95 {p95:.1f} ms, exact {exact:.1f} ms, recall@10 {np.mean(recall):.3f}")
    print(f"{size:.0f} MB, built in {built:.0f} s")


def whole(home: str) -> None:
    from accelrag.pipeline import Assistant
    from accelrag.settings import Settings

    assistant = Assistant.open(Settings.load({"home": home}))
    questions = [e.title for e, _ in assistant.entries()][:100]
    assistant.search(questions[0])
    seconds = []
    for question in questions:
        started = time.perf_counter()
        assistant.search(question)
        seconds.append(time.perf_counter() - started)
    passages = assistant.index.manifest.counts["passages"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    p50, p95 = percentile(seconds, 0.5), percentile(seconds, 0.95)
    print(f"{passages} passages: search p50 {p50:.1f} ms, p95 {p95:.1f} ms, {memory:.0f} MB")


if len(sys.argv) > 2:
    whole(sys.argv[2])
dense(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
