"""The fetch loop: what is due is asked for, what comes is stored at once, and every entry is accounted for.

A run can end at any moment. Each answer of a host is one transaction, so the next run asks again only for what had
not been answered. Catalogues (arXiv, GitHub, Crossref and the others) are asked one after the other; ordinary
pages by several workers, each with hosts of its own.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from accelrag.corpus import Corpus
from accelrag.errors import AccelragError, FetchFailed, FetchTransient, PermanentError
from accelrag.ingest.report import Progress, Silent, Summary
from accelrag.settings import Settings
from accelrag.sources import Answer, Outcome, Source, Unchanged, Want, build_sources, route, why_note_only
from accelrag.storage import hold
from accelrag.transport import Transport
from accelrag.types import Document, Entry, Failure

__all__ = ["fetch"]

_ORDER = ("note", "arxiv", "github", "scholarly", "page")


def fetch(
    entries: Iterable[Entry],
    corpus: Corpus,
    settings: Settings,
    *,
    transport: Transport,
    clock: Callable[[], float] = time.time,
    progress: Progress | None = None,
    only: str | Collection[str] | None = None,
    limit: int | None = None,
    offline: bool = False,
    retry_failed: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    sources: Mapping[str, Source] | None = None,
    wait: float = 0.0,
) -> Summary:
    """Fetch what is missing, stale or older than ``settings.refresh_days`` into the corpus.

    ``only`` names kinds (``paper``) or sources (``github``); ``limit`` bounds the entries that are asked for;
    ``offline`` asks for none; ``retry_failed`` asks again for what failed for good. ``cancelled`` is asked between
    answers. ``wait`` is how long to wait for another writer, in seconds.

    Raises:
        Busy: another accelrag writes into the corpus.
        StorageError: the corpus cannot be written. What was stored before stays.
    """
    with hold(corpus.path.parent, wait=wait):
        run = _Run(corpus, settings, clock, progress or Silent(), cancelled)
        plan = run.plan(list(entries), only, limit, offline=offline, retry_failed=retry_failed)
        built = sources if sources is not None else build_sources(settings, transport)
        for name in _ORDER:
            if plan.get(name):
                run.work(name, built.get(name), plan[name])
        return run.summary


class _Run:
    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        clock: Callable[[], float],
        progress: Progress,
        cancelled: Callable[[], bool],
    ) -> None:
        self.summary = Summary()
        self._corpus, self._settings, self._clock = corpus, settings, clock
        self._progress, self._cancelled = progress, cancelled
        self._failures = corpus.failures()

    def plan(
        self,
        entries: list[Entry],
        only: str | Collection[str] | None,
        limit: int | None,
        *,
        offline: bool,
        retry_failed: bool,
    ) -> dict[str, list[Want]]:
        """The wants of each source. Entries that are not asked for are counted here."""
        wanted = {only} if isinstance(only, str) else set(only or ())
        left = limit if limit is not None else len(entries)
        plan: dict[str, list[Want]] = {}
        for entry in {e.id: e for e in entries}.values():
            self.summary.total += 1
            name = route(entry)
            if wanted and not wanted & {entry.kind, name}:
                self.summary.count(name, "skipped")
                continue
            known = self._corpus.document(entry.id)
            failure = self._failures.get(entry.id)
            if name == "note" and known is None and not (failure and failure.note_only):
                plan.setdefault(name, []).append(Want(entry))
            elif not self._due(known, failure, retry_failed=retry_failed) or (offline and known):
                self._count_known(name, known, failure)
            elif offline:
                self._settle(name, Want(entry), failure or FetchTransient("not fetched yet", reason="offline"))
            elif left <= 0:
                self.summary.count(name, "skipped")
            else:
                left -= 1
                plan.setdefault(name, []).append(Want(entry, known))
        return plan

    def work(self, name: str, source: Source | None, wants: list[Want]) -> None:
        """Ask one source for all its wants and store what comes."""
        self._progress.start(name, len(wants))
        settled: set[str] = set()
        for answer in self._answers(name, source, wants):
            with self._corpus.batch():
                for want, outcome in answer:
                    self._settle(name, want, outcome)
            for want, _ in answer:
                settled.add(want.entry.id)
                self._progress.advance(name)
            if self._cancelled():
                self.summary.cancelled = True
                break
        for want in wants:
            if want.entry.id not in settled:
                self.summary.count(name, "skipped")
        self._progress.done(name)

    def _answers(self, name: str, source: Source | None, wants: list[Want]) -> Iterator[Answer]:
        if self._cancelled():
            return iter(())
        if name == "note":
            return iter([[(want, _note_only(want.entry)) for want in wants]])
        if source is None:
            return iter([[(want, FetchTransient(f"no source for {name}", reason="internal")) for want in wants]])
        if name == "page" and self._settings.fetch_workers > 1:
            return _by_hosts(source, wants, self._settings.fetch_workers)
        return _in_order(source, wants)

    def _due(self, known: Document | None, failure: Failure | None, *, retry_failed: bool) -> bool:
        if known is None:
            return failure is None or not failure.permanent or retry_failed
        if known.stale:
            return retry_failed or not known.metadata.get("stale_for_good")
        if known.metadata.get("imported"):
            return False
        age = self._clock() - _seconds(known.fetched_at)
        # A time in the future is a clock that was set back: asking once too often is the smaller harm.
        return age >= self._settings.refresh_days * 86_400 or age < -86_400

    def _count_known(self, name: str, known: Document | None, failure: Failure | None) -> None:
        if known is not None:
            self.summary.count(name, "stale_kept" if known.stale else "fresh")
        elif failure is not None:
            self.summary.count(name, "note_only" if failure.note_only else "failed", failure)

    def _settle(self, name: str, want: Want, outcome: Outcome | Failure) -> None:
        now = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        known = want.known
        if isinstance(outcome, Document):
            same = known is not None and known.digest == outcome.digest and known.coverage == outcome.coverage
            self._corpus.put(replace(outcome, fetched_at=now, stale=False))
            self.summary.count(name, "unchanged" if same else "fetched")
        elif isinstance(outcome, Unchanged):
            self._corpus.touch(want.entry.id, now)
            self.summary.count(name, "unchanged")
        else:
            failure = outcome if isinstance(outcome, Failure) else self._failure(want, outcome, now)
            self._corpus.put_failure(failure)
            fate = "stale_kept" if known is not None else "note_only" if failure.note_only else "failed"
            self.summary.count(name, fate, failure)  # type: ignore[arg-type]

    def _failure(self, want: Want, error: AccelragError, now: str) -> Failure:
        before = self._failures.get(want.entry.id)
        return Failure(
            entry_id=want.entry.id,
            reason=str(getattr(error, "reason", "internal")),
            detail=str(error)[:500],
            url=want.entry.url,
            permanent=isinstance(error, PermanentError),
            failed_at=now,
            attempts=(before.attempts if before else 0) + 1,
        )


def _note_only(entry: Entry) -> AccelragError:
    return FetchFailed(why_note_only(entry.url), reason="note-only")


def _in_order(source: Source, wants: Sequence[Want]) -> Iterator[Answer]:
    for start in range(0, len(wants), source.batch):
        yield from _safely(source, wants[start : start + source.batch])


def _safely(source: Source, wants: Sequence[Want]) -> Iterator[Answer]:
    """The answers of a source; an exception becomes the outcome of every want that it left open."""
    left = {want.entry.id: want for want in wants}
    problem: AccelragError
    try:
        for answer in source.fetch(wants):
            for want, _ in answer:
                left.pop(want.entry.id, None)
            yield answer
        problem = FetchTransient(f"{source.name} gave no outcome", reason="internal")
    except AccelragError as error:
        problem = error
    except Exception as error:  # noqa: BLE001 - a fault in one source must not lose the others' work
        problem = FetchTransient(f"{type(error).__name__}: {error}", reason="internal", hint="please report this")
    if left:
        yield [(want, problem) for want in left.values()]


def _by_hosts(source: Source, wants: Sequence[Want], workers: int) -> Iterator[Answer]:
    """The same by several workers. A host is one worker's, so that its pauses hold nobody else up."""
    hosts: dict[str, list[Want]] = {}
    for want in wants:
        hosts.setdefault(urlsplit(want.entry.url).netloc.lower(), []).append(want)
    todo: queue.SimpleQueue[list[Want]] = queue.SimpleQueue()
    for group in hosts.values():
        todo.put(group)
    done: queue.SimpleQueue[tuple[Answer, threading.Event] | None] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            while not stop.is_set():
                try:
                    group = todo.get_nowait()
                except queue.Empty:
                    return
                for answer in (a for want in group for a in _safely(source, [want])):
                    # Nothing more is asked for before this is stored: a kill loses one answer a worker, not a queue.
                    stored = threading.Event()
                    done.put((answer, stored))
                    while not stored.wait(0.5):
                        if stop.is_set():
                            return
        finally:
            done.put(None)

    count = min(workers, len(hosts))
    for number in range(count):
        # Daemons: an interrupted run must not wait for a slow host.
        threading.Thread(target=work, name=f"fetch-{number}", daemon=True).start()
    try:
        while count:
            came = done.get()
            if came is None:
                count -= 1
                continue
            yield came[0]
            came[1].set()
    finally:
        stop.set()


def _seconds(moment: str) -> float:
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
