"""A question -> Results: two rankings of passages, one fused score, entries by the mean of note and text.

Fusion is a weighted sum of min-max normalised scores over each side's best ``POOL`` passages (Bruch et al., "An
Analysis of Fusion Functions for Hybrid Retrieval", https://arxiv.org/abs/2210.11934). An entry counts with the mean
of its own passage's score and its best text passage's, then titles and identifiers that the question names are added.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from accelrag.embedding import Vectors
from accelrag.errors import UsageError
from accelrag.index import Index
from accelrag.retriever.fusing import Fusion, fuse
from accelrag.retriever.naming import boost
from accelrag.retriever.reading import Reader, Reading
from accelrag.retriever.signals import Signals, measure
from accelrag.stores.protocol import LexicalQuery, Scope
from accelrag.types import KINDS, Coverage, Entry, Filters, Hit, Passage, Result

__all__ = ["POOL", "Retriever", "Search"]

POOL = 100
_PASSAGES = 3


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found."""

    query: str
    reading: Reading
    results: tuple[Result, ...]
    signals: Signals
    vector: Vectors
    timings: Mapping[str, float]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def to_dict(self) -> dict[str, Any]:
        """The search as JSON."""
        return {
            "query": self.query,
            "results": [result.to_dict() for result in self.results],
            "timings": {name: round(seconds, 4) for name, seconds in self.timings.items()},
        }


Rerank = Callable[[str, Sequence[str]], Sequence[float]]


class Retriever:
    """Searches one opened index."""

    def __init__(self, index: Index, *, fusion: Fusion | None = None, rerank: Rerank | None = None) -> None:
        self._index = index
        self._fusion = fusion or Fusion()
        self._rerank = rerank
        self._reader = Reader(index)

    @property
    def index(self) -> Index:
        """The index that is searched."""
        return self._index

    def search(self, query: str, limit: int = 8, filters: Filters | None = None) -> Search:
        """The best ``limit`` entries for a query.

        Raises:
            UsageError: a section or kind does not exist.
        """
        filters = filters or Filters()
        started = time.perf_counter()
        allowed_entries, within = self._allowed(filters)
        reading = self._reader.read(query)
        vector = self._index.encoder.encode_queries([reading.corrected])[0]
        encoded = time.perf_counter()
        terms = self._lexical(reading, filters, allowed_entries)
        dense = [] if self._matches_grams(terms) else self._index.dense.search(vector, POOL, within=within)
        lexical = self._index.lexical.search(terms, POOL)
        ranked = time.perf_counter()
        results, signals = self._results(reading, dense, lexical, limit)
        if self._rerank is not None and results:
            results = self._reranked(query, results)
        done = time.perf_counter()
        timings = {"encode": encoded - started, "rank": ranked - encoded, "fuse": done - ranked}
        return Search(query, reading, tuple(results), signals, vector, timings)

    def _allowed(self, filters: Filters) -> tuple[tuple[str, ...], Scope | None]:
        if filters.empty:
            return (), None
        for kind in filters.kinds:
            if kind not in KINDS:
                raise UsageError(f"there is no kind {kind!r}", hint=f"kinds are {', '.join(KINDS)}")
        wanted = {s.casefold() for s in filters.sections}
        seen: set[str] = set()
        names: set[str] = set()
        kept = []
        for entry, _ in self._index.store.entries():
            path = {s.casefold() for p in entry.sections for s in p}
            names |= {s for p in entry.sections for s in p}
            seen |= path & wanted
            inside = not wanted or bool(path & wanted)
            of_kind = not filters.kinds or entry.kind in filters.kinds
            of_list = not filters.lists or any(name in filters.lists for name in entry.lists)
            if inside and of_kind and of_list and (not filters.entries or entry.id in filters.entries):
                kept.append(entry.id)
        for section in filters.sections:
            if section.casefold() not in seen:
                raise UsageError(f"there is no section {section!r}", hint=_nearest_section(section, names))
        scope = Scope(
            self._index.store.passage_ids(kept), filters.kinds, tuple(sorted(wanted)), filters.lists, filters.entries
        )
        return tuple(kept), scope

    def _lexical(self, reading: Reading, filters: Filters, entries: Sequence[str]) -> LexicalQuery:
        if not filters.empty and not entries:  # nothing passes the filters
            return LexicalQuery(stems={})
        names = [i for i in reading.identifiers if self._index.lexical.known_identifier(i)]
        return LexicalQuery(
            stems=reading.stems,
            identifiers=tuple(names),
            grams=reading.grams,
            kinds=filters.kinds,
            sections=tuple(s.casefold() for s in filters.sections),
            entries=tuple(entries) if filters.entries or filters.lists else (),
            named=reading.sections,
        )

    def _matches_grams(self, terms: LexicalQuery) -> bool:
        # An encoder that does not know the script puts such a question anywhere: where n-grams match, they decide.
        if not terms.grams:
            return False
        return bool(self._index.lexical.search(replace(terms, stems={}, identifiers=()), 1))

    def _results(
        self, reading: Reading, dense: list[tuple[int, float]], lexical: list[tuple[int, float]], limit: int
    ) -> tuple[list[Result], Signals]:
        cosines, bm25 = dict(dense), dict(lexical)
        fused = fuse(dense, lexical, self._fusion)
        store = self._index.store
        owners = store.owners(list(fused))
        notes: dict[str, float] = {}
        texts: dict[str, float] = {}
        hits: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for i, score in fused.items():
            entry_id, is_note = owners[i]
            side = notes if is_note else texts
            side[entry_id] = max(side.get(entry_id, 0.0), score)
            hits[entry_id].append((score, i))
        entries = store.some_entries(list(hits))
        heaviest = self._reader.rarity(1)

        def rarity(word: str) -> float:
            return self._reader.rarity(store.frequency(word))

        scored = []
        for entry_id, found in hits.items():
            entry, coverage = entries[entry_id]
            base = notes.get(entry_id, 0.0)
            if coverage != "note":
                share = self._fusion.text_share
                base = (1 - share) * base + share * texts.get(entry_id, 0.0)
            added, why = boost(reading, entry, self._fusion, rarity, heaviest)
            scored.append((base + added, entry_id, added, why, sorted(found, key=lambda h: (-h[0], h[1]))))
        scored.sort(key=lambda row: (-row[0], row[1]))
        best = scored[:limit]
        wanted = [i for row in best for _, i in row[4][:_PASSAGES]]
        passages = store.passages(wanted)
        results = [
            self._result(rank, row, entries[row[1]], passages, cosines, bm25)
            for rank, row in enumerate(best, start=1)
        ]
        return results, measure(reading, results, dense, lexical, self._index.lexical.stem)

    def _result(
        self,
        rank: int,
        row: tuple[float, str, float, tuple[str, ...], list[tuple[float, int]]],
        found: tuple[Entry, Coverage],
        passages: Mapping[int, Passage],
        cosines: Mapping[int, float],
        bm25: Mapping[int, float],
    ) -> Result:
        score, _, boost, why, ordered = row
        hits = tuple(Hit(passages[i], s, cosines.get(i, 0.0), bm25.get(i, 0.0)) for s, i in ordered[:_PASSAGES])
        dense = max((cosines.get(i, 0.0) for _, i in ordered), default=0.0)
        lexical = max((bm25.get(i, 0.0) for _, i in ordered), default=0.0)
        entry, coverage = found
        return Result(rank, entry, coverage, score, hits, dense, lexical, boost, why)

    def _reranked(self, query: str, results: list[Result]) -> list[Result]:
        assert self._rerank is not None
        texts = [f"{r.entry.title}\n{r.hits[0].passage.text if r.hits else r.entry.note}" for r in results]
        scores = self._rerank(query, texts)
        order = sorted(range(len(results)), key=lambda i: (-scores[i], i))
        return [
            replace(
                results[i], rank=rank, why=(*results[i].why, f"reranked from {results[i].rank} ({scores[i]:.2f})")
            )
            for rank, i in enumerate(order, start=1)
        ]


def _nearest_section(section: str, names: set[str]) -> str:
    import difflib

    near = difflib.get_close_matches(section, sorted(names), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(repr(n) for n in near)}?" if near else "`accelrag list` shows the sections"
