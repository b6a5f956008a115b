"""What a number is said of: "saves 42.5% of training costs and reduces the cache by 93.3%" has two, each its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from accelrag.citations.quantities import Quantity, matches
from accelrag.citations.words import content_stems, tokens

__all__ = ["misbound"]

Said = tuple[str, Sequence[Quantity]]  # a sentence and its quantities

_REACH = 6  # content words on each side
_RANGE = 6  # characters between the ends of a range
_CLAUSE = re.compile(r"[;:]|[,.](?=\s)|\b(?:and|while|whereas|but|with)\b")
_BEFORE = re.compile(r"[;:]|\.(?=\s)|\b(?:and|while|whereas|but|with)\b")  # "Fast YOLO, the small one, runs at 155"
_IN_BRACKETS = re.compile(r"([A-Za-z][\w.+-]*)\s*\($")


def misbound(
    claimed: Quantity,
    claim: str,
    evidence: str,
    given: Sequence[Quantity],
    said: Sequence[Quantity],
    around: Sequence[Said],
) -> str:
    """The number that the source gives for what the claim speaks of; empty where the claim's own may be it.

    ``given`` are the quantities of the evidence, ``said`` those of the claim, ``around`` the neighbouring sentences.
    """
    ours = _near(claim, claimed, said)
    same = [q for q in given if matches(claimed, q)]
    owners = [_owner(evidence, q) for q in same]
    if owners and all(owners):
        clause = frozenset(content_stems(_clause(claim, claimed)))
        if not any(frozenset(content_stems(owner)) & clause for owner in owners):
            return f"{claimed.text} of {owners[0]}"
    own = max((len(_near(evidence, q, given) & ours) for q in same), default=0)
    best, number = own, ""
    for text, others in ((evidence, given), *around):
        for q in others:
            if q.unit != claimed.unit or any(matches(other, q) for other in said):
                continue
            shared = len(_near(text, q, others) & ours)
            if shared >= 2 and shared > best:
                best, number = shared, q.text
    return number


def _near(text: str, q: Quantity, others: Sequence[Quantity] = ()) -> frozenset[str]:
    """The content words around a quantity, within its clause and before the next quantity out of its range."""
    first = max((o.end for o in others if o.end <= q.start - _RANGE), default=0)
    last = min((o.start for o in others if o.start >= q.end + _RANGE), default=len(text))
    before = text[first : q.start]
    breaks = [m.end() for m in _BEFORE.finditer(before)]
    after = text[q.end : last]
    stop = _CLAUSE.search(after)
    left = content_stems(before[breaks[-1] if breaks else 0 :])[-_REACH:]
    right = content_stems(after[: stop.start()] if stop else after)[:_REACH]
    number = set(content_stems(text[q.start : q.end]))
    return frozenset(s for s in (*left, *right) if s not in number and not s[0].isdigit())


def _clause(text: str, q: Quantity) -> str:
    breaks = [m.end() for m in _CLAUSE.finditer(text, 0, q.start)]
    stop = _CLAUSE.search(text, q.end)
    return text[breaks[-1] if breaks else 0 : stop.start() if stop else len(text)]


def _owner(text: str, q: Quantity) -> str:
    """The name that a number in brackets belongs to: "Gopher (280B)"."""
    found = _IN_BRACKETS.search(text[: q.start])
    closed = text[q.end : q.end + 1] == ")"
    return found[1] if found and closed and tokens(found[1])[0][0][0].isupper() else ""
