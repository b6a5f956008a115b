"""Which lists a home follows: the registry of lists, and what ``--list`` names.

``corpus/lists.json`` names the lists of a home that follows several or keeps one from elsewhere:
``{"NAME": {"source": "path or address", "file": "NAME.md", "revision": "…"}}``. A home without it has one list: the
one in ``corpus/``, else the one that travels with accelrag.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from accelrag.errors import ListError
from accelrag.settings import DEFAULT_LIST, Settings
from accelrag.storage import replace_file

__all__ = [
    "REGISTRY",
    "HomeList",
    "home_lists",
    "is_remote",
    "named_lists",
    "own_list",
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
        ListError: the registry cannot be read, or ``corpus/`` holds several lists and none is registered.
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
    """The list file in ``corpus/`` of a home without a registry."""
    found = _default_list(corpus_dir)
    return found if found.parent == corpus_dir else None


def is_remote(source: str) -> bool:
    """Whether a list is named by an address or as a GitHub repository, ``owner/name``, rather than by its path."""
    if source.startswith(("/", "~", ".")):
        return False
    return "://" in source or bool(_REPOSITORY.fullmatch(source) and not Path(source).exists())


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
        raise ListError(f"{path} cannot be read: {error}", hint="fix it or remove it") from error


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
