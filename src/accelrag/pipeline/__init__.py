"""The composition root: the only place that picks implementations. Front ends import nothing below it but values."""

from accelrag.pipeline.assistant import Assistant, Shown
from accelrag.pipeline.home import HomeList, entries_of, home_lists, read_named_list
from accelrag.pipeline.status import Status, status
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
