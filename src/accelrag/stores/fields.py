"""A passage and its entry -> the terms of each lexical field: what every store indexes, whatever engine it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from accelrag.text.words import cjk_grams, identifiers, parts, words
from accelrag.types import Entry, Passage

__all__ = ["FIELDS", "LISTED", "STEMMED", "Stemmer", "analyzer", "sections_of", "terms_of"]

FIELDS: Mapping[str, float] = {
    "title": 1.6,
    "note": 1.2,
    "section": 0.5,
    "heading": 0.5,
    "text": 1.0,
    "url": 0.6,
    "parts": 0.7,
    "exact": 1.5,
    "grams": 1.0,
    "own": 1.0,  # the sections of a note passage, whole
}
STEMMED = ("title", "note", "section", "heading", "text", "parts", "url")
LISTED = ("exact", "grams", "own")
_LONGEST = 60  # bytes of a term
_STEMS = 50_000  # words whose stem is remembered


def terms_of(passage: Passage, entry: Entry) -> dict[str, list[str]]:
    """``field -> its words``, folded, in order, not stemmed yet; a field that is not named has none."""
    found: dict[str, list[str]] = {}
    if passage.is_note and passage.start:  # what follows of a note that was too long for one passage
        found["note"] = words(passage.text)
        spoken = passage.text
        names = set(identifiers(spoken))
    elif passage.is_note:
        found["own"] = sections_of(entry)
        titles, notes = " ".join(entry.titles), " ".join(entry.notes)
        labels = " ".join(p.label for p in entry.places)
        found["title"] = words(titles)
        found["note"] = words(f"{notes} {labels}")
        found["section"] = words(" ".join(s for path in entry.sections for s in path))
        found["url"] = words(re.sub(r"^\w+://(www\.)?|[/_.?=&#%-]+", " ", entry.url))
        spoken = f"{titles} {notes} {labels}"
        names = {*identifiers(spoken), *identifiers(entry.key), *_url_identifiers(entry.key)}
    else:
        found["heading"] = words(" ".join(passage.heading))
        found["text"] = words(passage.text)
        spoken = f"{' '.join(passage.heading)} {passage.text}"
        names = set(identifiers(spoken))
    found["parts"] = list(parts(spoken))
    found["exact"] = sorted(names)
    found["grams"] = sorted(cjk_grams(spoken))
    return found


def sections_of(entry: Entry) -> list[str]:
    """The case-folded names of all sections that an entry is in, at any depth."""
    return sorted({section.casefold() for path in entry.sections for section in path})


@lru_cache(maxsize=1)
def analyzer() -> Any:
    """Words of a stemmed field: split at spaces, long ones dropped, Snowball's English stems."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    return builder.filter(Filter.remove_long(_LONGEST)).filter(Filter.stemmer("english")).build()


class Stemmer:
    """The stem of a word, remembered: most words of a question, and of a corpus, were seen before."""

    def __init__(self) -> None:
        self._analyzer = analyzer()
        self._stems: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        known = self._stems.get(word)
        if known is None:
            if len(self._stems) >= _STEMS:
                self._stems.clear()
            tokens = self._analyzer.analyze(word)
            known = self._stems[word] = str(tokens[0]) if tokens else ""
        return known


def _url_identifiers(key: str) -> Sequence[str]:
    path = re.sub(r"^\w+://", "", key)
    tail = path.split("/")
    found = [path]
    if tail[0] == "github.com" and len(tail) >= 3:
        found.append("/".join(tail[1:3]).lower())
    if tail[0] == "arxiv.org" and len(tail) >= 3:
        found.append("/".join(tail[2:]).lower())
    if tail[0] == "doi.org" and len(tail) >= 3:
        found.append("/".join(tail[1:]).lower())
    return found
