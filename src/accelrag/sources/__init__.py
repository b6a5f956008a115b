"""One file for each kind of place that entries point at: a Request in, a Document, Unchanged or an error out.

``REASONS`` is the closed set of reasons that a Failure can have. How a place is added: ``accelrag.sources.registry``.
"""

from __future__ import annotations

from accelrag.sources.cleaning import clean_line, clean_text
from accelrag.sources.reasons import REASONS
from accelrag.sources.registry import Bases, Registration, Registry, register, registered
from accelrag.sources.requests import Outcome, Outcomes, Request, Source, Unchanged

__all__ = [
    "REASONS",
    "Bases",
    "Outcome",
    "Outcomes",
    "Registration",
    "Registry",
    "Request",
    "Source",
    "Unchanged",
    "clean_line",
    "clean_text",
    "register",
    "registered",
]
