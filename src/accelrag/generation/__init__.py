"""Generators: what turns a question and its sources into a draft.

``extractive`` needs no model. ``openai``, ``ollama`` and ``huggingface`` are language models behind one ``protocol``,
made by ``choosing``; ``discovery`` finds the local servers. Nothing here opens a socket before it is asked to.
"""

from accelrag.generation.choosing import make_generator
from accelrag.generation.discovery import LocalServer, discover_servers
from accelrag.generation.protocol import ContextOverflow, Generator, Message, Retract, estimate_tokens

__all__ = [
    "ContextOverflow",
    "Generator",
    "LocalServer",
    "Message",
    "Retract",
    "discover_servers",
    "estimate_tokens",
    "make_generator",
]
