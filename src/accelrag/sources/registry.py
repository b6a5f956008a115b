"""The kinds of place that entries point at. A file of ``accelrag.sources.hosts`` registers its own kind.

An entry belongs to the first registered place, by ``order``, that takes it. What is asked is what is registered: a
place that takes entries and is never asked cannot be made. An entry that no place takes ends as a Failure.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from accelrag.errors import AccelragError, SettingsError
from accelrag.sources.requests import Outcome, Outcomes, Request, Source
from accelrag.types import Entry

if TYPE_CHECKING:
    from accelrag.settings import Settings
    from accelrag.transport import Transport

__all__ = ["Bases", "Registration", "Registry", "one_by_one", "register", "registered"]


@dataclass(frozen=True, slots=True)
class Bases:
    """Base addresses by name: the setting where a person gave one, else the public address."""

    public: Mapping[str, str]
    chosen: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The base address of that name, without a slash at its end."""
        return (self.chosen.get(name) or self.public[name]).rstrip("/")

    def mirrored(self, url: str) -> str:
        """The address at which a page of a public host is to be asked for."""
        for name, public in self.public.items():
            if url == public or url.startswith(f"{public}/"):
                return self.of(name) + url[len(public) :]
        return url


@dataclass(frozen=True, slots=True)
class Registration:
    """A kind of place: which entries are its own, in which order it is asked, and how its source is made.

    ``bases`` names its base addresses; each can be set (``[bases]`` of accelrag.toml or ``ACCELRAG_BASE_<NAME>``).
    ``side_by_side`` says that its entries are on many hosts, which are then asked at the same time.
    """

    name: str
    order: int
    takes: Callable[[Entry], bool]
    build: Callable[[Settings, Transport, Bases], Source]
    bases: Mapping[str, str] = field(default_factory=dict)
    side_by_side: bool = False


class Registry:
    """Places by name."""

    def __init__(self, places: Iterable[Registration] = ()) -> None:
        self._places: dict[str, Registration] = {}
        for place in places:
            self.add(place)

    def add(self, place: Registration) -> Registration:
        """Register a place.

        Raises:
            ValueError: it has no name, or its name or one of its bases is taken.
        """
        if not place.name.isidentifier():
            raise ValueError(f"a place needs a name that is one word, not {place.name!r}")
        if place.name in self._places:
            raise ValueError(f"there is a place {place.name} already")
        taken = {base for other in self._places.values() for base in other.bases}
        if taken & place.bases.keys():
            raise ValueError(f"the bases {sorted(taken & place.bases.keys())} of {place.name} are taken")
        self._places[place.name] = place
        return place

    def __iter__(self) -> Iterator[Registration]:
        return iter(sorted(self._places.values(), key=lambda place: (place.order, place.name)))

    def __getitem__(self, name: str) -> Registration:
        return self._places[name]

    def route(self, entry: Entry) -> str:
        """The name of the place that an entry belongs to; empty where none takes it."""
        return next((place.name for place in self if place.takes(entry)), "")

    def build(self, settings: Settings, transport: Transport) -> Mapping[str, Source]:
        """A source for every place, by name.

        Raises:
            SettingsError: a base address is set that no place has.
        """
        public = {name: base for place in self for name, base in place.bases.items()}
        for name in settings.bases:
            if name not in public:
                near = difflib.get_close_matches(name, public, n=1)
                raise SettingsError(
                    f"no source has a base address {name!r}",
                    hint=f"did you mean {near[0]}?" if near else f"they are {', '.join(sorted(public))}",
                )
        return {place.name: place.build(settings, transport, Bases(place.bases, settings.bases)) for place in self}


_REGISTRY = Registry()


def register(place: Registration) -> Registration:
    """Add a place to those that every run asks. Called once by each file of ``accelrag.sources.hosts``."""
    return _REGISTRY.add(place)


def registered() -> Registry:
    """The registry with every file of ``accelrag.sources.hosts`` in it."""
    from accelrag.sources import hosts

    for module in pkgutil.iter_modules(hosts.__path__):
        importlib.import_module(f"{hosts.__name__}.{module.name}")
    return _REGISTRY


@dataclass(slots=True)
class _OneByOne:
    name: str
    read: Callable[[Request], Outcome]
    batch: int = 1

    def fetch(self, requests: Sequence[Request]) -> Iterator[Outcomes]:
        for request in requests:
            try:
                yield [(request, self.read(request))]
            except AccelragError as error:
                yield [(request, error)]


def one_by_one(name: str, read: Callable[[Request], Outcome]) -> Source:
    """A source that asks for one entry at a time; an error that is raised is the outcome of that entry."""
    return _OneByOne(name, read)
