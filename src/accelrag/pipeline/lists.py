"""The entries that the lists of a home make together, and the index that answers for them.

All lists of a home are in one index, ``index/``. Another list, named by its path, has an index of its own below
``index/lists/``; it is the home's own index only where the home was made for that list.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from accelrag.corpus import Corpus
from accelrag.embedding.models import file_sha256
from accelrag.errors import AccelragError, IndexMissing, ListError
from accelrag.listing.parse_cache import parsed_once
from accelrag.pipeline.registry import HomeList, home_lists, named_lists, own_list, registered_lists
from accelrag.settings import Settings
from accelrag.types import Coverage, Entry

if TYPE_CHECKING:
    from accelrag.index.manifest import Manifest
    from accelrag.listing import Listing

__all__ = [
    "entries_of",
    "index_dir_of",
    "parsed_list",
    "parses_of",
    "read_named_list",
    "remote_listing",
    "staleness",
]


def index_dir_of(settings: Settings) -> Path:
    """The folder of the index that answers for the settings.

    Raises:
        ListError: the registry cannot be read.
    """
    main = settings.index_dir
    if not settings.list or named_lists(settings):
        return main
    wanted = home_lists(settings)[0]
    if not registered_lists(settings.corpus_dir) and own_list(settings.corpus_dir) in (None, wanted.path):
        from accelrag.index import Manifest, current_generation

        try:
            paths = [item["path"] for item in Manifest.read(current_generation(main)).lists]
        except IndexMissing:
            return main
        except (AccelragError, KeyError):
            paths = []
        if paths == [str(wanted.path)]:
            return main
    stem = re.sub(r"[^\w.-]+", "-", wanted.path.stem)[:40]
    return main / "lists" / f"{stem}-{hashlib.sha256(str(wanted.path).encode()).hexdigest()[:8]}"


def parses_of(settings: Settings) -> Path | None:
    """The folder that keeps what was parsed; None where nothing was built yet, and a reader writes nothing."""
    return settings.index_dir / "cache" / "lists" if settings.index_dir.is_dir() else None


def read_named_list(home_list: HomeList, parses: Path | None = None) -> Listing:
    """The parsed list of a home, from ``parses`` where that folder keeps it.

    Raises:
        ListError: it cannot be read or is no list.
    """
    if home_list.url:
        raise ListError(
            f"{home_list.source} has not been fetched yet",
            hint=f"fetch it: accelrag update --list {home_list.source}",
        )
    if home_list.name and home_list.source and not home_list.path.exists():
        raise ListError(
            f"the copy of {home_list.name} is gone: {home_list.path}", hint="fetch it again: accelrag update"
        )
    try:
        data = home_list.path.read_bytes()
    except (OSError, ValueError):
        from accelrag.listing import read_list

        return read_list(home_list.path, name=home_list.name)  # says what is wrong with it
    return parsed_list(data, str(home_list.path), home_list.name, parses)


def remote_listing(settings: Settings) -> Listing:
    """Fetch and parse the list that ``settings.list`` names by an address.

    Raises:
        ListError, FetchTransient, FetchRefused, FetchFailed: it cannot be had or is no list.
    """
    from accelrag.ingest import fetch_list
    from accelrag.listing import decode_list
    from accelrag.transport import Transport

    data, _ = fetch_list(settings.list, Transport(settings), settings=settings)
    return decode_list(data, settings.list)


def entries_of(settings: Settings, corpus: Corpus | None = None) -> tuple[list[Entry], list[dict[str, object]]]:
    """The entries of all lists, in list order, then the imported ones; and a mark of each list for the manifest.

    An entry that several lists hold is one entry with the places of all of them.
    """
    lists, parses = home_lists(settings), parses_of(settings)
    merged: dict[str, Entry] = {}
    marks: list[dict[str, object]] = []
    for home_list in lists:
        listing = read_named_list(home_list, parses)
        marks.append(
            {
                "name": home_list.name,
                "title": listing.title,
                "path": str(home_list.path),
                "source": home_list.source,
                "sha256": file_sha256(home_list.path),
                "entries": len(listing.entries),
            }
        )
        for entry in listing.entries:
            _merge(merged, entry)
    for entry in _imported(corpus):
        if entry.id not in merged:
            merged[entry.id] = entry
    return list(merged.values()), marks


def covered_entries(settings: Settings) -> list[tuple[Entry, Coverage]]:
    """The entries of the home, or of the list that the settings name, each with what is known of it."""
    if settings.list and home_lists(settings)[0].url:
        return [(entry, "note") for entry in remote_listing(settings).entries]
    with Corpus.open(settings.corpus_dir, read_only=True) as corpus:
        entries, _ = entries_of(settings, None if settings.list else corpus)
        levels = corpus.digests()
    return [(entry, levels[entry.id][1] if entry.id in levels else "note") for entry in entries]  # type: ignore[misc]


def staleness(settings: Settings, manifest: Manifest) -> list[str]:
    """The lists whose text is not the one that the index was built from; nothing where they cannot be read."""
    known = {item["sha256"] for item in manifest.lists}
    try:
        files = [item.path for item in home_lists(settings) if not item.url]
        return [f"{path.name} changed since the index was built" for path in files if file_sha256(path) not in known]
    except (OSError, AccelragError):
        return []


@lru_cache(maxsize=8)
def parsed_list(data: bytes, source: str, name: str, parses: Path | None) -> Listing:
    """The bytes of a list, parsed once a version: an update reads its list to compare, to fetch and to index.

    Raises:
        ListError: they are no list.
    """
    from accelrag.listing import decode_list

    def parse() -> Listing:
        return decode_list(data, source, name=name)

    return parse() if parses is None else parsed_once(data, name, parses, parse)


def _merge(merged: dict[str, Entry], entry: Entry) -> None:
    known = merged.get(entry.id)
    if known is None:
        merged[entry.id] = entry
        return
    also = tuple(dict.fromkeys([*known.also, *entry.also]))
    links = {link.url: link for link in (*known.links, *entry.links)} | {link.url: link for link in known.links}
    merged[entry.id] = replace(
        known,
        places=(*known.places, *entry.places),
        also=also,
        links=tuple(links.values()),
        authors=known.authors or entry.authors,
        year=known.year or entry.year,
        venue=known.venue or entry.venue,
    )


def _imported(corpus: Corpus | None) -> Iterator[Entry]:
    if corpus is not None:
        yield from corpus.imported()
