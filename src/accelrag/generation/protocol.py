"""What every language model looks like to an answer, whatever serves it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from accelrag.errors import GeneratorRefused

__all__ = ["ContextOverflow", "Generator", "Message", "Retract", "estimate_tokens"]

DEFAULT_CONTEXT = 4096


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of what a model is sent."""

    role: Literal["system", "user", "assistant"]
    content: str


class Retract(str):
    """An empty delta that takes back all deltas before it: they turned out to be reasoning."""

    __slots__ = ()


class ContextOverflow(GeneratorRefused):
    """The prompt is longer than the model's context. ``limit`` is the context in tokens where the server told it."""

    def __init__(self, message: str, *, limit: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.limit = limit


class Generator(Protocol):
    """A language model. Reasoning never comes out of it, in tags or in fields of its own."""

    @property
    def name(self) -> str:
        """The spec that made it: ``openai:qwen3``."""
        ...

    @property
    def finish(self) -> str:
        """How the last stream ended: ``stop``, ``length`` when it was cut, empty before its end."""
        ...

    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by the model's own tokenizer, else an estimate that is rarely too low."""
        ...

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """The answer in pieces as they come. A ``Retract`` takes back what came before it.

        Raises:
            GeneratorUnavailable: the server is away, busy, silent, broke off or answered with nonsense or nothing.
            GeneratorRefused: it refuses the request: key, model, size (``ContextOverflow``).
        """
        ...


def estimate_tokens(text: str) -> int:
    """Tokens of a text without its tokenizer: one for three bytes, which fits code and CJK and is high for prose."""
    return math.ceil(len(text.encode("utf-8", "replace")) / 3)
