"""What a search says about itself: how much of the question the index knows, how near its best passages are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from accelrag.retriever.reading import Reading
from accelrag.text.words import STOPWORDS, cjk_grams, parts, words
from accelrag.types import Result

__all__ = ["Signals", "measure"]

# How Chinese, Japanese and Korean ask, which says nothing of what is asked about.
_ASKING = re.compile(
    "是什么|什么是|有哪些|哪些|哪个|什么|如何|怎么|怎样|为什么|多少|介绍|请问|请|吗|呢|的|了|"
    "とは何ですか|とは|何ですか|ですか|どのように|どうやって|について|教えて|ください|ありますか|"
    "무엇인가요|무엇|어떻게|입니까|있나요|인가요"
)
_KNOWN_SHARE = 0.7  # how much of a word counts as found when only its correction is


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
    grams: float = 0.0  # share of its Chinese, Japanese or Korean n-grams that one of the best three entries has
    bm25: float = 0.0  # of the best passage, over what the question's words could reach


def measure(
    reading: Reading,
    results: Sequence[Result],
    dense: Sequence[tuple[int, float]],
    lexical: Sequence[tuple[int, float]],
    stem: Callable[[str], str],
) -> Signals:
    """The signals of a search from its two rankings, best first, and its ranked results."""
    total = sum(weight for _, weight in reading.terms) or 1.0
    unknown = {stem(w) for w in reading.unknown}
    guessed = {stem(w) for w in reading.corrections.values()}

    def share(present: set[str]) -> float:
        score = 0.0
        for term, weight in reading.terms:
            if term in present:
                score += weight * (_KNOWN_SHARE if term in guessed else 1.0)
        return score / total

    known = {term for term, _ in reading.terms} - unknown
    asked = set(cjk_grams(_ASKING.sub(" ", reading.text)))
    found = noted = grams = 0.0
    for result in results[:3]:
        entry = result.entry
        own = " ".join([*entry.titles, *entry.notes, *(s for p in entry.sections for s in p), entry.url])
        text = " ".join(f"{' '.join(hit.passage.heading)} {hit.passage.text}" for hit in result.hits)
        mine = _stems_of(own, stem)
        read = mine | _stems_of(text, stem)
        noted, found = max(noted, share(mine)), max(found, share(read))
        if asked:
            grams = max(grams, len(asked.intersection(cjk_grams(f"{own} {text}"))) / len(asked))
    cosines = [score for _, score in dense]
    return Signals(
        cosine=cosines[0] if cosines else 0.0,
        margin=cosines[0] - sum(cosines) / len(cosines) if cosines else 0.0,
        known=share(known),
        found=found,
        noted=noted,
        named=any(r.boost > 0 for r in results[:3]),
        terms=sum(word not in STOPWORDS for word in words(reading.text)),
        grams=grams,
        bm25=lexical[0][1] / total if lexical else 0.0,
    )


def _stems_of(text: str, stem: Callable[[str], str]) -> set[str]:
    return {stem(w) for w in {*words(text), *parts(text)}}
