"""Cross-encoders of sentence-transformers: relevance of a text to a query, entailment of a claim by its evidence.

https://sbert.net/docs/package_reference/cross_encoder/cross_encoder.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from accelrag.errors import ModelError
from accelrag.optional import require

__all__ = ["open_entailment", "open_relevance"]

Scorer = Callable[[Sequence[tuple[str, str]]], list[float]]


def open_relevance(name: str) -> Scorer:
    """A reranker: higher is more relevant.

    Raises:
        ModelError: the model cannot be loaded, or gives several scores a pair.
    """
    model = _load(name)
    if model.config.num_labels != 1:
        raise ModelError(
            f"{name} gives {model.config.num_labels} scores for a pair, a reranker gives one",
            hint="name a reranking cross-encoder with --rerank",
        )

    def score(pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [float(s) for s in model.predict(list(pairs), show_progress_bar=False)]

    return score


def open_entailment(name: str) -> Scorer:
    """An NLI model: the probability of entailment for each pair (premise, hypothesis).

    Raises:
        ModelError: the model cannot be loaded, or none of its labels is entailment.
    """
    model = _load(name)
    labels = {str(label).lower(): int(i) for i, label in model.config.id2label.items()}
    at = next((i for label, i in labels.items() if label.startswith("entail")), None)
    if at is None:
        raise ModelError(
            f"{name} has no label for entailment, only {', '.join(sorted(labels))}",
            hint="name an NLI cross-encoder with --verifier",
        )

    def score(pairs: Sequence[tuple[str, str]]) -> list[float]:
        rows = model.predict(list(pairs), apply_softmax=True, show_progress_bar=False)
        return [float(row[at]) for row in rows]

    return score


def _load(name: str) -> Any:
    require("encoders", f"the cross-encoder {name}")
    from sentence_transformers import CrossEncoder

    folder = Path(name).expanduser()
    if not folder.is_dir() and (folder.is_absolute() or name.startswith(".") or name.count("/") > 1):
        raise ModelError(f"there is no folder {name}", hint="name a folder or a model of the hub")
    try:
        return CrossEncoder(str(folder) if folder.is_dir() else name, local_files_only=folder.is_dir())
    except Exception as error:
        first = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise ModelError(
            f"the cross-encoder {name} cannot be loaded: {first}", hint="name a folder or a model of the hub"
        ) from error
