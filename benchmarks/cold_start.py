"""A question from process start to exit, against the same question through sentence-transformers and FAISS.

    python benchmarks/cold_start.py [RUNS]

Both answer from the same 226 notes with the same weights; both have their index on disk. Prints medians of wall and
CPU seconds, peak resident memory, and the ratio, run in turn so that the machine's mood meets both.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUESTION = "What does PagedAttention do about wasted GPU memory?"
BASELINE = """
import json, sys
import faiss
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(sys.argv[1], device="cpu")
index = faiss.read_index(sys.argv[2])
texts = json.load(open(sys.argv[3], encoding="utf-8"))
_, found = index.search(model.encode([sys.argv[4]], normalize_embeddings=True), 5)
print("\\n".join(texts[i] for i in found[0]))
"""


def run(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak(command: list[str], env: dict[str, str]) -> float:
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
        "stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, *command], env=env, check=True, capture_output=True, text=True
    )
    return float(shown.stdout)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    from accelrag.embedding import find_model
    from accelrag.index import Index

    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ACCELRAG_HOME": folder, "HF_HUB_OFFLINE": "1"}
        ask = [sys.executable, "-m", "accelrag", "ask", QUESTION]
        subprocess.run(ask, env=env, check=True, stdout=subprocess.DEVNULL)
        index = Index.open(Path(folder) / "index")
        texts = [p.text for p in index.store.passages(range(index.manifest.counts["passages"])).values()]
        (Path(folder) / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        (Path(folder) / "baseline.py").write_text(BASELINE, encoding="utf-8")
        vectors, listed = str(index.folder / "vectors.faiss"), str(Path(folder) / "texts.json")
        script = [sys.executable, f"{folder}/baseline.py", find_model().location, vectors, listed, QUESTION]
        rows = {"accelrag": [], "script": [], "--help": []}
        for _ in range(runs):
            rows["accelrag"].append(run(ask, env))
            rows["script"].append(run(script, env))
            rows["--help"].append(run([sys.executable, "-m", "accelrag", "--help"], env))
        medians = {
            name: [statistics.median(column) for column in zip(*values, strict=True)] for name, values in rows.items()
        }
        for name, (wall, cpu) in medians.items():
            print(f"{name:>9}: wall {wall:.3f} s, CPU {cpu:.3f} s")
        print(f"   memory: accelrag {peak(ask, env):.0f} MB, script {peak(script, env):.0f} MB")
        ratios = [s[0] / a[0] for a, s in zip(rows["accelrag"], rows["script"], strict=True)]
        print(f"    ratio: {statistics.median(ratios):.1f} times faster ({min(ratios):.1f} to {max(ratios):.1f})")


main()
