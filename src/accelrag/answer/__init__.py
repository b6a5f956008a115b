"""question -> hits -> gate -> draft -> claims -> verification -> Answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelrag.answer.gate import THRESHOLD, relevance
    from accelrag.answer.loop import Answerer
    from accelrag.answer.question import MAX_QUESTION, clean_question

__all__ = ["MAX_QUESTION", "THRESHOLD", "Answerer", "clean_question", "relevance"]

# Loaded when they are asked for (PEP 562): the encoder loads beside them.
_HOMES = {
    "MAX_QUESTION": "accelrag.answer.question",
    "THRESHOLD": "accelrag.answer.gate",
    "Answerer": "accelrag.answer.loop",
    "clean_question": "accelrag.answer.question",
    "relevance": "accelrag.answer.gate",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
