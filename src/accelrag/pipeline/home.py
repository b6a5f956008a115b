"""What lists a home holds and the entries that they make together.

``corpus/lists.json`` names the lists of a home that follows several or keeps one from elsewhere:
``{"NAME": {"source": "path or address", "file": "NAME.md", "revision": "…"}}``. A home without it has one list: the
one in ``corpus/``, else the one that travels with accelrag.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import accelrag
from accelrag.corpus import Corpus
from accelrag.errors import ListError, StorageError
from accelrag.settings import DEFAULT_LIST, Settings
from accelrag.types import Entry

if TYPE_CHECKING:
    from accelrag.listing import Listing

__all__ = ["REGISTRY", "HomeList", "entries_of", "home_lists", "read_named_list", "write_registry"]

REGISTRY = "lists.json"


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
        ListError: the registry cannot be read.
    """
    registered = _registered(settings.corpus_dir)
    wanted = settings.list
    if wanted:
        named = [known for known in registered if known.name == wanted or known.source == wanted]
        if named:
            return named
        if "://" in wanted:
            return [HomeList("", Path(wanted.rsplit("/", 1)[-1] or "list.md"), wanted, url=True)]
        return [HomeList("", Path(wanted).expanduser().absolute(), wanted)]
    if registered:
        return registered
    return [HomeList("", _default_list(settings.corpus_dir))]


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
    from accelrag.listing import read_list

    return read_list(home_list.path, name=home_list.name)


def entries_of(settings: Settings, corpus: Corpus | None = None) -> tuple[list[Entry], list[dict[str, object]]]:
    """The entries of all lists, in list order, then the imported ones; and a mark of each list for the manifest.

    An entry that stands in several lists is one entry with the places of all of them.
    """
    lists = home_lists(settings)
    merged: dict[str, Entry] = {}
    marks: list[dict[str, object]] = []
    for home_list in lists:
        listing = read_named_list(home_list)
        stat = home_list.path.stat()
        marks.append(
            {
                "name": home_list.name,
                "title": listing.title,
                "path": str(home_list.path),
                "source": home_list.source,
                "size": stat.st_size,
                "mtime_ns": stat.st_mtime_ns,
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
    try:
        corpus_dir.mkdir(parents=True, exist_ok=True)
        fresh = corpus_dir / f".{REGISTRY}.new"
        fresh.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
        fresh.replace(corpus_dir / REGISTRY)
    except OSError as error:
        raise StorageError(
            f"{corpus_dir} cannot be written: {error}", hint="check its permissions and free space"
        ) from error


def _registered(corpus_dir: Path) -> list[HomeList]:
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


def _default_list(corpus_dir: Path) -> Path:
    own = corpus_dir / DEFAULT_LIST
    if own.is_file():
        return own
    others = sorted(p for p in corpus_dir.glob("*.md") if p.name != "README.md") if corpus_dir.is_dir() else []
    if len(others) == 1:
        return others[0]
    package = Path(accelrag.__file__).parent
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
