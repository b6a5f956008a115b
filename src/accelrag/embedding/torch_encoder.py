"""The encoder for models that cannot be exported: torch in process, slower to start, same protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from accelrag.embedding.export import load_torch
from accelrag.embedding.models import ModelSource
from accelrag.embedding.protocol import Vectors

__all__ = ["TorchEncoder"]


class TorchEncoder:
    """Runs a sentence-transformers model as it is, one text at a time so that a vector depends on its text alone."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config
        self._model = load_torch(ModelSource(config["name"], config["location"], "/" in config["location"]))

    @property
    def fingerprint(self) -> str:
        return str(self._config["fingerprint"])

    @property
    def name(self) -> str:
        return str(self._config["name"])

    @property
    def dimension(self) -> int:
        return int(self._config["dimension"])

    @property
    def max_tokens(self) -> int:
        prompt = len(self.token_spans(self._config["prompts"]["passage"]))
        return int(self._config["max_tokens"]) - prompt - 2

    def load(self) -> None:
        return

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, "query", None)

    def encode_passages(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        return self._encode(texts, "passage", on_done)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        if not callable(self._model.tokenizer):  # a bare one of the tokenizers library, as static embeddings have
            return list(self._model.tokenizer.encode(text, add_special_tokens=False).offsets)
        encoding = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return [(int(a), int(b)) for a, b in encoding["offset_mapping"]]

    def _encode(self, texts: Sequence[str], prompt: str, on_done: Callable[[int], None] | None) -> Vectors:
        out = np.empty((len(texts), self.dimension), dtype=np.float32)
        words = self._config["prompts"][prompt]
        for i, text in enumerate(texts):
            out[i] = self._model.encode([text], prompt=words, normalize_embeddings=True, show_progress_bar=False)[0]
            if on_done:
                on_done(1)
        return out
