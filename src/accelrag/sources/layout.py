"""Lines on pages -> paragraphs in reading order: what a person would read aloud, one thought at a time.

What a PDF holds is lines with a place and a type size. From these alone follows what is a running head (it comes
again at the same height), a heading (larger or bolder than most of the text), a caption, a note in small type, and
which paragraph goes on behind a figure or on the next page. References are counted, not kept: they are no sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from accelrag.sources.flowing import CJK, SENTENCE_END, Kind, Laid, Paragraph, flow, join_lines

__all__ = ["Line", "LineBlock", "Sheet", "lay_out"]

_MARGIN = 0.09  # of a page's height: where running heads and page numbers are
_REPEATED = 0.3  # of the pages: a line that comes so often at the same height is a running head
_LARGER = 0.7  # points by which type differs from the text's for a person to see it
_GAP = 1.7  # line heights between two lines that are not of one paragraph
_HEADING_WORDS = 16
_CAPTION = re.compile(r"(?:fig(?:ure|\.)?|table|tab\.|algorithm|listing|scheme|図|表|图)\s*\d+(?:[.:|]|\s|$)", re.I)
_NUMBER = re.compile(r"\W*(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*", re.I)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text with its box in points, from the top left, and the size of its type."""

    text: str
    x0: float = 0.0
    y0: float = 0.0
    x1: float = 0.0
    y1: float = 0.0
    size: float = 10.0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines that the file draws together; ``turned`` where they do not run from left to right."""

    lines: tuple[Line, ...]
    turned: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 in points."""
        xs, ys = [line.x0 for line in self.lines], [line.y0 for line in self.lines]
        return min(xs), min(ys), max(line.x1 for line in self.lines), max(line.y1 for line in self.lines)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its blocks in the file's order and its height in points."""

    blocks: tuple[LineBlock, ...]
    height: float = 800.0


def lay_out(sheets: Sequence[Sheet]) -> Laid:
    """The text of the pages as paragraphs.

    The letters of every line are kept but those of running heads, page numbers and references; a hyphen at a line's
    end goes where the document writes the joined word elsewhere, or nowhere writes the hyphenated one.
    """
    running = _running(sheets)
    body = _body_style(sheets)
    words = Counter(
        w.lower() for s in sheets for b in s.blocks for n in b.lines for w in re.findall(r"[\w-]+", n.text)
    )
    paragraphs: list[Paragraph] = []
    for number, sheet in enumerate(sheets):
        kept = [_without(block, sheet, running) for block in sheet.blocks]
        for block in _reading_order([block for block in kept if block.lines]):
            paragraphs += _paragraphs(block, number, body, words)
    return flow(paragraphs, len(sheets), words)


def _margin(line: Line, sheet: Sheet) -> bool:
    return line.y1 < _MARGIN * sheet.height or line.y0 > (1 - _MARGIN) * sheet.height


def _shape(line: Line) -> tuple[str, int]:
    """What a running head has in common over the pages: its words without numbers, and its height."""
    return re.sub(r"\d+|\b[ivxlc]+\b", "#", line.text.strip().lower()), round(line.y0 / 6)


def _running(sheets: Sequence[Sheet]) -> set[tuple[str, int]]:
    seen = Counter(
        shape
        for sheet in sheets
        for shape in {_shape(n) for b in sheet.blocks for n in b.lines if not b.turned and _margin(n, sheet)}
    )
    least = max(2.0, _REPEATED * len(sheets))
    return {shape for shape, count in seen.items() if count >= least}


def _without(block: LineBlock, sheet: Sheet, running: set[tuple[str, int]]) -> LineBlock:
    """The block without running heads and page numbers."""

    def drops(line: Line) -> bool:
        return _margin(line, sheet) and (_shape(line) in running or bool(_NUMBER.fullmatch(line.text.strip())))

    kept = (line for line in block.lines if line.text.strip())
    return replace(block, lines=tuple(line for line in kept if block.turned or not drops(line)))


def _body_style(sheets: Sequence[Sheet]) -> tuple[float, bool]:
    """Size and weight that most letters have."""
    letters: Counter[tuple[float, bool]] = Counter()
    for sheet in sheets:
        for block in sheet.blocks:
            for line in block.lines:
                letters[round(line.size, 1), line.bold] += len(line.text)
    return letters.most_common(1)[0][0] if letters else (10.0, False)


def _reading_order(blocks: Sequence[LineBlock]) -> list[LineBlock]:
    """The file's order, but a block drawn late goes before the blocks of its column that lie below it."""
    ordered: list[LineBlock] = []
    for block in blocks:
        x0, _, x1, bottom = block.box
        at = len(ordered)
        while at and not block.turned and not ordered[at - 1].turned:
            left, top, right, _ = ordered[at - 1].box
            narrower = max(1.0, min(x1 - x0, right - left))
            if top < bottom - 2 or min(x1, right) - max(x0, left) < 0.5 * narrower:
                break
            at -= 1
        ordered.insert(at, block)
    return ordered


def _paragraphs(block: LineBlock, page: int, body: tuple[float, bool], words: Counter[str]) -> Iterator[Paragraph]:
    """A block cut where its lines change from heading to text, stand far apart or begin a new indented paragraph."""
    caption = bool(_CAPTION.match(block.lines[0].text.strip()))
    part = [block.lines[0]]
    for before, line in pairwise(block.lines):
        if not block.turned and not caption and _breaks(before, line, block, body):
            yield _paragraph(part, page, body, words)
            part = []
        part.append(line)
    made = _paragraph(part, page, body, words)
    yield replace(made, kind="caption") if caption else made


def _breaks(before: Line, line: Line, block: LineBlock, body: tuple[float, bool]) -> bool:
    if _looks_heading(before, body) != _looks_heading(line, body):
        return True
    height = max(1.0, before.y1 - before.y0)
    if line.y0 - before.y0 > _GAP * height:
        return True
    indented = line.x0 - block.box[0] > 0.8 * line.size and before.x0 - block.box[0] < 0.5 * line.size
    return indented and bool(SENTENCE_END.search(before.text.rstrip()))


def _looks_heading(line: Line, body: tuple[float, bool]) -> bool:
    larger = line.size > body[0] + _LARGER
    bolder = line.bold and not body[1] and line.size > body[0] - _LARGER
    text = line.text.strip()
    return (larger or bolder) and len(text.split()) <= _HEADING_WORDS and bool(re.search(r"[^\W\d_]{2}", text))


def _paragraph(lines: Sequence[Line], page: int, body: tuple[float, bool], words: Counter[str]) -> Paragraph:
    text = ""
    for line in lines:
        text = join_lines(text, line.text.strip(), words)
    style = round(lines[0].size, 1), lines[0].bold
    heading = all(_looks_heading(line, body) for line in lines) and len(text.split()) <= 2 * _HEADING_WORDS
    kind: Kind = "body"
    if heading and not (len(lines) > 1 and text.endswith(".") and len(text.split()) > _HEADING_WORDS):
        kind = "heading"
    elif _is_formula(text):
        kind = "formula"
    elif lines[0].size < body[0] - _LARGER:
        kind = "small"
    return Paragraph(kind, [(page, text)], style)


def _is_formula(text: str) -> bool:
    """Whether fewer than four letters in ten belong to words; CJK writes without spaces and is text."""
    solid = re.sub(r"\s", "", text)
    in_words = sum(len(w) for w in re.findall(r"[^\W\d_]{3,}", text)) + len(CJK.findall(text))
    return bool(solid) and in_words < 0.4 * len(solid)
