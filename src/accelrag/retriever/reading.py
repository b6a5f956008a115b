"""A question -> Reading: content words, names and n-grams, with typing mistakes mended by the index's own words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from accelrag.index import Index
from accelrag.text.words import STOPWORDS, cjk_grams, fold, identifiers, words

__all__ = ["MAX_QUERY", "Reader", "Reading", "runs"]

MAX_QUERY = 2_000  # characters of a question that are read; the encoder reads less


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
    sections: tuple[str, ...] = ()  # case-folded names of sections that the question names
    said: Mapping[str, int] = field(default_factory=dict)  # runs of its words written as one, with their lengths
    weight: int = 1  # words of the corrected question that carry content

    @property
    def corrected(self) -> str:
        """The question with its typing mistakes mended."""
        text = self.text
        for wrong, right in self.corrections.items():
            at = fold(text).find(wrong)
            if at >= 0 and len(fold(text)) == len(text):
                text = text[:at] + right + text[at + len(wrong) :]
        return text


class Reader:
    """Reads questions with the words of one opened index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._total = max(1, index.manifest.counts["passages"])
        self._sections: dict[str, tuple[str, int]] | None = None

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
            terms.append((stem, self.rarity(df)))
            stems[stem] = max(stems.get(stem, 0.0), 0.6 if word in corrections else 1.0)
            if word[0] == "v" and word[1:].isdigit():
                stems.setdefault(word[1:], 0.7)
        for left, right in pairwise(spoken):
            joined = lexical.stem(left + right)
            if left not in STOPWORDS and joined not in stems and lexical.known(joined):
                stems[joined] = 0.8
        reading = Reading(
            text=text,
            terms=tuple(terms),
            stems=stems,
            identifiers=tuple(dict.fromkeys(identifiers(text)))[:32],
            grams=tuple(dict.fromkeys(cjk_grams(text)))[:64],
            corrections=corrections,
            unknown=tuple(unknown),
            sections=self._named_sections(spoken),
        )
        asked = [w[1:] if w[0] == "v" and w[1:].isdigit() else w for w in words(reading.corrected)]
        weight = sum(w not in STOPWORDS for w in asked) or len(asked)
        return replace(reading, said=runs(asked), weight=max(1, weight))

    def _named_sections(self, spoken: Sequence[str]) -> tuple[str, ...]:
        """Sections whose whole name is said and makes up half of the question: then they are what it is about."""
        if self._sections is None:
            known = [(name, [w for w in words(name) if w not in STOPWORDS]) for name in self._index.store.sections()]
            self._sections = {"".join(words(name)): (name.casefold(), len(held)) for name, held in known if held}
        content = sum(w not in STOPWORDS for w in spoken)
        found = []
        for run in runs(spoken):
            name, length = self._sections.get(run, ("", 0))
            if length and 2 * length >= content:
                found.append(name)
        return tuple(dict.fromkeys(found))

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

    def rarity(self, df: int) -> float:
        """The weight of a word that occurs in ``df`` passages: its inverse document frequency as in BM25."""
        return math.log(1 + (self._total - df + 0.5) / (df + 0.5))


def runs(asked: Sequence[str], longest: int = 8) -> dict[str, int]:
    """Every run of words written as one, with its length: 'flash attention 3' names FlashAttention-3."""
    found: dict[str, int] = {}
    for start in range(len(asked)):
        for stop in range(start + 1, min(len(asked), start + longest) + 1):
            found.setdefault("".join(asked[start:stop]), stop - start)
    return found
