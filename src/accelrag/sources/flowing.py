"""Paragraphs of pages -> one text: headings whole, references apart, sentences going on over figures and pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

__all__ = ["CJK", "SENTENCE_END", "Kind", "Laid", "Paragraph", "flow", "join_lines"]

Kind = Literal["body", "heading", "caption", "small", "formula", "reference"]

SENTENCE_END = re.compile(r"[.!?:;。！？…][\"'”’)\]]*(?:\d{1,3})?$")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_BETWEEN = "\n\n"
_LONGEST_WORD = 64  # characters before a hyphen that are looked at: a page may hold half a million without a space
_ITEM = re.compile(r"(?:[•●▪◦❖➢–*-]|\(?\d{1,2}[.)]|\[\d+\]) ")
_REFERENCES = re.compile(
    r"(?:\d+\.?\s+|[IVX]+\.\s+)?(?:references|bibliography|literature cited|参考文献|文献)\W*", re.I
)
_NUMBERED = re.compile(r"(?:[A-Z]|\d{1,2})(?:\.\d{1,2}){0,3}\.?\s+[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Laid:
    """``paragraphs`` joined by blank lines in ``text``; ``pages`` holds the offset at which each page starts."""

    text: str
    pages: tuple[int, ...]
    references: int = 0


@dataclass(slots=True)
class Paragraph:
    """Text with the page of each of its pieces, from 0; ``style`` is the size and weight of its first line."""

    kind: Kind
    pieces: list[tuple[int, str]] = field(default_factory=list)
    style: tuple[float, bool] = (0.0, False)

    @property
    def page(self) -> int:
        """The page on which it begins."""
        return self.pieces[0][0]

    @property
    def last(self) -> str:
        """Its text as far as it has come, on its last page."""
        return self.pieces[-1][1]


def flow(paragraphs: Iterable[Paragraph], pages: int, words: Counter[str]) -> Laid:
    """The text of ``pages`` pages. ``words`` counts the document's own, for hyphens at a page's end."""
    referred = _apart_references(_gathered(paragraphs))
    return _composed(list(_continued(referred)), pages, words)


def join_lines(text: str, line: str, words: Counter[str]) -> str:
    """``text`` with its next line.

    A hyphen at the end goes where ``words`` holds the joined word, or does not hold the hyphenated one.
    """
    if not text or not line:
        return text or line
    if _ITEM.match(line):
        return f"{text}\n{line}"
    if CJK.match(text[-1]) and CJK.match(line):
        return text + line
    broken = re.search(r"([\w-]*[^\W\d_])-$", text[-_LONGEST_WORD:])
    rest = re.match(r"[^\W\d_]+[\w-]*", line)
    if broken and rest and line[0].islower():
        whole, parted = f"{broken[1]}{rest[0]}".lower(), f"{broken[1]}-{rest[0]}".lower()
        return text + line if words[parted] and not words[whole] else text[:-1] + line
    return f"{text} {line}"


def _gathered(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """A heading of several lines is one, and so are the pieces that a formula is drawn in."""
    gathered: list[Paragraph] = []
    for paragraph in paragraphs:
        last = gathered[-1] if gathered else None
        same = last is not None and last.kind == paragraph.kind and last.page == paragraph.page
        heading = same and last is not None and last.style == paragraph.style and not _NUMBERED.match(paragraph.last)
        if last is not None and same and (paragraph.kind == "formula" or (paragraph.kind == "heading" and heading)):
            gathered[-1] = replace(last, pieces=[(last.page, f"{last.last} {paragraph.last}")])
        else:
            gathered.append(paragraph)
    return gathered


def _apart_references(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """What follows the heading 'References', up to the next heading of its style, is a reference."""
    marked: list[Paragraph] = []
    style: tuple[float, bool] | None = None
    for paragraph in paragraphs:
        text = paragraph.last
        titled = _REFERENCES.fullmatch(text) and (paragraph.kind == "heading" or text.isupper() or text[0].isupper())
        if titled:
            style = paragraph.style
        elif style is not None and _ends_references(paragraph, style):
            style = None
        marked.append(paragraph if style is None else replace(paragraph, kind="reference"))
    return marked


def _ends_references(paragraph: Paragraph, style: tuple[float, bool]) -> bool:
    numbered = _NUMBERED.match(paragraph.last) or paragraph.last.lower().startswith("appendi")
    return paragraph.kind == "heading" and (paragraph.style == style or bool(numbered))


def _continued(paragraphs: Sequence[Paragraph]) -> Iterator[Paragraph]:  # noqa: C901 - one sign of a paragraph that goes on a branch
    """Paragraphs of which those that go on behind a figure, a note or a page's end are one.

    Captions and notes of the page on which such a paragraph begins come before it, those of later pages after it, so
    that the offsets of pages only grow.
    """
    opened: Paragraph | None = None
    after: list[Paragraph] = []
    for paragraph in paragraphs:
        if opened is not None and paragraph.kind in {"caption", "small", "formula"}:
            if paragraph.page == opened.page and len(opened.pieces) == 1:
                yield paragraph
            else:
                after.append(paragraph)
            continue
        if opened is not None and paragraph.kind == "body" and _goes_on(opened.last, paragraph.last):
            opened.pieces += paragraph.pieces
            if SENTENCE_END.search(opened.last):
                yield from (opened, *after)
                opened, after = None, []
            continue
        if opened is not None:
            yield from (opened, *after)
            opened, after = None, []
        if paragraph.kind == "body" and not SENTENCE_END.search(paragraph.last):
            opened = paragraph
        else:
            yield paragraph
    if opened is not None:
        yield from (opened, *after)


def _goes_on(before: str, text: str) -> bool:
    if SENTENCE_END.search(before) or _ITEM.match(text) or len(before.split()) < 4:
        return False
    return text[0].islower() or text[0].isdigit() or before.endswith((",", "-"))


def _composed(paragraphs: Sequence[Paragraph], count: int, words: Counter[str]) -> Laid:
    texts: list[str] = []
    starts: dict[int, int] = {}
    references = length = 0
    for paragraph in paragraphs:
        if paragraph.kind == "reference":
            references += 1
            continue
        text = ""
        for page, piece in paragraph.pieces:
            text = join_lines(text, piece, words)
            starts.setdefault(page, length + len(text) - len(piece))
        texts.append(text)
        length += len(text) + len(_BETWEEN)
    whole = _BETWEEN.join(texts)
    offsets = [len(whole)] * count
    for page in reversed(range(count)):  # a page without text starts where the next one does
        offsets[page] = min(starts.get(page, len(whole)), *offsets[page + 1 : page + 2], len(whole))
    return Laid(whole, tuple(offsets), references)
