"""Ask a curated list of resources and check every sentence of the answer.

>>> import accelrag
>>> with accelrag.open() as home:
...     print(home.ask("What does PagedAttention do about wasted GPU memory?"))

Importing it loads nothing heavy: names are resolved when they are first used (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from accelrag.version import __version__

if TYPE_CHECKING:
    from accelrag.errors import (
        AccelragError,
        Busy,
        EntryUnknown,
        ExtraMissing,
        FetchFailed,
        FetchRefused,
        FetchTransient,
        GeneratorRefused,
        GeneratorUnavailable,
        IndexDamaged,
        IndexMismatch,
        IndexMissing,
        ListError,
        ListFormatError,
        ModelError,
        PermanentError,
        SettingsError,
        StorageError,
        TransientError,
        UsageError,
    )
    from accelrag.face import Home
    from accelrag.face import open_home as open
    from accelrag.types import Answer, Citation, Entry, Filters, Turn

__all__ = [
    "AccelragError",
    "Answer",
    "Busy",
    "Citation",
    "Entry",
    "EntryUnknown",
    "ExtraMissing",
    "FetchFailed",
    "FetchRefused",
    "FetchTransient",
    "Filters",
    "GeneratorRefused",
    "GeneratorUnavailable",
    "Home",
    "IndexDamaged",
    "IndexMismatch",
    "IndexMissing",
    "ListError",
    "ListFormatError",
    "ModelError",
    "PermanentError",
    "SettingsError",
    "StorageError",
    "TransientError",
    "Turn",
    "UsageError",
    "__version__",
    "open",
]

_VALUES = {"Answer", "Citation", "Entry", "Filters", "Turn"}


def __getattr__(name: str) -> Any:
    if name == "open":
        return import_module("accelrag.face").open_home
    if name == "Home":
        return import_module("accelrag.face").Home
    if name in __all__:
        return getattr(import_module("accelrag.types" if name in _VALUES else "accelrag.errors"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
