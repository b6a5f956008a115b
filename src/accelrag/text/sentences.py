"""Sentences of a text as spans: prose, Markdown and CJK, by rule, in linear time.

It does not parse Markdown or know a language: it knows where a line starts something new (heading, list item, table
row, code fence, blank line) and where a full stop ends a sentence rather than an abbreviation, a decimal or a name.
A lone line break inside a paragraph is white space, because abstracts and READMEs are hard-wrapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["blocks", "sentence_end", "sentences", "without_mark"]

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_MARK = re.compile(
    r"[ \t]*(?:>[ \t]?)*[ \t]*(?:#{1,6}[ \t]+|(?:[-*+•‣·][ \t]+|\d{1,3}[.)][ \t]+)(?:\[[ xX]\][ \t]+)?)"
)
_HEADING = re.compile(r"[ \t]*(?:>[ \t]?)*#{1,6}(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+•‣·]|\d{1,3}[.)])[ \t]+\S")
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*(?:=+|(?:-[ \t]*){2,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})[ \t]*$")

_STOPS = ".!?…"
_CJK_STOPS = "。！？｡．"
_STOP = re.compile(r"[.!?…]+|[。！？｡．]+|`")
_CLOSERS = re.compile(r"[)\]}\"'”’»*_〉》」』】）］]*")
_OPENERS = "([{\"'“‘«*_<「『（【`"
_MARKER = re.compile(r"(?:[ \t]?[\[【]\^?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*[\]】])+(?=\s|$|[\[【])")
_GROUP = "[【("
_GROUP_END = re.compile(r"[\]】)]")
_LOOKAHEAD = 48


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What stands before the full stop: never an end; an end before a word that starts sentences; no end before digits.
_NEVER = _words(
    "e.g i.e eg ie vs cf fig figs eq eqs sec secs tab dr mr mrs ms prof viz resp approx vol vols pp ca ver st "
    "alg thm lem def prop app appx chap"
)
_BEFORE_STARTER = _words("al inc ltd corp co jr sr u.s u.k e.u u.s.a ph.d m.sc b.sc dept univ dec jan feb")
_BEFORE_NUMBER = _words("no nr p ch art")
_STARTERS = _words(
    "the this these those it its in we our a an however they their that there for but and with to each such he she "
    "as at by on when while if thus here both unlike using compared furthermore moreover additionally also then "
    "although finally results experiments one two you your based all many most some since because what how why "
    "which who therefore instead yet so"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans ``(start, end)`` of the sentences, in order, not overlapping, holding every non-space character.

    Offsets are code points. Spans are stripped of white space but keep heading and list marks: ``without_mark`` gives
    the span without them. A code fence and a table row are one span each.
    """
    found = []
    for start, end in blocks(text):
        if _FENCE.match(text, start) or _ROW.match(text, start):
            found.append((start, end))
            continue
        mark = _MARK.match(text, start, end)
        body = mark.end() if mark else start
        position = start
        while position < end:
            cut = sentence_end(text, max(position, body), end)
            assert cut is not None
            found.append((position, cut))
            position = cut
            while position < end and text[position].isspace():
                position += 1
    return found


def without_mark(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the heading, quote or list mark that it starts with; unchanged where nothing would be left."""
    mark = _MARK.match(text, start, end)
    return (mark.end(), end) if mark and mark.end() < end else (start, end)


def blocks(text: str) -> Iterator[tuple[int, int]]:  # noqa: C901 - one pass over the lines, one rule a branch
    """The spans of paragraphs, headings, list items, table rows and code fences, stripped of white space."""
    start = end = -1
    fence = ""
    alone = quoted = False
    position = 0
    while position < len(text):
        newline = text.find("\n", position)
        stop = len(text) if newline < 0 else newline
        first, last = _stripped(text, position, stop)
        line_start = position
        position = stop + 1
        if fence:
            if first < last:
                end = last
            opened = _FENCE.match(text, line_start, stop)
            if opened and opened[1][0] == fence[0] and len(opened[1]) >= len(fence) and opened.end() >= last:
                yield start, end
                start, fence = -1, ""
            continue
        opened = _FENCE.match(text, line_start, stop)
        quote = text.startswith(">", first)
        single = bool(
            first < last
            and (
                _HEADING.match(text, line_start, stop)
                or _ROW.match(text, line_start, stop)
                or _RULE.match(text, line_start, stop)
            )
        )
        new = first >= last or opened or single or alone or quote != quoted or _ITEM.match(text, line_start, stop)
        if new and start >= 0:
            # A list item may be continued by an unmarked line after a quoted one; any other change starts afresh.
            yield start, end
            start = -1
        if first >= last:
            alone = quoted = False
            continue
        if start < 0:
            start = first
        end = last
        alone, quoted = single, quote
        if opened:
            fence, alone, quoted = opened[1], False, False
    if start >= 0:
        yield start, end


def sentence_end(  # noqa: C901 - one scan, one rule a branch; calls would cost each character of a corpus
    text: str, start: int, stop: int, *, final: bool = True, marker: re.Pattern[str] = _MARKER
) -> int | None:
    """Where the sentence that starts at ``start`` ends, looking no further than ``stop``.

    Source markers after the full stop belong to the sentence before them. With ``final=False`` the text may go on
    after ``stop``: None then means that what is there does not decide it yet.
    """
    position = start
    while True:
        found = _STOP.search(text, position, stop)
        if not found:
            return _rstripped(text, start, stop) if final else None
        if found[0] == "`":
            ticks = found.end()
            while ticks < stop and text[ticks] == "`":
                ticks += 1
            if ticks == stop and not final:
                return None
            closing = text.find(text[found.start() : ticks], ticks, stop)
            if closing < 0 and not final:
                return None
            position = ticks if closing < 0 else closing + ticks - found.start()
            continue
        end = _CLOSERS.match(text, found.end(), stop).end()  # type: ignore[union-attr]
        cjk = found[0][0] in _CJK_STOPS
        # What decides is in this window alone, so that a text that is still being written is cut the same.
        near = min(stop, end + _LOOKAHEAD)
        if not final and near == stop and not _decidable(text, end, stop):
            return None
        marked = marker.match(text, end, near)
        if marked:
            end = marked.end()
        if cjk and found[0] != "．":
            return end
        if end >= stop:
            return end
        if text[end].isspace() and _ends(text, start, found.start(), found[0], end, near):
            return end
        position = max(end, found.end())


def _decidable(text: str, end: int, stop: int) -> bool:
    """Whether a whole token, or bracket group and token, stands after the full stop already."""
    position = end
    while True:
        while position < stop and (
            text[position].isspace() or (text[position] in _OPENERS and text[position] not in _GROUP)
        ):
            position += 1
        if position >= stop:
            return False
        if text[position] in _GROUP:
            closing = _GROUP_END.search(text, position, stop)
            if not closing:
                return False
            position = closing.end()
            continue
        while position < stop and not text[position].isspace():
            position += 1
        return position < stop


def _ends(text: str, start: int, dot: int, mark: str, end: int, near: int) -> bool:
    position = end
    while position < near and (text[position].isspace() or text[position] in _OPENERS):
        position += 1
    if position >= near:
        return True
    tail = position
    while tail < near and not text[tail].isspace():
        tail += 1
    follower = text[position:tail]
    if follower[0] in ",;" or (follower[0].islower() and not _name_like(follower)):
        return False
    return mark != "." or _full_stop(text, start, dot, follower)


def _full_stop(text: str, start: int, dot: int, follower: str) -> bool:
    """Whether the full stop at ``dot`` ends a sentence and no abbreviation, initial or number."""
    head = dot
    while head > max(start, dot - 16) and (text[head - 1].isalnum() or text[head - 1] == "."):
        head -= 1
    word = text[head:dot]
    lowered = word.lower()
    if lowered in _NEVER:
        return False
    if lowered in _BEFORE_NUMBER and follower[0].isdigit():
        return False
    initial = len(word) == 1 and word.isalpha() and word.isupper()
    if initial or lowered in _BEFORE_STARTER or re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word):
        return follower.strip(",;:.").lower() in _STARTERS
    return True


def _name_like(token: str) -> bool:
    """Whether a token that starts in lower case is a name all the same: vLLM, llama.cpp, cuDNN, bge-m3."""
    return any(c.isupper() or c.isdigit() for c in token[1:]) or bool(re.match(r"[a-z]+[._/][a-z]", token))


def _stripped(text: str, start: int, stop: int) -> tuple[int, int]:
    while start < stop and text[start].isspace():
        start += 1
    return start, max(start, _rstripped(text, start, stop))


def _rstripped(text: str, start: int, stop: int) -> int:
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    return stop
