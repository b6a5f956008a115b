"""A list at an address, read without keeping it."""

from __future__ import annotations

from accelrag.listing import Listing, decode_list
from accelrag.settings import Settings

__all__ = ["remote_listing"]


def remote_listing(settings: Settings) -> Listing:
    """Fetch and parse the list that ``settings.list`` names by an address.

    Raises:
        ListError, FetchTransient, FetchRefused, FetchFailed: it cannot be had or is no list.
    """
    from accelrag.ingest import fetch_list
    from accelrag.transport import Transport

    data, _ = fetch_list(settings.list, Transport(settings), settings=settings)
    return decode_list(data, settings.list)
