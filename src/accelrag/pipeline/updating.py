"""``update``: the lists from their sources, what happened to them, the texts that are new or stale, the index.

What happened is told against the published index, not against the copy of the list: a run that was killed after the
copy was replaced has told nobody, and the next one tells it. The guard against a wrong file compares with the copy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accelrag.corpus import Corpus
from accelrag.errors import AccelragError, IndexDamaged, IndexMismatch, IndexMissing, ListError
from accelrag.index import BuildReport, Manifest, Store, current_generation
from accelrag.listing.changes import Changes, compare, shrank_too_much
from accelrag.pipeline.refresh import Refreshed, keep, look, targets
from accelrag.pipeline.registry import HomeList
from accelrag.pipeline.writing import build_index, fetch_texts
from accelrag.settings import Settings
from accelrag.types import Entry, Progress

if TYPE_CHECKING:
    from accelrag.ingest import Summary
    from accelrag.transport import Transport

__all__ = ["ListUpdate", "UpdateReport", "update_home"]


@dataclass(frozen=True, slots=True)
class ListUpdate:
    """What happened to one list. ``first`` says that no index held it yet, ``problem`` why it was left as it was."""

    name: str
    title: str
    source: str
    entries: int
    changes: Changes
    first: bool = False
    problem: AccelragError | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        changes = Changes() if self.first else self.changes
        said = {"error": str(self.problem), "hint": self.problem.hint} if self.problem else {}
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "entries": self.entries,
            "first": self.first,
            "changed": bool(self.changes),
            **said,
            "changes": changes.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What an update did, or with ``dry_run`` would do. ``missing`` counts entries that were never asked for."""

    lists: tuple[ListUpdate, ...]
    fetched: Summary | None = None
    index: BuildReport | None = None
    missing: int = 0
    dry_run: bool = False

    @property
    def exit_code(self) -> int:
        """1 where a list could not be refreshed."""
        return int(any(item.problem for item in self.lists))

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        built = None
        if self.index is not None:
            built = {
                "generation": self.index.folder.name,
                "entries": self.index.entries,
                "passages": self.index.passages,
                "encoded": self.index.encoded,
                "unchanged": self.index.unchanged,
            }
        return {
            "dry_run": self.dry_run,
            "lists": [item.to_dict() for item in self.lists],
            "missing": self.missing,
            "fetch": self.fetched.to_dict() if self.fetched is not None else None,
            "index": built,
        }


def update_home(  # noqa: PLR0913 - the options of one run, each by its name
    settings: Settings,
    *,
    name: str = "",
    dry_run: bool = False,
    force: bool = False,
    only: str | Collection[str] | None = None,
    limit: int | None = None,
    offline: bool = False,
    retry_failed: bool = False,
    transport: Transport | None = None,
    progress: Progress | None = None,
    told: Callable[[ListUpdate], None] = lambda _: None,
    notice: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    wait: float = 0.0,
) -> UpdateReport:
    """Refresh the lists, fetch what is new or stale, index it. ``told`` hears of each list before the long work.

    A list that cannot be had, is an error page, or lost more than half of its entries leaves everything as it was;
    among several lists the others go on. ``force`` takes a list that shrank.

    Raises:
        ListError, FetchTransient, FetchRefused, FetchFailed: the only list cannot be had or is none.
        UsageError, StorageError, ModelError, Busy: as their names say. The published index is left as it was.
    """
    with _alone(settings, dry_run=dry_run, wait=wait), _Wire(settings, transport) as wire:
        wanted = targets(settings, name)
        refreshed, lists = _looked_at(settings, wanted, wire, force=force, offline=offline)
        for item in lists:
            told(item)
        missing = _missing(settings, [entry for item in refreshed for entry in item.listing.entries])
        if dry_run:
            return UpdateReport(tuple(lists), missing=missing, dry_run=True)
        keep(settings, refreshed)
        summary = None
        if not offline:
            part = wanted[0].name if settings.list else ""
            summary = fetch_texts(
                replace(settings, list=part),
                progress=progress,
                only=only,
                limit=limit,
                retry_failed=retry_failed,
                cancelled=cancelled,
                wait=wait,
                transport=wire(),
            )
        built = build_index(replace(settings, list=""), progress=progress, notice=notice, wait=wait)
        return UpdateReport(tuple(lists), summary, built, missing)


def _looked_at(
    settings: Settings, wanted: Sequence[HomeList], wire: _Wire, *, force: bool, offline: bool
) -> tuple[list[Refreshed], list[ListUpdate]]:
    refreshed: list[Refreshed] = []
    lists: list[ListUpdate] = []
    for home_list in wanted:
        try:
            item = look(home_list, settings, wire, offline=offline)
            before = _published(settings, home_list)
            if not force:
                _guard(item, before)
        except AccelragError as error:
            if len(wanted) == 1:
                raise
            lists.append(ListUpdate(home_list.name, "", home_list.source, 0, Changes(), problem=error))
            continue
        old = before if before is not None else item.kept.entries if item.kept else ()
        changes = compare(old, item.listing.entries)
        first = before is None and item.kept is None
        count = len(item.listing.entries)
        lists.append(ListUpdate(home_list.name, item.listing.title, home_list.source, count, changes, first))
        refreshed.append(item)
    if not refreshed and lists and lists[0].problem:
        raise lists[0].problem
    return refreshed, lists


def _guard(item: Refreshed, before: Sequence[Entry] | None) -> None:
    if item.home_list.source and not item.data:
        return  # the copy was accepted by an earlier run
    accepted = item.kept.entries if item.kept is not None else before
    if accepted and shrank_too_much(accepted, item.listing.entries):
        where = item.home_list.source or item.home_list.path
        raise ListError(
            f"{where} lost more than half of its entries: {len(accepted)} before, {len(item.listing.entries)} now",
            hint="the list and the index are as they were; if it is right, run it again with --force",
        )


def _published(settings: Settings, home_list: HomeList) -> list[Entry] | None:
    """The entries of a list as the index that answers now holds them; None where it holds no such list."""
    try:
        folder = current_generation(settings.index_dir)
        manifest = Manifest.read(folder)
        name = _name_in(manifest, home_list)
        if name is None:
            return None
        with closing(Store(folder / "passages.db")) as store:
            return list(_standing_in(store, name))
    except (IndexMissing, IndexDamaged, IndexMismatch, KeyError):
        return None


def _name_in(manifest: Manifest, home_list: HomeList) -> str | None:
    """Under which name the index holds a list: it may have got one since, and the home may have moved."""
    for item in manifest.lists:
        name, path = str(item["name"]), Path(str(item["path"]))
        if path == home_list.path or (name == home_list.name and (name or path.name == home_list.path.name)):
            return name
    return None


def _standing_in(store: Store, name: str) -> Iterator[Entry]:
    for entry, _ in store.entries():
        places = tuple(place for place in entry.places if place.list_name == name)
        if places:
            yield replace(entry, places=places)


def _missing(settings: Settings, entries: Sequence[Entry]) -> int:
    with Corpus.open(settings.corpus_dir, read_only=True) as corpus:
        known = corpus.digests().keys() | corpus.failures().keys()
    return len({entry.id for entry in entries} - known)


def _alone(settings: Settings, *, dry_run: bool, wait: float) -> AbstractContextManager[None]:
    if dry_run:
        return nullcontext()
    from accelrag.storage import hold

    return hold(settings.corpus_dir, wait=wait, doing="accelrag update")


class _Wire:
    """A transport that is made when it is first needed."""

    def __init__(self, settings: Settings, given: Transport | None) -> None:
        self._settings, self._made = settings, given

    def __call__(self) -> Transport:
        if self._made is None:
            from accelrag.transport import Transport

            self._made = Transport(self._settings)
        return self._made

    def __enter__(self) -> _Wire:
        return self

    def __exit__(self, *_: object) -> None:
        if self._made is not None:
            self._made.close()
