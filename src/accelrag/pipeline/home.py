"""What lists a home holds and the entries that they make together.

``corpus/lists.json`` names the lists of a home that follows several or keeps one from elsewhere:
``{"NAME": {"source": "path or address", "file": "NAME.md", "revision": "…"}}``. A home without it has one list: the
one in ``corpus/``, else the one that travels with accelrag.

All lists of a home are in one index, ``index/``. Another list, named by its path, has an index of its own below
``index/lists/``; it is the home's own index only where the home was made for that list.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from accelrag.corpus import Corpus
from accelrag.embedding.models import file_sha256
from accelrag.errors import AccelragError, IndexMissing, ListError
from accelrag.settings import DEFAULT_LIST, Settings
from accelrag.storage import replace_file
from accelrag.types import Entry

if TYPE_CHECKING:
    from accelrag.listing import Listing

__all__ = [
    "REGISTRY",
    "HomeList",
    "entries_of",
    "home_lists",
    "index_dir_of",
    "is_remote",
    "named_lists",
    "own_list",
    "read_named_list",
    "registered_lists",
    "write_registry",
]

REGISTRY = "lists.json"
_REPOSITORY = re.compile(r"(?:gh:|github:)?[A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100}")


@dataclass(frozen=True, slots=True)
class HomeList:
    """A list of the home: ``path`` is where it is read, ``source`` where it is refreshed from."""

    name: str
    path: Path
    source: str = ""
    revision: str = ""
    url: bool = False  # named by an address and not fetched yet


def home_lists(settings: Settings) -> list[HomeList]:
    """The lists that the settings mean: the one named by ``settings.list``, else those of the home.

    Raises:
        ListError: the registry cannot be read, or several lists stand in ``corpus/`` and none is registered.
    """
    registered = registered_lists(settings.corpus_dir)
    wanted = settings.list
    if wanted:
        if named := _named(registered, wanted):
            return named
        if is_remote(wanted):
            return [HomeList("", Path(wanted.rsplit("/", 1)[-1] or "list.md"), wanted, url=True)]
        return [HomeList("", _path(wanted), wanted)]
    if registered:
        return registered
    loose = _loose_lists(settings.corpus_dir)
    if len(loose) > 1 and not (settings.corpus_dir / DEFAULT_LIST).is_file():
        names = ", ".join(p.name for p in loose[:4])
        raise ListError(
            f"{settings.corpus_dir} holds {len(loose)} lists: {names}",
            hint=f"follow each of them: accelrag update --list {loose[0]}",
        )
    return [HomeList("", _default_list(settings.corpus_dir))]


def named_lists(settings: Settings) -> list[HomeList]:
    """The registered lists that ``settings.list`` names by name or source; none where it names another list."""
    return _named(registered_lists(settings.corpus_dir), settings.list) if settings.list else []


def own_list(corpus_dir: Path) -> Path | None:
    """The list file that stands in ``corpus/`` of a home without a registry."""
    found = _default_list(corpus_dir)
    return found if found.parent == corpus_dir else None


def is_remote(source: str) -> bool:
    """Whether a list is named by an address or as a GitHub repository, ``owner/name``, rather than by its path."""
    if source.startswith(("/", "~", ".")):
        return False
    return "://" in source or bool(_REPOSITORY.fullmatch(source) and not Path(source).exists())


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


def read_named_list(home_list: HomeList) -> Listing:
    """Parse one list of a home.

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
    return _parsed(data, str(home_list.path), home_list.name)


@lru_cache(maxsize=8)
def _parsed(data: bytes, source: str, name: str) -> Listing:
    # An update reads its list to compare, to fetch and to index, and a large one takes a second to parse.
    from accelrag.listing import decode_list

    return decode_list(data, source, name=name)


def entries_of(settings: Settings, corpus: Corpus | None = None) -> tuple[list[Entry], list[dict[str, object]]]:
    """The entries of all lists, in list order, then the imported ones; and a mark of each list for the manifest.

    An entry that stands in several lists is one entry with the places of all of them.
    """
    lists = home_lists(settings)
    merged: dict[str, Entry] = {}
    marks: list[dict[str, object]] = []
    for home_list in lists:
        listing = read_named_list(home_list)
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


def write_registry(corpus_dir: Path, lists: Sequence[HomeList]) -> None:
    """Replace the registry in one step."""
    data = {item.name: {"source": item.source, "file": item.path.name, "revision": item.revision} for item in lists}
    replace_file(corpus_dir / REGISTRY, json.dumps(data, ensure_ascii=False, indent=1).encode(), parents=True)


def registered_lists(corpus_dir: Path) -> list[HomeList]:
    """The lists in the registry; none where there is no registry.

    Raises:
        ListError: it cannot be read.
    """
    path = corpus_dir / REGISTRY
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return [
            HomeList(name, corpus_dir / Path(item["file"]).name, item.get("source", ""), item.get("revision", ""))
            for name, item in raw.items()
        ]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ListError(f"{path} cannot be read: {error}", hint="mend it or remove it") from error


def _named(lists: Sequence[HomeList], wanted: str) -> list[HomeList]:
    if found := [known for known in lists if known.name == wanted]:
        return found
    path = "" if is_remote(wanted) else str(_path(wanted))
    return [known for known in lists if known.source and known.source in (wanted, path)]


def _path(name: str) -> Path:
    return Path(os.path.expanduser(name)).absolute()  # Path.expanduser raises for a user that does not exist


def _loose_lists(corpus_dir: Path) -> list[Path]:
    return sorted(p for p in corpus_dir.glob("*.md") if p.name != "README.md") if corpus_dir.is_dir() else []


def _default_list(corpus_dir: Path) -> Path:
    own = corpus_dir / DEFAULT_LIST
    if own.is_file():
        return own
    others = _loose_lists(corpus_dir)
    if len(others) == 1:
        return others[0]
    package = Path(__file__).parents[1]
    installed = package / "data" / DEFAULT_LIST
    return installed if installed.is_file() else package.parents[1] / "corpus" / DEFAULT_LIST


def _merge(merged: dict[str, Entry], entry: Entry) -> None:
    known = merged.get(entry.id)
    if known is None:
        merged[entry.id] = entry
        return
    also = tuple(dict.fromkeys([*known.also, *entry.also]))
    merged[entry.id] = replace(known, places=(*known.places, *entry.places), also=also)


def _imported(corpus: Corpus | None) -> Iterator[Entry]:
    if corpus is not None:
        yield from corpus.imported()
