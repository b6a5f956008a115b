"""The runs of one list item, table row or paragraph -> its primary link, title, label, note and other links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from accelrag.listing.spans import EDGE, SHORTCODE, WORD, Span, is_generic, plain, spans_of, tidy
from accelrag.listing.tree import Link, Run

__all__ = ["Item", "read_item", "read_row"]

# A separator after a link: dashes want white space before them, colons want none; pipes are used as dashes, too.
_SEPARATOR = re.compile(
    r"(?:\s+[-\u2013\u2014\u2015|~\u2022\u00b7](?=\s)|\s*[\u2013\u2014\u2015](?=\s|\w)|\s*[:\uff1a](?=\s|$|\w))"
)
_CLOSED_THEN_SEPARATOR = re.compile(r"\s*[\])]+\s*(?:[-\u2013\u2014:]\s|$)")
_TASK_BOX = re.compile(r"^\s*\[[ xX]\](?:\s+|$)")


@dataclass(slots=True)
class Item:
    """What a place says. ``links`` are all external links in order, the primary one first."""

    primary: Link
    title: str
    label: str = ""
    note: str = ""
    links: list[Link] = field(default_factory=list)


def read_item(runs: Sequence[Run], *, pictures: bool = True) -> Item | None:
    """The item that a list item or paragraph holds, or None when none of its links can be an entry.

    Without ``pictures``, links that show only an image (logos, banners) cannot be.
    """
    spans = list(spans_of(runs))
    links = _kept_links(spans)
    if not links or not (pictures or any(s.external and not s.pictured for s in spans)):
        return None
    at = _primary(spans)
    span = spans[at]
    primary = _link(span)
    before, after = spans[:at], spans[at + 1 :]
    title, label, note = _title(span), "", _note(_described(after))
    lead = _TASK_BOX.sub("", _note(before))
    if span.generic or not title or primary.bare:
        named, rest = _name(before, short=primary.bare)
        if named and not (primary.bare and _says_little(named)):
            return Item(primary, named, "", _joined(rest, note), _first(primary, links))
    if WORD.search(lead) and not _separated(before):
        # A sentence that mentions the link reads right only as a whole.
        note = tidy("".join(s.text for s in spans if not s.badge))
    else:
        label = lead.strip("[]() ") if lead[:1] in "[(" and lead[-1:] in "])" else lead
    return Item(primary, title or primary.href, label, note, _first(primary, links))


def read_row(cells: Sequence[Sequence[Run]], header: Sequence[str]) -> Item | None:  # noqa: C901 - one kind of cell a branch
    """The item that a table row holds. ``header`` has the columns' names, or is empty."""
    split = [list(spans_of(cell)) for cell in cells]
    flat = [span for cell in split for span in cell]
    links = _kept_links(flat)
    if not links:
        return None
    at = _primary(flat, rows=True)
    span = flat[at]
    primary = _link(span)
    title, label = _title(span), ""
    own = next(i for i, cell in enumerate(split) if any(s is span for s in cell))
    taken: int | None = None
    if span.generic or not title or primary.bare:
        for i, cell in enumerate(split[: own + 1]):
            named, _ = _name([s for s in cell if s is not span])
            if named and re.search(r"[^\W\d_]", named):
                title, taken = named, i
                break
    notes = []
    for i, cell in enumerate(split):
        if i == taken:
            value = _name([s for s in cell if s is not span])[1]
        elif i == own:
            where = next(n for n, s in enumerate(cell) if s is span)
            lead = _note(cell[:where])
            label = lead if lead and _separated(cell[:where]) else ""
            value = _joined("" if label else lead, _note(cell[where + 1 :]))
        else:
            value = _note(cell)
            name = header[i].strip(EDGE) if i < len(header) else ""
            if value and name and len(value) <= 40 and len(value.split()) <= 3 and name.lower() not in _DESCRIBING:
                value = f"{name}: {value}"
        if value:
            notes.append(value)
    return Item(primary, title or primary.href, label, " \u2014 ".join(notes), _first(primary, links))


_DESCRIBING = {"description", "desc", "note", "notes", "comment", "comments", "details", "summary", "about"}


def _link(span: Span) -> Link:
    if span.link is None:
        raise ValueError("a span without a link cannot be primary")
    return span.link


def _kept_links(spans: Iterable[Span]) -> list[Link]:
    return [_link(s) for s in spans if s.external and not s.badge]


def _first(primary: Link, links: list[Link]) -> list[Link]:
    return [primary, *(link for link in links if link is not primary)]


def _primary(spans: Sequence[Span], *, rows: bool = False) -> int:
    candidates = [i for i, s in enumerate(spans) if s.external and not s.pictured]
    if not candidates:
        return next(i for i, s in enumerate(spans) if s.external and not s.badge)
    for i in candidates if not rows else ():
        between = spans[candidates[0] + 1 : i]
        spoken = "".join(s.text for s in between if s.link is None)
        if len(spoken.split()) > 3 or any(stop in spoken for stop in ".;!?"):
            break  # by now it is the description that speaks
        if (i == candidates[0] or not spans[i].generic) and _followed_by_separator(spans, i):
            return i
    named = [i for i in candidates if not spans[i].generic and not _link(spans[i]).bare]
    return (named or candidates)[0]


def _followed_by_separator(spans: Sequence[Span], at: int) -> bool:
    for span in spans[at + 1 :]:
        if span.link is None and (text := span.text).strip():
            return bool(_SEPARATOR.match(text))
        if not span.pictured:
            return False
    return False


def _separated(before: Sequence[Span]) -> bool:
    """Whether what stands before the link is set off from it, and so labels it."""
    seen = [r for s in before for r in s.runs if r.text.strip() and not r.image]
    if not seen:
        return False
    text = "".join(s.text for s in before if s.link is None or not s.pictured)
    last = text.rstrip()
    if last[-1:] in ":\uff1a\u2013\u2014\u2015|)]\uff09\u3011" or (last[-1:] == "-" and text[-1:] == " "):
        return True
    return all(r.strong or r.code for r in seen)


def _title(span: Span) -> str:
    text = span.text.strip()
    if text:
        return SHORTCODE.sub("", text).rstrip(":\uff1a ").strip() or text
    return plain(span.runs)


def _name(before: Sequence[Span], *, short: bool = True) -> tuple[str, str]:
    """The name that leads an item whose link says only "paper", and what follows the name.

    Unless ``short``, a word or two that run into the link ("Great [article](..)") are no name.
    """
    runs = [r for s in before for r in s.runs if not r.image]
    strong = [i for i, r in enumerate(runs) if r.strong and WORD.search(r.text)]
    if strong:
        end = strong[0]
        while end + 1 < len(runs) and (runs[end + 1].strong or not runs[end + 1].text):
            end += 1
        name = "".join(r.text for r in runs[strong[0] : end + 1])
        rest = "".join(r.text for r in runs[: strong[0]]) + " " + "".join(r.text for r in runs[end + 1 :])
        return tidy(name).rstrip("."), tidy(_TASK_BOX.sub("", rest))
    text = tidy(_TASK_BOX.sub("", "".join(r.text for r in runs)))
    if not WORD.search(text) or not (short or _separated(before) or len(text.split()) > 2 or not text.isascii()):
        return "", text
    return text.rstrip("."), ""


def _says_little(lead: str) -> bool:
    """Whether words before a bare address are no name for it: "see", "download", or a sentence."""
    return is_generic(lead) or len(lead) > 80 or len(lead) < 4


def _note(spans: Sequence[Span]) -> str:
    """The plain text of spans, without links that only say "code" and stand outside a sentence."""
    pieces: list[str] = []
    for i, span in enumerate(spans):
        if span.link is not None and span.generic:
            before = next((p.rstrip(" ([\u3010\uff08") for p in reversed(pieces) if p.strip(" ([\u3010\uff08")), "")
            if not before[-1:].isalnum() and not _goes_on(spans, i + 1):
                continue
        pieces.append(span.text)
    return tidy("".join(pieces))


def _goes_on(spans: Sequence[Span], at: int) -> bool:
    """Whether a sentence runs on at a span: with a word, on the same line."""
    for span in spans[at:]:
        raw = "".join(r.text for r in span.runs if not r.image).lstrip(" ")
        if raw:
            return raw[0].isalnum() and not (span.link is not None and span.generic)
    return False


def _described(spans: Sequence[Span]) -> Sequence[Span]:
    """What follows the primary link, less bracketed links before a separator: ``[name](..) [[crate](..)] - text``."""
    for i, span in enumerate(spans):
        text = span.text
        if span.link is None and (match := _CLOSED_THEN_SEPARATOR.match(text)) and i:
            return [Span(None, [Run(text[match.end() :], span.runs[0].line)]), *spans[i + 1 :]]
        if span.link is None and WORD.search(text):
            break
        if span.link is not None and i and not spans[i - 1].text.rstrip().endswith(("[", "(", "/", ",", "|")):
            break
        if span.link is not None and not i:
            break
    return spans


def _joined(*texts: str) -> str:
    kept = [t for t in texts if t]
    return " ".join(t if t[-1] in ".!?\u3002" or i == len(kept) - 1 else f"{t}." for i, t in enumerate(kept))
