"""An answer without a language model: the resource first, then the sentences of its text that answer, as quotes.

Sentences are chosen by the question's words, weighted by rarity, and by the encoder's similarity; a question that
asks for a figure prefers sentences that hold one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelrag.text.plaintext import plain_text
from accelrag.text.sentences import sentences, without_mark
from accelrag.text.words import words
from accelrag.types import Passage, Result

__all__ = ["Excerpt", "extract"]

_CANDIDATES = 8  # sentences an entry that are encoded
_MORE = 3  # entries named after the first
_NEAR = 0.62  # how near to the first's score an entry must be to be named too
_RIVAL = 0.8  # how near the second entry must be for its text to be quoted too
_FIGURE = re.compile(
    r"\bhow (?:much|many|big|large|fast|long|often|small|deep|high|low|far)\b"
    r"|\b(?:what|which) (?:speed|size|share|factor|accuracy|score|error|bleu)"
    r"|\b(?:speed-?up|percent|ratio|factor|number of|throughput|latency|bits?)\b",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b(?:which|what) (?:papers|entries|resources|books|courses|tools|repositories|projects|libraries|simulators)\b"
    r"|\b(?:list|name|all|compare|comparison|versus|vs\.?|difference between|papers|books|courses|resources on)\b",
    re.IGNORECASE,
)
_NO_PROSE = re.compile(r"^\s*(?:```|~~~|\||\$ |>>> |import |from \w+ import |pip |git |https?://\S+$)")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sentence of the answer and the slice of a document behind it: ``document[start:end] == quote``."""

    text: str
    result: Result
    passage: Passage
    start: int
    end: int
    quote: str
    lead: str = ""


def extract(  # noqa: PLR0913 - what one answer is made of, each by its name
    question: str,
    results: Sequence[Result],
    vector: NDArray[np.float32],
    encode: Callable[[Sequence[str]], NDArray[np.float32]],
    weights: Mapping[str, float],
    stem: Callable[[str], str],
    *,
    note_of: Callable[[str], Passage],
    asked_for: int = 0,
) -> Iterator[Excerpt]:
    """Sentences that answer, in a readable order.

    ``results`` are ranked; ``vector`` is the question's, shape (dimension,); ``encode`` gives unit rows; ``weights``
    are the rarities of the question's stems; ``note_of`` gives an entry's own passage by its id. ``asked_for`` is how
    many of the first results must each be named, as in a comparison.
    """
    if not results:
        return
    many = bool(_MANY.search(question))
    threshold = results[0].score * (_NEAR * 0.85 if many else _NEAR)
    limit = max(asked_for, 1 + _MORE + many * 4)
    chosen = [
        r
        for i, r in enumerate(results[:limit])
        if i < max(1, asked_for) or r.score >= threshold or (many and r.boost > 0)
    ]
    for position, result in enumerate(chosen):
        first = position < max(1, asked_for)
        yield _naming(result, note_of(result.entry.id), "" if position == 0 else "\n\n" if first else "\n- ")
        rival = position == 1 and result.score >= _RIVAL * results[0].score
        if first or rival or many:
            best = _best_sentences(question, result, vector, encode, weights, stem, 2 if position == 0 else 1)
            for passage, start, end in best:
                quote = passage.text[start - passage.start : end - passage.start]
                shown = f"“{plain_text(quote)}”"
                yield Excerpt(shown, result, passage, start, end, quote, "\n" if first else "\n  ")


def _naming(result: Result, note: Passage, lead: str) -> Excerpt:
    """The entry by its title with the curator's words; the quote is those words where the note holds them."""
    entry = result.entry
    said = entry.notes[0] if entry.notes else ""
    quote = said or entry.title
    at = note.text.find(quote)
    if at < 0:  # a very long note is cut into passages: quote what the first of them holds
        quote, at = note.text.split("\n", 1)[0], 0
        said = ""
    label = next((p.label for p in entry.places if p.label), "")
    name = f"{label}: {entry.title}" if label else entry.title
    text = f"{name} — {said}" if said else f"{name}, in {' > '.join(entry.sections[0]) or 'the list'}."
    start = note.start + at
    return Excerpt(plain_text(text), result, note, start, start + len(quote), quote, lead)


def _best_sentences(  # noqa: PLR0913 - what one answer is made of, each by its name
    question: str,
    result: Result,
    vector: NDArray[np.float32],
    encode: Callable[[Sequence[str]], NDArray[np.float32]],
    weights: Mapping[str, float],
    stem: Callable[[str], str],
    count: int,
) -> list[tuple[Passage, int, int]]:
    total = sum(weights.values()) or 1.0
    figure = bool(_FIGURE.search(question))
    rows: list[tuple[float, str, Passage, int, int]] = []
    for hit in result.hits:
        if hit.passage.is_note:
            continue
        for start, end, shown in _prose(hit.passage):
            stems = {stem(w) for w in words(shown)}
            overlap = sum(weight for term, weight in weights.items() if term in stems) / total
            digits = 0.25 if figure and re.search(r"\d", shown) else 0.0
            rows.append((overlap + digits + 0.1 * hit.score, shown, hit.passage, start, end))
    rows.sort(key=lambda row: (-row[0], row[2].id, row[3]))
    rows = rows[:_CANDIDATES]
    if not rows:
        return []
    cosines = encode([row[1] for row in rows]) @ vector
    scored = sorted(
        ((float(c) + 0.5 * row[0], row) for c, row in zip(cosines, rows, strict=True)),
        key=lambda item: (-item[0], item[1][2].id, item[1][3]),
    )
    best = [row for score, row in scored[:count] if score >= 0.75 * scored[0][0] and score > 0.3]
    best.sort(key=lambda row: (row[2].id, row[3]))
    return [(passage, start, end) for _, _, passage, start, end in best]


def _prose(passage: Passage) -> Iterator[tuple[int, int, str]]:
    for a, b in sentences(passage.text):
        a, b = without_mark(passage.text, a, b)
        raw = passage.text[a:b]
        shown = plain_text(raw)
        if 30 <= len(shown) <= 700 and shown.count(" ") >= 4 and not _NO_PROSE.match(raw):
            yield passage.start + a, passage.start + b, shown
