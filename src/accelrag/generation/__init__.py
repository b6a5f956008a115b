"""Generators: what turns a question and its sources into a draft.

``extractive`` needs no model. ``openai``, ``ollama`` and ``huggingface`` are language models behind one ``protocol``,
made by ``choosing``; ``discovery`` finds the local servers. Nothing here opens a socket before it is asked to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accelrag.generation.cancelling import Cancellation
from accelrag.generation.protocol import ContextOverflow, Generator, Message, Retract, estimate_tokens

if TYPE_CHECKING:
    from accelrag.generation.choosing import make_generator
    from accelrag.generation.discovery import LocalServer, discover_servers

__all__ = [
    "Cancellation",
    "ContextOverflow",
    "Generator",
    "LocalServer",
    "Message",
    "Retract",
    "discover_servers",
    "estimate_tokens",
    "make_generator",
]


def __getattr__(name: str) -> Any:
    if name == "make_generator":
        from accelrag.generation.choosing import make_generator

        return make_generator
    if name in ("LocalServer", "discover_servers"):
        from accelrag.generation import discovery

        return getattr(discovery, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
