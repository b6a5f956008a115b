"""The composition root: the only place that picks implementations. Front ends import nothing below it but values."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelrag.pipeline.assistant import Assistant, Shown
    from accelrag.pipeline.home import HomeList, entries_of, home_lists, read_named_list
    from accelrag.pipeline.overview import Status, status
    from accelrag.pipeline.work import build_index, fetch_texts, import_texts

__all__ = [
    "Assistant",
    "HomeList",
    "Shown",
    "Status",
    "build_index",
    "entries_of",
    "fetch_texts",
    "home_lists",
    "import_texts",
    "read_named_list",
    "status",
]

# Loaded when they are asked for (PEP 562): a question needs a tenth of this package.
_HOMES = {
    "Assistant": "accelrag.pipeline.assistant",
    "Shown": "accelrag.pipeline.assistant",
    "HomeList": "accelrag.pipeline.home",
    "entries_of": "accelrag.pipeline.home",
    "home_lists": "accelrag.pipeline.home",
    "read_named_list": "accelrag.pipeline.home",
    "Status": "accelrag.pipeline.overview",
    "status": "accelrag.pipeline.overview",
    "build_index": "accelrag.pipeline.work",
    "fetch_texts": "accelrag.pipeline.work",
    "import_texts": "accelrag.pipeline.work",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
