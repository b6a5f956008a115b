"""A list in Markdown -> Listing of entries. Opens no socket; ``parse`` is pure, ``read_list`` reads one file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelrag.listing.parsing import Listing, parse
    from accelrag.listing.reading import MAX_LIST_BYTES, decode_list, read_list
    from accelrag.listing.urls import canonical_url, entry_id, link_class

__all__ = [
    "MAX_LIST_BYTES",
    "Listing",
    "canonical_url",
    "decode_list",
    "entry_id",
    "link_class",
    "parse",
    "read_list",
]

# Loaded when they are asked for (PEP 562): a question needs a tenth of this package.
_HOMES = {
    "Listing": "accelrag.listing.parsing",
    "parse": "accelrag.listing.parsing",
    "MAX_LIST_BYTES": "accelrag.listing.reading",
    "decode_list": "accelrag.listing.reading",
    "read_list": "accelrag.listing.reading",
    "canonical_url": "accelrag.listing.urls",
    "entry_id": "accelrag.listing.urls",
    "link_class": "accelrag.listing.urls",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
