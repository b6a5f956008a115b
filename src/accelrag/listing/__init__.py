"""A list in Markdown -> Listing of entries. Opens no socket; ``parse`` is pure, ``read_list`` reads one file."""

from accelrag.listing.parse import Listing, parse
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
