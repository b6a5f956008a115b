"""A question -> Results: two rankings of passages, one fused score, entries by the mean of note and text.

Fusion is a weighted sum of min-max normalised scores over each side's best ``POOL`` passages (Bruch et al., "An
Analysis of Fusion Functions for Hybrid Retrieval", https://arxiv.org/abs/2210.11934). An entry counts with the mean
of its own passage's score and its best text passage's, then titles and identifiers that the question names are added.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from accelrag.embedding import Vectors
from accelrag.errors import UsageError
from accelrag.index import Index
from accelrag.lexical import LexicalQuery
from accelrag.types import KINDS, Coverage, Entry, Hit, Passage, Result
from accelrag.words import STOPWORDS, cjk_grams, fold, identifiers, parts, words

__all__ = ["POOL", "Filters", "Fusion", "Reading", "Retriever", "Search", "Signals"]

POOL = 100
MAX_QUERY = 2_000  # characters of a question that are read; the encoder reads less
_PASSAGES = 3
_KNOWN_SHARE = 0.7  # how much of a word counts as found when only its correction is


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is restricted to; empty means everything."""

    sections: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is restricted."""
        return not (self.sections or self.kinds or self.entries or self.lists)


@dataclass(frozen=True, slots=True)
class Fusion:
    """How two rankings become one. ``method`` is sum, rrf, dense or lexical; the last three are for comparison."""

    method: str = "sum"
    dense_weight: float = 0.45
    text_share: float = 0.3
    title_boost: float = 0.3
    identifier_boost: float = 0.4


@dataclass(frozen=True, slots=True)
class Reading:
    """How a question was read: its content words as written and as corrected, with their weights."""

    text: str
    terms: tuple[tuple[str, float], ...]
    stems: Mapping[str, float]
    identifiers: tuple[str, ...]
    grams: tuple[str, ...]
    corrections: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def corrected(self) -> str:
        """The question with its typing mistakes mended."""
        text = self.text
        for wrong, right in self.corrections.items():
            at = fold(text).find(wrong)
            if at >= 0 and len(fold(text)) == len(text):
                text = text[:at] + right + text[at + len(wrong) :]
        return text


@dataclass(frozen=True, slots=True)
class Signals:
    """What the relevance gate decides by."""

    cosine: float = 0.0  # of the best passage
    margin: float = 0.0  # best cosine less the mean of the pool
    known: float = 0.0  # share of the question's word weight that the index has at all
    found: float = 0.0  # share of it that one of the best three entries has
    noted: float = 0.0  # share of it that the list itself says of one of them
    named: bool = False  # the question names a title or an identifier of a result
    terms: int = 0  # content words of the question
    bm25: float = 0.0  # of the best passage, over what the question's words could reach


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found."""

    query: str
    reading: Reading
    results: tuple[Result, ...]
    signals: Signals
    vector: Vectors
    timings: Mapping[str, float]


Rerank = Callable[[str, Sequence[str]], Sequence[float]]


class Retriever:
    """Searches one opened index."""

    def __init__(self, index: Index, *, fusion: Fusion | None = None, rerank: Rerank | None = None) -> None:
        self._index = index
        self._fusion = fusion or Fusion()
        self._rerank = rerank
        self._total = max(1, index.manifest.counts["passages"])

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
        allowed_entries, allowed = self._allowed(filters)
        reading = self.read(query)
        vector = self._index.encoder.encode_queries([reading.corrected])[0]
        encoded = time.perf_counter()
        dense = self._index.dense.search(vector, POOL, allowed)
        if reading.grams:
            dense = self._with_grams(reading, dense)
        lexical = self._index.lexical.search(self._lexical(reading, filters, allowed_entries), POOL)
        ranked = time.perf_counter()
        results, signals = self._results(reading, dense, lexical, limit)
        if self._rerank is not None and results:
            results = self._reranked(query, results)
        done = time.perf_counter()
        timings = {"encode": encoded - started, "rank": ranked - encoded, "fuse": done - ranked}
        return Search(query, reading, tuple(results), signals, vector, timings)

    def read(self, query: str) -> Reading:
        """Split a question into what the two sides look for, mending typing mistakes by the index's own words."""
        text = query[:MAX_QUERY]
        spoken = words(text)
        content = [w for w in dict.fromkeys(spoken) if w not in STOPWORDS] or list(dict.fromkeys(spoken))
        content = content[:64]
        corrections: dict[str, str] = {}
        stems: dict[str, float] = {}
        terms: list[tuple[str, float]] = []
        unknown = []
        lexical, store = self._index.lexical, self._index.store
        for word in content:
            stem = lexical.stem(word)
            if not stem:
                continue
            df = lexical.known(stem)
            if not df and (right := self._correction(word)):
                corrections[word] = right
                stem, df = lexical.stem(right), max(1, store.frequency(right))
            if not df:
                unknown.append(word)
            terms.append((stem, self._idf(df)))
            stems[stem] = max(stems.get(stem, 0.0), 0.6 if word in corrections else 1.0)
            if word[0] == "v" and word[1:].isdigit():
                stems.setdefault(word[1:], 0.7)
        for left, right in pairwise(spoken):
            joined = lexical.stem(left + right)
            if left not in STOPWORDS and joined not in stems and lexical.known(joined):
                stems[joined] = 0.8
        return Reading(
            text=text,
            terms=tuple(terms),
            stems=stems,
            identifiers=tuple(dict.fromkeys(identifiers(text)))[:32],
            grams=tuple(dict.fromkeys(cjk_grams(text)))[:64],
            corrections=corrections,
            unknown=tuple(unknown),
        )

    def _correction(self, word: str) -> str:
        reach = 2 if len(word) >= 8 else 1 if len(word) >= 5 else 0
        if not reach or any(c.isdigit() for c in word):
            return ""
        from rapidfuzz.distance import OSA

        best, best_key = "", (reach + 1, 0)
        for term, df in self._index.store.near_terms(word, reach):
            if len(term) < 4:
                continue
            distance = OSA.distance(word, term, score_cutoff=reach)
            if distance <= reach and (distance, -df) < best_key:
                best, best_key = term, (distance, -df)
        return best

    def _idf(self, df: int) -> float:
        return math.log(1 + (self._total - df + 0.5) / (df + 0.5))

    def _allowed(self, filters: Filters) -> tuple[tuple[str, ...], list[int] | None]:
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
        return tuple(kept), self._index.store.passage_ids(kept)

    def _lexical(self, reading: Reading, filters: Filters, entries: Sequence[str]) -> LexicalQuery:
        names = [i for i in reading.identifiers if self._index.lexical.known_identifier(i)]
        narrow = filters.entries or filters.lists
        return LexicalQuery(
            stems={} if not filters.empty and not entries else reading.stems,
            identifiers=tuple(names),
            grams=reading.grams,
            kinds=filters.kinds,
            sections=tuple(s.lower() for s in filters.sections),
            entries=tuple(entries) if narrow else (),
        )

    def _with_grams(self, reading: Reading, dense: list[tuple[int, float]]) -> list[tuple[int, float]]:
        # An encoder that does not know the script puts such a question anywhere: where n-grams match, they decide.
        matches = self._index.lexical.search(LexicalQuery(stems={}, grams=reading.grams), 1)
        return dense if not matches else []

    def _results(
        self, reading: Reading, dense: list[tuple[int, float]], lexical: list[tuple[int, float]], limit: int
    ) -> tuple[list[Result], Signals]:
        cosines, bm25 = dict(dense), dict(lexical)
        fused = self._fuse(dense, lexical)
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
        scored = []
        for entry_id, found in hits.items():
            entry, coverage = entries[entry_id]
            base = notes.get(entry_id, 0.0)
            if coverage != "note":
                share = self._fusion.text_share
                base = (1 - share) * base + share * texts.get(entry_id, 0.0)
            boost, why = self._boost(reading, entry)
            scored.append((base + boost, entry_id, boost, why, sorted(found, key=lambda h: (-h[0], h[1]))))
        scored.sort(key=lambda row: (-row[0], row[1]))
        best = scored[:limit]
        wanted = [i for row in best for _, i in row[4][:_PASSAGES]]
        passages = store.passages(wanted)
        results = [
            self._result(rank, row, entries[row[1]], passages, cosines, bm25)
            for rank, row in enumerate(best, start=1)
        ]
        return results, self._signals(reading, results, dense, lexical)

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

    def _fuse(self, dense: list[tuple[int, float]], lexical: list[tuple[int, float]]) -> dict[int, float]:
        method = self._fusion.method
        if method == "rrf":
            fused: dict[int, float] = defaultdict(float)
            for side in (dense, lexical):
                for rank, (i, _) in enumerate(side, start=1):
                    fused[i] += 1 / (60 + rank)
            return {i: score * 30 for i, score in fused.items()}
        share = {"dense": 1.0, "lexical": 0.0}.get(method, self._fusion.dense_weight)
        if not lexical and method == "sum":
            share = 1.0
        elif not dense:
            share = 0.0
        left, right = _normalised(dense), _normalised(lexical)
        return {i: share * left.get(i, 0.0) + (1 - share) * right.get(i, 0.0) for i in {**left, **right}}

    def _boost(self, reading: Reading, entry: Entry) -> tuple[float, tuple[str, ...]]:
        why = []
        boost = 0.0
        asked = [w[1:] if w[0] == "v" and w[1:].isdigit() else w for w in words(reading.corrected)]
        content = sum(w not in STOPWORDS for w in asked) or len(asked)
        runs = _runs(asked)
        best = 0.0
        for alias in _aliases(entry):
            length = runs.get("".join(alias), 0)
            if not length:
                continue
            weight = sum(self._idf(self._index.store.frequency(w)) for w in alias) / len(alias)
            share = min(1.0, length / max(1, content))
            certain = 2.0 if share == 1.0 else min(1.0, weight / self._idf(1))
            value = self._fusion.title_boost * share * certain
            if value > best:
                best, name = value, " ".join(alias)
        if best:
            boost += best
            why.append(f"the question names its title: {name!r} (+{best:.2f})")
        own = {identifier for title in entry.titles for identifier in identifiers(title)}
        key = entry.key.casefold()
        for identifier in reading.identifiers:
            plain = identifier.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
            if identifier in own or (len(plain) > 5 and f"/{plain}/" in f"/{key.split('://')[-1]}/"):
                boost += self._fusion.identifier_boost
                why.append(f"the question names it: {identifier!r} (+{self._fusion.identifier_boost:.2f})")
                break
        return boost, tuple(why)

    def _signals(
        self,
        reading: Reading,
        results: Sequence[Result],
        dense: list[tuple[int, float]],
        lexical: list[tuple[int, float]],
    ) -> Signals:
        total = sum(weight for _, weight in reading.terms) or 1.0
        unknown = {self._index.lexical.stem(w) for w in reading.unknown}
        guessed = {self._index.lexical.stem(w) for w in reading.corrections.values()}

        def share(present: set[str]) -> float:
            score = 0.0
            for stem, weight in reading.terms:
                if stem in present:
                    score += weight * (_KNOWN_SHARE if stem in guessed else 1.0)
            return score / total

        known = {stem for stem, _ in reading.terms} - unknown
        found = noted = 0.0
        for result in results[:3]:
            entry = result.entry
            own = " ".join([*entry.titles, *entry.notes, *(s for p in entry.sections for s in p), entry.url])
            text = " ".join(f"{' '.join(hit.passage.heading)} {hit.passage.text}" for hit in result.hits)
            mine = self._stems_of(own)
            read = mine | self._stems_of(text)
            noted, found = max(noted, share(mine)), max(found, share(read))
        cosines = [score for _, score in dense]
        return Signals(
            cosine=cosines[0] if cosines else 0.0,
            margin=cosines[0] - sum(cosines) / len(cosines) if cosines else 0.0,
            known=share(known),
            found=found,
            noted=noted,
            named=any(r.boost > 0 for r in results[:3]),
            terms=len(reading.terms),
            bm25=lexical[0][1] / total if lexical else 0.0,
        )

    def _stems_of(self, text: str) -> set[str]:
        return {self._index.lexical.stem(w) for w in {*words(text), *parts(text)}}

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


def _normalised(ranked: list[tuple[int, float]]) -> dict[int, float]:
    if not ranked:
        return {}
    low, high = ranked[-1][1], ranked[0][1]
    if len(ranked) == 1 or high - low < 1e-9:
        return {i: 1.0 for i, _ in ranked}
    return {i: (score - low) / (high - low) for i, score in ranked}


def _aliases(entry: Entry) -> list[list[str]]:
    """What people call an entry: its titles, what stands in brackets in them, what precedes a colon."""
    found = []
    for title in entry.titles:
        found.append(words(title))
        for opened, closed in (("(", ")"), ("（", "）")):
            if opened in title and closed in title:
                inside = title[title.index(opened) + 1 : title.rindex(closed)]
                found += [words(inside), words(title[: title.index(opened)])]
                found += [words(part) for part in inside.split("/")]
        for mark in (":", " / ", " — "):
            if mark in title:
                found.append(words(title.split(mark, 1)[0]))
    return [list(alias) for alias in dict.fromkeys(tuple(a) for a in found if a and len("".join(a)) > 1)]


def _runs(asked: Sequence[str], longest: int = 8) -> dict[str, int]:
    """Every run of words written as one, with its length: 'flash attention 3' names FlashAttention-3."""
    found: dict[str, int] = {}
    for start in range(len(asked)):
        for stop in range(start + 1, min(len(asked), start + longest) + 1):
            found.setdefault("".join(asked[start:stop]), stop - start)
    return found


def _nearest_section(section: str, names: set[str]) -> str:
    import difflib

    near = difflib.get_close_matches(section, sorted(names), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(repr(n) for n in near)}?" if near else "`accelrag list` shows the sections"
