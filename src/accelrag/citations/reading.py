"""A source as the verifier reads it: its sentences with document offsets, their words, names and numbers."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property

from accelrag.citations.evidence import OfferedSource, Piece
from accelrag.citations.names import Name, found_in
from accelrag.citations.quantities import Quantity, quantities
from accelrag.citations.words import content_stems, word_set
from accelrag.text.plaintext import plain_text
from accelrag.text.sentences import sentences, without_mark
from accelrag.types import Passage

__all__ = ["Fragment", "Reading", "plain"]

_LONGEST = 900  # characters of a quote
_RULE = re.compile(r"[\s|:=+*_~-]*")
# Words to a language model, or about our own numbers: they are shown as what a page says, never used as evidence.
_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override)s? (?:all |any |the |your )*"
    r"(?:previous|prior|above|earlier|instructions|rules|sources)|"
    r"^\W*(?:system|assistant|user)\W*:|<\|\w+\|>|\[/?INST\]|[\"']role[\"']\s*:|\bsystem prompt\b|"
    r"\b(?:source|document|passage) \d+ (?:says|states|is)|\baccording to (?:source|document|passage) \d|"
    r"\b(?:to|for) the (?:language model|assistant|llm)\b|"
    r"\byou are now\b|\bfrom now on\b|\bthe rules have changed\b|\bmust cite\b",
    re.IGNORECASE,
)
_GAP = 8  # characters between sentences that follow each other


class Fragment:
    """A piece and what it says. ``parts`` are the single sentences that it is made of."""

    def __init__(self, piece: Piece, parts: tuple[Fragment, ...] = ()) -> None:
        self.piece = piece
        self.parts = parts or (self,)

    @cached_property
    def plain(self) -> str:
        """The text without markup, as it is compared."""
        return plain(self.piece.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the words that carry content."""
        return frozenset(content_stems(self.plain))

    @cached_property
    def words(self) -> frozenset[str]:
        """Forms of the names that it holds."""
        return word_set(f"{self.piece.heading}\n{self.plain}")

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers that it holds."""
        return tuple(quantities(self.plain))


class Reading:
    """A source, cut into sentences once."""

    def __init__(self, source: OfferedSource) -> None:
        self.source = source
        self.singles, self._pairs = _fragments(source)

    @cached_property
    def context(self) -> str:
        """What names the entry: titles, labels, notes, sections, addresses."""
        entry = self.source.entry
        labels = [p.label for p in entry.places if p.label]
        sections = [part for path in entry.sections for part in path]
        return "\n".join([*entry.titles, *labels, *entry.notes, *sections, entry.url, *entry.also, self.source.about])

    @cached_property
    def title_words(self) -> frozenset[str]:
        """Forms of the names that the entry itself is called by."""
        return word_set("\n".join([*self.source.entry.titles, self.source.entry.url, self.source.about]))

    @cached_property
    def title_stems(self) -> frozenset[str]:
        """Stems of the entry's titles: a text need not repeat what it is about."""
        return frozenset(content_stems(" ".join(self.source.entry.titles)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Forms of the names that stand anywhere in what was offered."""
        texts = (f"{' '.join(p.heading)}\n{p.text}" for p in self.source.passages)
        return word_set("\n".join([self.context, *texts]))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all words that were offered."""
        return frozenset(content_stems("\n".join([self.context, *(p.text for p in self.source.passages)])))

    def holds(self, name: Name) -> bool:
        """Whether a name stands anywhere in the source."""
        return found_in(name, self.words, self.stems)

    def nearest(self, stems: frozenset[str], count: int) -> list[Fragment]:
        """The sentences with most of these words, then those among them that follow each other as one."""
        order = sorted(range(len(self.singles)), key=lambda i: (-len(stems & self.singles[i].stems), i))[:count]
        first = set(order[:4])
        doubles = (self._joined(a, b) for a, b in self._pairs if a in first or b in first)
        return [*(self.singles[i] for i in order), *(d for d in doubles if d)]

    def beside(self, fragment: Fragment) -> list[Fragment]:
        """The sentences next to a fragment."""
        piece = fragment.piece
        here = [f for f in self.singles if f.piece.document_id == piece.document_id]
        return [f for f in here if 0 <= piece.start - f.piece.end < _GAP or 0 <= f.piece.start - piece.end < _GAP]

    def _joined(self, a: int, b: int) -> Fragment | None:
        """Two neighbours as one piece, cut out of the passage that holds both."""
        first, second = self.singles[a].piece, self.singles[b].piece
        for passage in self.source.passages:
            inside = passage.document_id == first.document_id and passage.start <= first.start
            if inside and second.end <= passage.end:
                text = passage.text[first.start - passage.start : second.end - passage.start]
                piece = Piece(first.document_id, first.start, second.end, text, first.page, first.heading)
                return Fragment(piece, (self.singles[a], self.singles[b]))
        return None


def plain(text: str) -> str:
    """Text as it reads, in one form of each character."""
    return unicodedata.normalize("NFKC", plain_text(text))


def _fragments(source: OfferedSource) -> tuple[list[Fragment], list[tuple[int, int]]]:
    """The sentences of a source, and the pairs (by position) that follow each other in one passage."""
    found: list[Fragment] = []
    pairs: dict[tuple[int, int], None] = {}
    seen: dict[tuple[str, int, int], int] = {}
    for passage in source.passages:
        previous = -1
        for start, end in _spans(passage):
            text = passage.text[start:end]
            shown = plain_text(text)
            if _RULE.fullmatch(shown) or _TO_A_MODEL.search(shown):
                previous = -1
                continue
            key = (passage.document_id, passage.start + start, passage.start + end)
            if key not in seen:
                seen[key] = len(found)
                heading = " > ".join(passage.heading)
                found.append(Fragment(Piece(*key, text=text, page=passage.page, heading=heading)))
            at = seen[key]
            if previous >= 0:
                before = found[previous].piece
                if key[1] - before.end < _GAP and len(text) + len(before.text) < _LONGEST:
                    pairs[previous, at] = None
            previous = at
    return found, list(pairs)


def _spans(passage: Passage) -> list[tuple[int, int]]:
    if passage.is_note:  # one thing a line: title, label, note, section
        spans, position = [], 0
        for line in passage.text.split("\n"):
            spans += [(position + a, position + b) for a, b in sentences(line)]
            position += len(line) + 1
    else:
        spans = sentences(passage.text)
    cut: list[tuple[int, int]] = []
    for start, end in spans:
        start, end = without_mark(passage.text, start, end)
        while end - start > _LONGEST:
            space = max(
                passage.text.rfind(" ", start, start + _LONGEST), passage.text.rfind("\n", start, start + _LONGEST)
            )
            stop = space if space > start else start + _LONGEST
            cut.append((start, stop))
            start = stop
            while start < end and passage.text[start].isspace():
                start += 1
        if start < end:
            cut.append((start, end))
    return cut
