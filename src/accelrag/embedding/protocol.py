"""What every encoder is: texts to unit vectors, whatever runs behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Encoder", "Vectors"]

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into unit vectors of shape ``(len(texts), dimension)``, float32."""

    @property
    def fingerprint(self) -> str:
        """What made the vectors: equal fingerprints mean exchangeable vectors."""
        ...

    @property
    def name(self) -> str:
        """The model's name for people."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Tokens that the model reads of one text, special ones and the prompt taken off."""
        ...

    def load(self) -> None:
        """Read the weights now rather than at the first vector."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, with the model's query prompt."""
        ...

    def encode_passages(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        """Vectors of passages, with the model's passage prompt. ``on_done`` is told of each finished text."""
        ...

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Offsets of each token in ``text``, uncut, special ones left out."""
        ...
