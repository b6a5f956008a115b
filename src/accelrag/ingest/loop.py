"""The fetch loop: what is due is asked for, what comes is stored at once, and every entry is accounted for.

A run can end at any moment. Each answer of a host is one transaction, so the next run asks again only for what had
not been answered. Catalogues (arXiv, GitHub, Crossref and the others) are asked one after the other; ordinary
pages by several workers, each with hosts of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from accelrag.corpus import Corpus
from accelrag.errors import AccelragError, ExtraMissing, FetchFailed, FetchTransient, PermanentError
from accelrag.ingest.pool import hosts_side_by_side
from accelrag.ingest.report import Summary, Tally
from accelrag.settings import Settings
from accelrag.sources import Outcome, Outcomes, Registry, Request, Source, Unchanged, registered
from accelrag.storage import hold
from accelrag.transport import Transport
from accelrag.types import Document, Entry, Failure, Progress, Silent

__all__ = ["fetch"]


def fetch(  # noqa: PLR0913 - the options of one run, each by its name
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
    registry: Registry | None = None,
    wait: float = 0.0,
) -> Summary:
    """Fetch what is missing, stale or older than ``settings.refresh_days`` into the corpus.

    ``only`` names kinds (``paper``) or sources (``github``); ``limit`` bounds the entries that are asked for;
    ``offline`` asks for none; ``retry_failed`` asks again for what failed for good. ``cancelled`` is asked between
    answers. ``registry`` says which source an entry is for, ``sources`` are used in place of those that it builds.
    ``wait`` is how long to wait for another writer, in seconds.

    Raises:
        Busy: another accelrag writes into the corpus.
        StorageError: the corpus cannot be written. What was stored before stays.
    """
    with hold(corpus.path.parent, wait=wait):
        registry = registry if registry is not None else registered()
        run = _Run(corpus, settings, registry, clock, progress or Silent(), cancelled)
        plan = run.plan(list(entries), only, limit, offline=offline, retry_failed=retry_failed)
        built = sources if sources is not None else registry.build(settings, transport)
        for name in (registration.name for registration in registry):
            if plan.get(name):
                run.work(name, built.get(name), plan[name])
        return run.summary


class _Run:
    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        registry: Registry,
        clock: Callable[[], float],
        progress: Progress,
        cancelled: Callable[[], bool],
    ) -> None:
        self.summary = Summary()
        self._corpus, self._settings, self._clock = corpus, settings, clock
        self._registry, self._progress, self._cancelled = registry, progress, cancelled
        self._failures = corpus.failures()

    def plan(
        self,
        entries: list[Entry],
        only: str | Collection[str] | None,
        limit: int | None,
        *,
        offline: bool,
        retry_failed: bool,
    ) -> dict[str, list[Request]]:
        """The requests of each source. Entries that are not asked for are counted here."""
        wanted = {only} if isinstance(only, str) else set(only or ())
        left = limit if limit is not None else len(entries)
        plan: dict[str, list[Request]] = {}
        for entry in {e.id: e for e in entries}.values():
            self.summary.total += 1
            name = self._registry.route(entry)
            if wanted and not wanted & {entry.kind, name}:
                self.summary.count(name, "skipped")
                continue
            known = self._corpus.document(entry.id)
            failure = self._failures.get(entry.id)
            if not name:
                error = FetchFailed(f"no source reads {entry.url}", reason="no-source")
                self._settle("none", Request(entry, known), error)
            elif name == "note" and known is None and not (failure and failure.note_only):
                plan.setdefault(name, []).append(Request(entry))
            elif not self._due(known, failure, retry_failed=retry_failed) or (offline and known):
                self._count_known(name, known, failure)
            elif offline:
                self._settle(name, Request(entry), failure or FetchTransient("not fetched yet", reason="offline"))
            elif left <= 0:
                self.summary.count(name, "skipped")
            else:
                left -= 1
                plan.setdefault(name, []).append(Request(entry, known))
        return plan

    def work(self, name: str, source: Source | None, requests: list[Request]) -> None:
        """Ask one source for all its requests and store what comes."""
        self._progress.start(name, len(requests))
        settled: set[str] = set()
        for answer in self._answers(name, source, requests):
            with self._corpus.batch():
                for request, outcome in answer:
                    self._settle(name, request, outcome)
            for request, _ in answer:
                settled.add(request.entry.id)
                self._progress.advance(name)
            if self._cancelled():
                self.summary.cancelled = True
                break
        for request in requests:
            if request.entry.id not in settled:
                self.summary.count(name, "skipped")
        self._progress.done(name)

    def _answers(self, name: str, source: Source | None, requests: list[Request]) -> Iterator[Outcomes]:
        if self._cancelled():
            return iter(())
        if source is None:
            return iter(
                [[(request, FetchTransient(f"no source for {name}", reason="internal")) for request in requests]]
            )
        if self._registry[name].side_by_side and self._settings.fetch_workers > 1:
            return hosts_side_by_side(
                requests, lambda r: r.entry.url, lambda r: _safely(source, [r]), self._settings.fetch_workers
            )
        return _in_order(source, requests)

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

    def _settle(self, name: str, request: Request, outcome: Outcome | Failure) -> None:
        now = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        known = request.known
        if isinstance(outcome, Document):
            same = known is not None and known.digest == outcome.digest and known.coverage == outcome.coverage
            self._corpus.put(replace(outcome, fetched_at=now, stale=False))
            self.summary.count(name, "unchanged" if same else "fetched")
        elif isinstance(outcome, Unchanged):
            self._corpus.touch(request.entry.id, now)
            self.summary.count(name, "unchanged")
        else:
            failure = outcome if isinstance(outcome, Failure) else self._failure(request, outcome, now)
            self._corpus.put_failure(failure)
            kept: Tally = "stale_kept" if known is not None else "note_only" if failure.note_only else "failed"
            self.summary.count(name, kept, failure)

    def _failure(self, request: Request, error: AccelragError, now: str) -> Failure:
        before = self._failures.get(request.entry.id)
        return Failure(
            entry_id=request.entry.id,
            reason=str(getattr(error, "reason", "internal")),
            detail=str(error)[:500],
            url=request.entry.url,
            permanent=isinstance(error, PermanentError) and not isinstance(error, ExtraMissing),
            failed_at=now,
            attempts=(before.attempts if before else 0) + 1,
        )


def _in_order(source: Source, requests: Sequence[Request]) -> Iterator[Outcomes]:
    for start in range(0, len(requests), source.batch):
        yield from _safely(source, requests[start : start + source.batch])


def _safely(source: Source, requests: Sequence[Request]) -> Iterator[Outcomes]:
    """The answers of a source; an exception becomes the outcome of every request that it left open."""
    left = {request.entry.id: request for request in requests}
    problem: AccelragError
    try:
        for answer in source.fetch(requests):
            for request, _ in answer:
                left.pop(request.entry.id, None)
            yield answer
        problem = FetchTransient(f"{source.name} gave no outcome", reason="internal")
    except AccelragError as error:
        problem = error
    except Exception as error:  # noqa: BLE001 - a fault in one source must not lose the others' work
        problem = FetchTransient(f"{type(error).__name__}: {error}", reason="internal", hint="please report this")
    if left:
        yield [(request, problem) for request in left.values()]


def _seconds(moment: str) -> float:
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
