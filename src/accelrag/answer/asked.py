"""What a question asks for beyond its topic: each side of a comparison, a reading order, the newest of several."""

from __future__ import annotations

import re

from accelrag.types import Entry

__all__ = ["compared", "reading_order", "when"]

_VERSUS = (
    re.compile(r"\bcompar(?:e|ing|ison (?:of|between))\s+(?P<list>.+)", re.IGNORECASE),
    re.compile(r"\bdifferences? (?:is there )?between\s+(?P<list>.+)", re.IGNORECASE),
    re.compile(
        r"\bhow (?:do|does|is|are)\s+(?P<list>.+?\s+(?:and|or|vs\.?)\s+.+?)\s+(?:differ|different|compare)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bhow (?:do|does|is|are)\s+(?P<a>.+?)\s+(?:differ(?:ent)? from|compare (?:to|with))\s+(?P<b>.+)",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<list>.+?\s+(?:vs\.?|versus)\s+.+)", re.IGNORECASE),
)
_SPLIT = re.compile(r"\s*,\s*(?:and|or|with)?\s*|\s+(?:and|or|vs\.?|versus|with|to|against|from)\s+", re.IGNORECASE)
_READING = re.compile(
    r"\b(?:(?:read|learn|study)\w*\b.{0,30}\b(?:first|in order|to start)|"
    r"(?:start|begin)\w* (?:with|from|reading|learning)|"
    r"(?:where|how) (?:do|should|can|to)\b.{0,12}\b(?:start|begin|learn)|reading (?:list|order|path)|"
    r"new to|beginners?|introduction to|intro to|in (?:what|which) order)\b",
    re.IGNORECASE,
)
_ARXIV = re.compile(r"arxiv\.org/\w+/(\d{2})(\d{2})\.\d{4,5}", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(19[5-9]\d|20[0-4]\d)(?!\d)")


def compared(question: str) -> tuple[str, ...]:
    """The things that a question sets side by side; empty where it does not.

    >>> compared("Compare FlashAttention 2 and 3")
    ('FlashAttention 2', 'FlashAttention 3')
    """
    text = re.sub(r"^(?:please|can you|could you)\s+", "", question.strip(" ?.!"), flags=re.IGNORECASE)
    for pattern in _VERSUS:
        found = pattern.search(text)
        if not found:
            continue
        groups = found.groupdict()
        parts = [groups["a"], groups["b"]] if groups.get("a") else _SPLIT.split(groups["list"])
        parts = [
            re.sub(r"^(?:the|what is|between)\s+|\s+(?:for|in terms of|on|regarding)\s.*$", "", p.strip())
            for p in parts
        ]
        parts = [p for p in parts if p]
        if 2 <= len(parts) <= 5:
            return tuple(_completed(parts))
    return ()


def reading_order(question: str) -> bool:
    """Whether the list's own order is what is asked for."""
    return bool(_READING.search(question))


def when(entry: Entry, published: str = "") -> str:
    """When an entry came out, as text that sorts by time; empty where nothing tells."""
    if published:
        return published
    for url in (entry.url, *entry.also):
        found = _ARXIV.search(url)
        if found:
            return f"20{found[1]}-{found[2]}"
    years = _YEAR.findall(" ".join([*entry.notes, *entry.titles]))
    return max(years, default="")


def _completed(parts: list[str]) -> list[str]:
    """ "FlashAttention 2 and 3": a part that is a number alone takes the name before it."""
    whole: list[str] = []
    for part in parts:
        if re.fullmatch(r"v?\d+(?:\.\d+)*", part) and whole:
            head = re.sub(r"[\s-]*v?\d+(?:\.\d+)*$", "", whole[-1])
            part = f"{head} {part}" if head else part
        whole.append(part)
    return whole
