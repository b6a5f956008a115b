"""The composition root: the only place that picks implementations. Front ends import nothing below it but values."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelrag.answer import clean_question
    from accelrag.evaluation import evaluate, floors_of, read_questions
    from accelrag.generation import Cancellation, LocalServer, discover_servers
    from accelrag.pipeline.assistant import Assistant, EntryDetail
    from accelrag.pipeline.doctor import Diagnosis, Symptom, examine
    from accelrag.pipeline.exports import exported, write_file
    from accelrag.pipeline.gc import Collected, collect_garbage
    from accelrag.pipeline.list_check import ListCheck, check_lists, write_fixed
    from accelrag.pipeline.lists import covered_entries, entries_of, read_named_list
    from accelrag.pipeline.narrowing import narrowed
    from accelrag.pipeline.overview import Status, status
    from accelrag.pipeline.registry import HomeList, home_lists
    from accelrag.pipeline.updating import ListUpdate, UpdateReport, update_home
    from accelrag.pipeline.writing import build_index, fetch_texts, import_texts

__all__ = [
    "Assistant",
    "Cancellation",
    "Collected",
    "Diagnosis",
    "EntryDetail",
    "HomeList",
    "ListCheck",
    "ListUpdate",
    "LocalServer",
    "Status",
    "Symptom",
    "UpdateReport",
    "build_index",
    "check_lists",
    "clean_question",
    "collect_garbage",
    "covered_entries",
    "discover_servers",
    "entries_of",
    "evaluate",
    "examine",
    "exported",
    "fetch_texts",
    "floors_of",
    "home_lists",
    "import_texts",
    "narrowed",
    "read_named_list",
    "read_questions",
    "status",
    "update_home",
    "write_file",
    "write_fixed",
]

# Loaded when they are asked for (PEP 562): a question needs a tenth of this package.
_HOMES = {
    "Cancellation": "accelrag.generation",
    "LocalServer": "accelrag.generation",
    "discover_servers": "accelrag.generation",
    "clean_question": "accelrag.answer",
    "evaluate": "accelrag.evaluation",
    "floors_of": "accelrag.evaluation",
    "read_questions": "accelrag.evaluation",
    "covered_entries": "accelrag.pipeline.lists",
    "ListCheck": "accelrag.pipeline.list_check",
    "check_lists": "accelrag.pipeline.list_check",
    "write_fixed": "accelrag.pipeline.list_check",
    "exported": "accelrag.pipeline.exports",
    "narrowed": "accelrag.pipeline.narrowing",
    "write_file": "accelrag.pipeline.exports",
    "Diagnosis": "accelrag.pipeline.doctor",
    "Symptom": "accelrag.pipeline.doctor",
    "examine": "accelrag.pipeline.doctor",
    "Collected": "accelrag.pipeline.gc",
    "collect_garbage": "accelrag.pipeline.gc",
    "ListUpdate": "accelrag.pipeline.updating",
    "UpdateReport": "accelrag.pipeline.updating",
    "update_home": "accelrag.pipeline.updating",
    "Assistant": "accelrag.pipeline.assistant",
    "EntryDetail": "accelrag.pipeline.assistant",
    "HomeList": "accelrag.pipeline.registry",
    "entries_of": "accelrag.pipeline.lists",
    "home_lists": "accelrag.pipeline.registry",
    "read_named_list": "accelrag.pipeline.lists",
    "Status": "accelrag.pipeline.overview",
    "status": "accelrag.pipeline.overview",
    "build_index": "accelrag.pipeline.writing",
    "fetch_texts": "accelrag.pipeline.writing",
    "import_texts": "accelrag.pipeline.writing",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
