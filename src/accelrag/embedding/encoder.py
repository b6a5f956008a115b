"""The encoder that answers questions: an ONNX graph with pooling and normalisation inside, and its tokenizer.

Each text runs alone, on one thread, and texts run side by side. So a vector depends on its text and nothing else: no
padding, no batch mates, no thread count changes a bit of it, and an incremental build equals a build from scratch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from accelrag.embedding.protocol import Vectors
from accelrag.errors import ModelError

__all__ = ["OnnxEncoder", "unreadable"]


class OnnxEncoder:
    """An exported model in a folder: ``model.onnx``, ``tokenizer.json``, ``encoder.json``."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        """Read the description; the graph is loaded at the first vector.

        Raises:
            ModelError: a file is missing or cannot be read.
        """
        from tokenizers import Tokenizer

        self._folder = folder
        try:
            self._config: dict[str, Any] = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
            self._query_prompt: str = self._config["prompts"]["query"]
            self._passage_prompt: str = self._config["prompts"]["passage"]
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:
            raise unreadable(folder, error) from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._threads = threads or os.cpu_count() or 1
        self._session: Any = None
        self._special: int = self._tokenizer.num_special_tokens_to_add(False)

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
        prompt = len(self._tokenizer.encode(self._passage_prompt, add_special_tokens=False).ids)
        return int(self._config["max_tokens"]) - self._special - prompt

    def load(self) -> None:
        self._load()

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode([self._query_prompt + t for t in texts])

    def encode_passages(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        return self._encode([self._passage_prompt + t for t in texts], on_done)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def _encode(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        out = np.empty((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return out
        session = self._load()

        def one(i: int) -> None:
            out[i] = self._run(session, texts[i])

        for _ in _side_by_side(one, len(texts), self._threads):
            if on_done:
                on_done(1)
        return out

    def _run(self, session: Any, text: str) -> Vectors:
        encoding = self._tokenizer.encode(text)
        ids, types = encoding.ids, encoding.type_ids
        limit = int(self._config["max_tokens"])
        if len(ids) > limit:  # keep the closing special tokens, as truncation by the tokenizer does
            tail = 1 if self._special > 1 else 0
            ids = ids[: limit - tail] + ids[len(ids) - tail :]
            types = types[:limit]
        row = np.asarray([ids], dtype=np.int64)
        feed = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.asarray([types])}
        try:
            result: Vectors = session.run(None, {k: feed[k] for k in self._config["inputs"]})[0][0]
        except Exception as error:  # onnxruntime has no common class of its own
            raise unreadable(self._folder, error) from error
        return result

    def _load(self) -> Any:
        if self._session is None:
            import onnxruntime

            onnxruntime.set_default_logger_severity(3)
            options = onnxruntime.SessionOptions()
            # The file is already optimised at export: doing it again costs 0.3 s at every start.
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            options.enable_cpu_mem_arena = False
            try:
                self._session = onnxruntime.InferenceSession(
                    str(self._folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
                )
            except Exception as error:
                raise unreadable(self._folder, error) from error
        return self._session


def unreadable(folder: Path, error: Exception) -> ModelError:
    """The error for an encoder's folder that cannot be used."""
    what = " ".join(str(error).split())[:200] or type(error).__name__
    return ModelError(f"the encoder in {folder} cannot be used: {what}", hint="rebuild it: accelrag index --rebuild")


def _side_by_side(work: Callable[[int], None], count: int, threads: int) -> Iterator[None]:
    if threads <= 1 or count == 1:
        for i in range(count):
            work(i)
            yield
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, range(count))
