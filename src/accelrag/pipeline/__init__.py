"""The composition root: the only place that picks implementations. Front ends import nothing below it but values."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelrag.pipeline.assistant import Assistant, Shown
    from accelrag.pipeline.check import Checked, check_lists, write_fixed
    from accelrag.pipeline.doctor import Diagnosis, Finding, examine
    from accelrag.pipeline.exports import exported, write_file
    from accelrag.pipeline.gc import Collected, collect_garbage
    from accelrag.pipeline.home import HomeList, entries_of, home_lists, read_named_list
    from accelrag.pipeline.narrowing import narrowed
    from accelrag.pipeline.overview import Status, status
    from accelrag.pipeline.update import ListUpdate, UpdateReport, update_home
    from accelrag.pipeline.work import build_index, fetch_texts, import_texts

__all__ = [
    "Assistant",
    "Checked",
    "Collected",
    "Diagnosis",
    "Finding",
    "HomeList",
    "ListUpdate",
    "Shown",
    "Status",
    "UpdateReport",
    "build_index",
    "check_lists",
    "collect_garbage",
    "entries_of",
    "examine",
    "exported",
    "fetch_texts",
    "home_lists",
    "import_texts",
    "narrowed",
    "read_named_list",
    "status",
    "update_home",
    "write_file",
    "write_fixed",
]

# Loaded when they are asked for (PEP 562): a question needs a tenth of this package.
_HOMES = {
    "Checked": "accelrag.pipeline.check",
    "check_lists": "accelrag.pipeline.check",
    "write_fixed": "accelrag.pipeline.check",
    "exported": "accelrag.pipeline.exports",
    "narrowed": "accelrag.pipeline.narrowing",
    "write_file": "accelrag.pipeline.exports",
    "Diagnosis": "accelrag.pipeline.doctor",
    "Finding": "accelrag.pipeline.doctor",
    "examine": "accelrag.pipeline.doctor",
    "Collected": "accelrag.pipeline.gc",
    "collect_garbage": "accelrag.pipeline.gc",
    "ListUpdate": "accelrag.pipeline.update",
    "UpdateReport": "accelrag.pipeline.update",
    "update_home": "accelrag.pipeline.update",
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
