"""Search in a running process on the index of a home: latency, memory, and recall@10 of its vectors against exact.

    python benchmarks/search.py HOME [QUESTIONS]

Questions are titles and pieces of notes of the home's own entries. Recall is that of dense search over each kind of
evidence, against reading every vector. Prints one JSON object.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from accelrag.pipeline import Assistant
from accelrag.settings import Settings
from accelrag.stores.recall import exact_best

TOP = 10


def percentile(seconds: Sequence[float], share: float) -> float:
    return round(sorted(seconds)[int(share * (len(seconds) - 1))] * 1000, 1)


def questions_of(assistant: Assistant, count: int) -> list[str]:
    entries = [entry for entry, _ in assistant.entries()]
    chosen = random.Random(0).sample(entries, min(count, len(entries)))
    return [e.title if i % 2 else " ".join(e.note.split()[2:12]) or e.title for i, e in enumerate(chosen)]


def recalls(assistant: Assistant, questions: Sequence[str]) -> dict[str, float]:
    index = assistant.index
    notes = index.manifest.counts["notes"]
    vectors = index.encoder.encode_queries(questions)
    found: dict[str, float] = {}
    for of, first in (("note", 0), ("text", notes)):
        raw = Path(index.folder) / "vectors" / f"{of}.f32"
        if not raw.exists():
            continue  # exact, or no such passages
        rows = np.memmap(raw, np.float32, "r").reshape(-1, vectors.shape[1])
        best = exact_best(rows, vectors, TOP) + first
        got = [[i for i, _ in index.dense.search(vector, TOP, of=of)] for vector in vectors]
        shares = [len(set(b.tolist()) & set(g)) / TOP for b, g in zip(best, got, strict=True)]
        found[of] = round(float(np.mean(shares)), 4)
    return found


def main() -> None:
    assistant = Assistant.open(Settings.load({"home": sys.argv[1]}))
    questions = questions_of(assistant, int(sys.argv[2]) if len(sys.argv) > 2 else 200)
    for question in questions[:3]:
        assistant.search(question)
    seconds: list[float] = []
    stages: dict[str, list[float]] = {}
    for question in questions:
        started = time.perf_counter()
        search = assistant.search(question)
        seconds.append(time.perf_counter() - started)
        for stage, taken in search.timings.items():
            stages.setdefault(stage, []).append(taken)
    print(
        json.dumps(
            {
                "passages": assistant.index.manifest.counts["passages"],
                "p50_ms": percentile(seconds, 0.5),
                "p95_ms": percentile(seconds, 0.95),
                "stages_p95_ms": {name: percentile(taken, 0.95) for name, taken in stages.items()},
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                "recall@10": recalls(assistant, questions[:100]),
            }
        )
    )


main()
