"""A list from its source into ``corpus/``: looked at first, kept in one step once it is found to be right."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from accelrag.errors import ListError, UsageError
from accelrag.pipeline.lists import parsed_list, parses_of, read_named_list
from accelrag.pipeline.registry import (
    HomeList,
    home_lists,
    is_remote,
    named_lists,
    own_list,
    registered_lists,
    write_registry,
)
from accelrag.settings import Settings
from accelrag.storage import replace_file

if TYPE_CHECKING:
    from accelrag.listing import Listing
    from accelrag.transport import Transport

__all__ = ["Refreshed", "keep", "list_name", "look", "targets"]

_NAME = re.compile(r"\w[\w.-]{0,63}")
_TELLS_NOTHING = {"readme", "index", "list", "main", "master", "head", "raw", "blob", "tree", "refs", "heads", "docs"}


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A list as its source has it now. ``data`` is empty where the copy in ``corpus/`` is still right."""

    home_list: HomeList
    listing: Listing
    data: bytes = b""
    kept: Listing | None = None  # what the copy held before, where it is to be replaced


def targets(settings: Settings, name: str = "") -> list[HomeList]:
    """The lists to refresh: the one that ``settings.list`` names, new or followed already, else all of the home.

    Raises:
        ListError: the registry cannot be read.
        UsageError: the name cannot be used.
    """
    corpus_dir, wanted = settings.corpus_dir, settings.list
    known = registered_lists(corpus_dir)
    if not wanted:
        if name and not any(item.name == name for item in known):
            raise UsageError(f"the home follows no list {name!r}", hint="give its source: --list PATH_OR_URL")
        return [item for item in known if name in ("", item.name)] or home_lists(settings)
    if named := named_lists(settings):
        if name not in ("", named[0].name):
            raise UsageError(f"{wanted} is followed already as {named[0].name!r}", hint="leave out --name")
        return named
    source = wanted if is_remote(wanted) else str(Path(wanted).expanduser().absolute())
    if Path(source).parent == corpus_dir and not is_remote(source):
        inside = Path(source)
        return [HomeList(name or (inside.stem if known or name else ""), inside)]
    chosen = name or list_name(source)
    if not _NAME.fullmatch(chosen) or chosen.lower() == "readme":
        raise UsageError(f"{chosen!r} cannot be the name of a list", hint="use letters, digits, dots and dashes")
    if not name and any(item.name == chosen for item in known):
        raise UsageError(f"the home follows another list {chosen!r}", hint="give this one a name: --name NAME")
    return [HomeList(chosen, corpus_dir / f"{chosen}.md", source)]


def list_name(source: str) -> str:
    """A name for a list by its path or address: the last part of it that says something."""
    bare = re.sub(r"^\w+://[^/]*/|^(?:gh|github):|[?#].*$", "", source)
    parts = [part for part in re.split(r"[/\\]", bare) if part]
    for part in reversed(parts):
        stem = re.sub(r"\.(?:md|markdown|txt|git)$", "", part, flags=re.IGNORECASE)
        name = re.sub(r"[^\w.-]+", "-", stem).strip("-._")
        if name and name.lower() not in _TELLS_NOTHING:
            return name[:64]
    return "list"


def look(
    home_list: HomeList, settings: Settings, transport: Callable[[], Transport], *, offline: bool = False
) -> Refreshed:
    """Read a list from its source, conditionally by its revision. Nothing is written.

    Raises:
        ListError: it cannot be read, or what comes is no list.
        FetchTransient, FetchRefused, FetchFailed: its address gives nothing.
    """
    kept, parses = home_list.path.is_file(), parses_of(settings)
    if not home_list.source or (offline and kept and is_remote(home_list.source)):
        return Refreshed(home_list, read_named_list(home_list, parses))
    if is_remote(home_list.source):
        if offline:
            raise ListError(f"{home_list.source} is an address", hint="run it without --offline")
        from accelrag.ingest import fetch_list

        known = home_list.revision if kept else ""
        data, revision = fetch_list(home_list.source, transport(), settings=settings, revision=known)
        if known and not data:
            return Refreshed(home_list, read_named_list(home_list, parses))
    else:
        data = _bytes_of(Path(home_list.source))
        revision = f"sha256:{hashlib.sha256(data).hexdigest()}"
    fresh = replace(home_list, revision=revision)
    if kept and data == home_list.path.read_bytes():
        return Refreshed(fresh, read_named_list(home_list, parses))
    listing = parsed_list(data, home_list.source, home_list.name, parses)
    return Refreshed(fresh, listing, data, _before(home_list, parses))


def keep(settings: Settings, refreshed: Sequence[Refreshed]) -> None:
    """Replace what changed: each copy by one rename, then the registry by one. Unchanged files are left alone.

    Killed in between, the next run finds the copy right and writes the registry.

    Raises:
        StorageError: ``corpus/`` cannot be written.
    """
    corpus_dir = settings.corpus_dir
    known = registered_lists(corpus_dir)
    after = {item.name: item for item in known}
    named = [item.home_list for item in refreshed if item.home_list.name]
    own = own_list(corpus_dir) if named and not known else None
    if own is not None and all(item.path != own for item in named):
        after[own.stem] = HomeList(own.stem, own)  # a list that was here goes on being followed
    for item in refreshed:
        if item.data:
            replace_file(item.home_list.path, item.data, parents=True)
    after |= {item.name: item for item in named}
    if list(after.values()) != known:
        write_registry(corpus_dir, list(after.values()))


def _before(home_list: HomeList, parses: Path | None) -> Listing | None:
    try:
        return read_named_list(home_list, parses)
    except ListError:
        return None


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        from accelrag.listing import read_list

        read_list(path)  # says what is wrong with it
        raise
