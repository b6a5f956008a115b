"""Source markers in a draft: [1], [1, 2], [1-3], [1][2], (1), 【1】, [^1], [Source 1], "According to source 1, ...".

An index in code, ``a[1]``, is none: code is left alone, and so is a bracket behind a one-letter name or before code.
"""

from __future__ import annotations

import re

__all__ = ["MARKER_ONLY_LINE", "TRAILING", "read_markers"]

_WORD = r"(?:sources?|refs?\.?|references?|citations?|documents?|docs?|passages?|entr(?:y|ies))"
_NUMBERS = (
    rf"\^?(?:{_WORD}\s*[:#]?\s*)?\d{{1,3}}(?:†[^\]】)]{{0,40}})?"
    rf"(?:\s*(?:,|;|–|—|-|to|and|&|,\s*and)\s*\^?(?:{_WORD}\s*[:#]?\s*)?\d{{1,3}})*"
)
_SQUARE = rf"[\[【]\s*{_NUMBERS}\s*[\]】]"
_ROUND_WORD = rf"\(\s*{_WORD}\s*[:#]?\s*\d{{1,3}}(?:\s*(?:,|;|–|-|and|&)\s*(?:{_WORD}\s*)?\d{{1,3}})*\s*\)"
_ROUND = r"\(\d{1,2}(?:\s?[,;–-]\s?\d{1,2})*\)"

# Markers behind a full stop; on the next line only where nothing else stands there.
TRAILING = re.compile(
    rf"(?:(?:[ \t]?|[ \t]?\n(?=[^\n]{{0,12}}[\]】)][ \t]*(?:\n|$)))(?:{_SQUARE}|{_ROUND_WORD}|{_ROUND}))+"
    r"(?=\s|$|[\[【(.])\.?",
    re.IGNORECASE,
)
MARKER_ONLY_LINE = re.compile(rf"(?:\s*(?:{_SQUARE}|{_ROUND_WORD}|{_ROUND}))+\s*\.?\s*", re.IGNORECASE)

_ANY = re.compile(
    rf"`+[^`]*`+"
    rf"|(?P<lead>^\s*(?:according to|as (?:stated|described|noted|mentioned|shown|reported) (?:in|by)|per|in|from)"
    rf"\s+(?:the\s+)?{_WORD}\s*#?\s*(?P<lead_n>\d{{1,3}})\s*,\s*)"
    rf"|(?P<says>^\s*(?:the\s+)?{_WORD}\s*#?\s*(?P<says_n>\d{{1,3}})\s+(?:says|states|notes|reports|shows|explains|mentions)"
    rf"\s+(?:that\s+)?)"
    rf"|(?P<gap>[ \t]*)(?:(?P<square>{_SQUARE})|(?P<word>{_ROUND_WORD})"
    rf"|(?P<round>(?<![\w)\]]){_ROUND})(?=\s*(?:[.,;:!?]|$|[\[(【]\d)))",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,3})\s*(?:–|—|-|to)\s*\^?(?:[a-z]+\s*)?(\d{1,3})", re.IGNORECASE)
_CODE_AFTER = re.compile(r"[A-Za-z_(=]|\.[a-z_]|\s*=[^=]")
_CODE_BEFORE = re.compile(r"(?:^|[^\w])(?:[A-Za-z]|\w*_\w*)$")


def read_markers(text: str) -> tuple[str, tuple[int, ...]]:
    """The text without its markers, and the numbers that they name, each once, in order."""
    numbers: list[int] = []
    kept: list[str] = []
    position = 0
    for found in _ANY.finditer(text):
        if found["lead"] or found["says"]:
            numbers.append(int(found["lead_n"] or found["says_n"]))
            kept.append(text[position : found.start()])
            position = found.end()
            rest = text[position:]
            text = text[:position] + rest[:1].upper() + rest[1:]
            continue
        group = found["square"] or found["word"] or found["round"]
        if not group:
            continue
        if found["square"] and not found["gap"]:
            before = text[max(0, found.start() - 24) : found.start()]
            if _CODE_BEFORE.search(before) or _CODE_AFTER.match(text, found.end()):
                continue
        kept.append(text[position : found.start()])
        position = found.end()
        numbers += _numbers(group)
    kept.append(text[position:])
    return "".join(kept), tuple(dict.fromkeys(numbers))


def _numbers(group: str) -> list[int]:
    group = re.sub(r"†[^\]】),;]*", "", group)
    numbers: list[int] = []
    position = 0
    for found in _RANGE.finditer(group):
        numbers += [int(n) for n in re.findall(r"\d+", group[position : found.start()])]
        first, last = int(found[1]), int(found[2])
        # A backward or long range is no range: both ends are read, and the verifier judges them.
        numbers += range(first, last + 1) if first <= last <= first + 20 else (first, last)
        position = found.end()
    return numbers + [int(n) for n in re.findall(r"\d+", group[position:])]
