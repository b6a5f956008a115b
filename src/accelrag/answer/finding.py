"""What is searched for a question: follow-ups resolved, the sides of a comparison, an order in time or the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from accelrag.answer.asked import compared, reading_order, when
from accelrag.answer.gate import THRESHOLD, relevance
from accelrag.answer.turns import Past, Standalone
from accelrag.retriever import Retriever, Search
from accelrag.types import Entry, Filters, Result, Turn

__all__ = ["Found", "find"]

_FOLLOW_UP = 0.2  # what the entries of an earlier answer need: they were found relevant before
_TAUGHT = 0.6  # share of the best score that an entry of a reading order needs


@dataclass(frozen=True, slots=True)
class Found:
    """A search with what is to be made of it."""

    search: Search
    relevant: bool
    results: tuple[Result, ...]
    asked_for: int = 1  # how many of the first results must each be answered with
    ordered: bool = False  # the order is the answer
    notices: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The question that stands alone."""
        return self.search.query


def find(
    retriever: Retriever,
    question: str,
    *,
    limit: int,
    filters: Filters | None,
    history: Sequence[Turn],
    published: Callable[[str], str],
) -> Found:
    """Search for a question. ``published`` gives the date of an entry's document by entry id, or nothing."""
    alone = _alone(retriever, question, history)
    search = retriever.search(alone.query, limit, _restricted(filters, alone))
    least = _FOLLOW_UP if alone.entries else THRESHOLD
    relevant = bool(search.results) and relevance(search.signals) >= least
    found = Found(search, relevant, search.results)
    if alone.order and alone.entries:
        return _by_time(found, newest=alone.order == "newest", published=published)
    sides = compared(alone.query)
    if sides and not alone.entries:
        return _sides(retriever, found, sides, limit, filters)
    if reading_order(alone.query) and relevant:
        return _as_taught(found)
    return found


def _alone(retriever: Retriever, question: str, history: Sequence[Turn]) -> Standalone:
    if not history:
        return Standalone(question)
    from accelrag.answer.history import stand_alone  # its patterns take longer to load than a search

    return stand_alone(question, _past(retriever, history[-1]))


def _past(retriever: Retriever, last: Turn) -> Past:
    """The last turn with its entries; those that the index no longer holds are left out."""
    found = retriever.index.store.some_entries([*last.entries, *last.also])

    def entries(ids: Sequence[str]) -> tuple[Entry, ...]:
        return tuple(found[i][0] for i in dict.fromkeys(ids) if i in found)

    return Past(last.query or last.question, entries(last.entries), entries(last.also))


def _restricted(filters: Filters | None, alone: Standalone) -> Filters | None:
    if alone.entries is None:
        return filters
    base = filters or Filters()
    entries = tuple(e for e in alone.entries if not base.entries or e in base.entries)
    return replace(base, entries=entries or alone.entries)


def _sides(retriever: Retriever, found: Found, sides: Sequence[str], limit: int, filters: Filters | None) -> Found:
    """The best entry of each side first, in the order of the question."""
    first: list[Result] = []
    missing = []
    for side in sides:
        search = retriever.search(side, 3, filters)
        taken = {r.entry.id for r in first}
        best = next((r for r in search.results if r.entry.id not in taken), None)
        if best is not None and relevance(search.signals) >= THRESHOLD:
            first.append(best)
        else:
            missing.append(side)
    if not first:
        return found
    taken = {r.entry.id for r in first}
    rest = [r for r in found.results if r.entry.id not in taken]
    results = tuple(replace(r, rank=i) for i, r in enumerate([*first, *rest][:limit], start=1))
    notices = tuple(f"The list holds nothing of its own about {side}." for side in missing)
    return replace(found, relevant=True, results=results, asked_for=len(first), notices=notices)


def _by_time(found: Found, *, newest: bool, published: Callable[[str], str]) -> Found:
    dates = {r.entry.id: when(r.entry, published(r.entry.id)) for r in found.results}
    dated = sorted((r for r in found.results if dates[r.entry.id]), key=lambda r: dates[r.entry.id], reverse=newest)
    if not dated:
        return found
    rest = [r for r in found.results if not dates[r.entry.id]]
    results = tuple(replace(r, rank=i) for i, r in enumerate([*dated, *rest], start=1))
    shown = ", ".join(f"{r.entry.title} ({dates[r.entry.id][:7]})" for r in dated[:3])
    word = "newest" if newest else "oldest"
    return replace(found, relevant=True, results=results, ordered=True, notices=(f"By date, {word} first: {shown}.",))


def _as_taught(found: Found) -> Found:
    """The entries that fit well, in the order in which the list teaches them."""
    least = _TAUGHT * found.results[0].score
    fitting = [r for r in found.results[:5] if r.score >= least]
    fitting.sort(key=lambda r: min((p.line for p in r.entry.places if p.line), default=0))
    taken = {r.entry.id for r in fitting}
    rest = [r for r in found.results if r.entry.id not in taken]
    results = tuple(replace(r, rank=i) for i, r in enumerate([*fitting, *rest], start=1))
    return replace(found, results=results, asked_for=min(3, len(fitting)), ordered=True)
