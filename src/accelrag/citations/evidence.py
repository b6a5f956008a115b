"""What a claim may be checked against: the sentences of the passages that were offered, with document offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from accelrag.citations.names import Name, found_in
from accelrag.citations.quantities import Quantity, quantities
from accelrag.citations.words import content_stems, word_set
from accelrag.sentences import sentences, without_mark
from accelrag.types import Coverage, Entry, Passage

__all__ = ["Evidence", "Piece", "Source", "pieces", "plain"]

_LONGEST = 900  # characters of a quote
_RULE = re.compile(r"[\s|:=+*_~-]*")
_HIDDEN = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)


@dataclass(frozen=True)
class Source:
    """An entry as it was offered to the generator under the number ``n``; ``texts`` are its passages as shown."""

    n: int
    entry: Entry
    coverage: Coverage
    passages: tuple[Passage, ...]
    texts: tuple[str, ...] = ()
    about: str = ""  # the document's own title and authors, where they are known

    @cached_property
    def context(self) -> str:
        """What names the entry: titles, labels, notes, sections, addresses."""
        entry = self.entry
        labels = [p.label for p in entry.places if p.label]
        sections = [part for path in entry.sections for part in path]
        return "\n".join([*entry.titles, *labels, *entry.notes, *sections, entry.url, *entry.also, self.about])

    @cached_property
    def title_words(self) -> frozenset[str]:
        """Forms of the names that the entry itself is called by."""
        return word_set("\n".join([*self.entry.titles, self.entry.url, self.about]))

    @cached_property
    def title_stems(self) -> frozenset[str]:
        """Stems of the entry's titles: a text need not repeat what it is about."""
        return frozenset(content_stems(" ".join(self.entry.titles)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Forms of the names that stand anywhere in what was offered."""
        return word_set("\n".join([self.context, *(" ".join(p.heading) + "\n" + p.text for p in self.passages)]))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all words that were offered."""
        return frozenset(content_stems("\n".join([self.context, *(p.text for p in self.passages)])))

    def holds(self, name: Name) -> bool:
        """Whether a name stands anywhere in the source."""
        return found_in(name, self.words, self.stems)


@dataclass(frozen=True)
class Piece:
    """One sentence, or two that follow each other, of a document: ``document[start:end] == text``."""

    document_id: str
    start: int
    end: int
    text: str
    page: int = 0
    heading: str = ""

    @cached_property
    def plain(self) -> str:
        """The text without markup, as it is compared."""
        return plain(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the words that carry content."""
        return frozenset(content_stems(self.plain))

    @cached_property
    def words(self) -> frozenset[str]:
        """Forms of the names that it holds."""
        return word_set(f"{self.heading}\n{self.plain}")

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers that it holds."""
        return tuple(quantities(self.plain))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The piece of a source that supports a claim, and how well: 0 to 1."""

    source: Source
    piece: Piece
    support: float


def pieces(source: Source) -> tuple[list[Piece], list[tuple[int, int]]]:
    """The sentences of a source, and the pairs (by position) that follow each other in one passage."""
    found: list[Piece] = []
    pairs: list[tuple[int, int]] = []
    seen: dict[tuple[str, int, int], int] = {}
    for passage in source.passages:
        previous = -1
        for start, end in _spans(passage):
            text = passage.text[start:end]
            if _RULE.fullmatch(_HIDDEN.sub("", text)):
                continue
            key = (passage.document_id, passage.start + start, passage.start + end)
            if key not in seen:
                seen[key] = len(found)
                heading = " > ".join(passage.heading)
                found.append(Piece(*key, text=text, page=passage.page, heading=heading))
            at = seen[key]
            near = previous >= 0 and key[1] - found[previous].end < 8
            if near and len(text) + len(found[previous].text) < _LONGEST:
                pairs.append((previous, at))
            previous = at
    return found, list(dict.fromkeys(pairs))


def joined(first: Piece, second: Piece, passages: Sequence[Passage]) -> Piece | None:
    """Two neighbours as one piece, cut out of the passage that holds both."""
    for passage in passages:
        inside = passage.document_id == first.document_id and passage.start <= first.start
        if inside and second.end <= passage.end:
            text = passage.text[first.start - passage.start : second.end - passage.start]
            return Piece(first.document_id, first.start, second.end, text, first.page, first.heading)
    return None


def plain(text: str) -> str:
    """Text as it reads: hidden characters, comments, emphasis, link targets and line breaks taken out."""
    text = _HIDDEN.sub(" ", unicodedata.normalize("NFKC", text))
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    text = re.sub(r"!?\[([^\]\[]*)\]\([^()\s]*\)", r"\1", text)
    text = re.sub(r"(?<!\w)(?:\*{1,3}|__)(?=\S)|(?<=\S)(?:\*{1,3}|__)(?!\w)", "", text)
    return re.sub(r"\s+", " ", text.replace("|", " ")).strip()


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
