"""Document -> Passages: slices that follow the text's own structure, with exact offsets.

The piece is a sentence, a table row or a code block; pieces of one heading are packed up to the size that the encoder
reads, so that nothing is cut off silently. What is embedded is heading path and text; what is quoted is text alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from accelrag.text.sentences import sentences
from accelrag.types import Document, Entry, Passage

__all__ = ["CHUNKER", "Sizes", "chunk", "embedding_text", "note_document"]

CHUNKER = "structure-2"  # changes whenever the same document would give other passages
TokenSpans = Callable[[str], list[tuple[int, int]]]

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*$")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Passage sizes in the encoder's tokens. ``limit`` is what the encoder reads, ``target`` what we aim at."""

    limit: int
    target: int = 180
    heading: int = 48  # longest part of the limit that a heading path may take

    @property
    def body(self) -> int:
        """Tokens that a passage's text may have."""
        return max(8, min(self.target, self.limit - self.heading))


def note_document(entry: Entry) -> Document:
    """What the list itself says of an entry: titles, labels, notes and sections, one a line."""
    lines = [*entry.titles, *dict.fromkeys(p.label for p in entry.places if p.label), *entry.notes]
    lines += [" > ".join(path) for path in entry.sections if path]
    return Document(
        id=f"note:{entry.id}",
        entry_id=entry.id,
        text="\n".join(lines),
        coverage="note",
        title=entry.title,
        source=entry.url,
    )


def embedding_text(passage: Passage) -> str:
    """What the encoder sees of a passage."""
    return f"{' > '.join(passage.heading)}\n{passage.text}" if passage.heading else passage.text


def chunk(document: Document, token_spans: TokenSpans, sizes: Sizes, *, first_id: int = 0) -> list[Passage]:
    """Cut a document into passages with ids from ``first_id``.

    Every non-space character of the text is in exactly one passage, and ``embedding_text`` of each has at most
    ``sizes.limit`` tokens.
    """
    if not document.text.strip():
        return []
    root = () if document.id.startswith("note:") or not document.title else (document.title,)
    passages: list[Passage] = []
    for start, end, heading in _packed(document, token_spans, sizes):
        path = _fitting((*root, *heading), token_spans, sizes.heading)
        for a, b in _within(document.text, start, end, path, token_spans, sizes):
            page = bisect_right(document.pages, a) if document.pages else 0
            passages.append(
                Passage(
                    id=first_id + len(passages),
                    document_id=document.id,
                    entry_id=document.entry_id,
                    start=a,
                    end=b,
                    text=document.text[a:b],
                    heading=path,
                    page=page,
                )
            )
    return passages


def _packed(document: Document, token_spans: TokenSpans, sizes: Sizes) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Spans of packed pieces with the heading path at their start."""
    text = document.text
    starts = [a for a, _ in token_spans(text)]
    path: list[tuple[int, str]] = []
    start = end = -1
    heading: tuple[str, ...] = ()
    only_headings = True
    for a, b in sentences(text):
        title = _HEADING.match(text, a, b) if document.markdown else None
        size = bisect_left(starts, b) - bisect_left(starts, start) if start >= 0 else 0
        small = (bisect_left(starts, end) - bisect_left(starts, start)) * 3 < sizes.body
        full = size > sizes.body or (title is not None and not small)
        if start >= 0 and full and not only_headings:
            yield start, end, heading
            start = -1
        if title is not None:
            level = len(title[1])
            path = [(depth, name) for depth, name in path if depth < level]
            path.append((level, _plain(title[2])))
        if start < 0:
            start, only_headings = a, True
            heading = tuple(name for _, name in path)
        elif only_headings:
            heading = tuple(name for _, name in path)
        end = b
        only_headings = only_headings and title is not None
    if start >= 0:
        yield start, end, heading


def _within(
    text: str, start: int, end: int, path: tuple[str, ...], token_spans: TokenSpans, sizes: Sizes
) -> Iterator[tuple[int, int]]:
    """The span itself, or its cuts at lines, else at words, else at characters, so that each fits the encoder."""
    prefix = f"{' > '.join(path)}\n" if path else ""

    def fits(a: int, b: int) -> bool:
        return len(token_spans(prefix + text[a:b])) <= sizes.limit

    pending = [(start, end)]
    while pending:
        a, b = pending.pop()
        while a < b and text[a].isspace():
            a += 1
        while a < b and text[b - 1].isspace():
            b -= 1
        if a == b:
            continue
        if fits(a, b) or b - a == 1:
            yield a, b
            continue
        cut = _cut(text, a, b)
        pending += [(cut, b), (a, cut)]


def _cut(text: str, a: int, b: int) -> int:
    middle = (a + b) // 2
    for pattern in ("\n", " "):
        left, right = text.rfind(pattern, a + 1, middle), text.find(pattern, middle, b - 1)
        near = [at + 1 for at in (left, right) if a < at + 1 < b]
        if near:
            return min(near, key=lambda at: abs(at - middle))
    return middle


def _fitting(path: tuple[str, ...], token_spans: TokenSpans, limit: int) -> tuple[str, ...]:
    """The path without its middle parts, then cut at words, so that it takes at most ``limit`` tokens."""
    while len(path) > 1 and len(token_spans(" > ".join(path))) > limit:
        path = (*path[:1], *path[2:])
    if not path:
        return ()
    title = path[0]
    spans = token_spans(title)
    if len(spans) > limit:
        title = title[: spans[limit - 1][1]]
        while title and len(token_spans(title)) > limit:
            title = title[: len(title) // 2]
    return (title, *path[1:]) if title else ()


def _plain(heading: str) -> str:
    without_links = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[*_`]+|<[^>]*>", "", without_links).strip() or heading.strip()
