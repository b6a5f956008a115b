"""Fit the relevance gate on questions of our own and print its coefficients and errors.

python evals/fit_gate.py INDEX_DIR=QUESTIONS.tsv,... ...
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from accelrag.index import Index
from accelrag.retriever import Retriever

FEATURES = ("cosine", "known", "found", "noted", "named")


def rows(index_dir: str, files: list[str]) -> list[tuple[list[float], int, str]]:
    retriever = Retriever(Index.open(Path(index_dir)))
    found = []
    for file in files:
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            _, kind, question, *_ = line.split("\t")
            signals = retriever.search(question, 3).signals
            found.append(([float(getattr(signals, f)) for f in FEATURES], int(kind == "answer"), question))
    return found


def main() -> None:
    data = []
    for argument in sys.argv[1:]:
        index_dir, files = argument.split("=", 1)
        data += rows(index_dir, files.split(","))
    x = np.array([[1.0, *features] for features, _, _ in data])
    y = np.array([label for _, label, _ in data], dtype=float)
    w = np.zeros(x.shape[1])
    ridge = np.diag([0.0] + [0.15] * len(FEATURES))
    for _ in range(200):  # Newton's method for ridge logistic regression
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (p - y) + ridge @ w
        hessian = (x * (p * (1 - p))[:, None]).T @ x + ridge
        w -= np.linalg.solve(hessian, gradient)
    p = 1 / (1 + np.exp(-x @ w))
    print("bias", round(float(w[0]), 2), {f: round(float(v), 2) for f, v in zip(FEATURES, w[1:], strict=True)})
    for cut in (0.3, 0.4, 0.5, 0.6, 0.7):
        refused = p < cut
        tp = int((refused & (y == 0)).sum())
        precision, recall = tp / max(1, int(refused.sum())), tp / int((y == 0).sum())
        lost = int((refused & (y == 1)).sum())
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(f"cut {cut}: refusal P {precision:.3f} R {recall:.3f} F1 {f1:.3f}; lost {lost}/{int(y.sum())}")
    for (features, label, question), prob in sorted(zip(data, p, strict=True), key=lambda t: t[1]):
        if (prob >= 0.5) != bool(label):
            print(f"{label} {prob:.2f} {[round(f, 2) for f in features]} {question}")


main()
