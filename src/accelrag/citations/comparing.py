"""Whether a sentence compares otherwise than its evidence: opposite words, sides changed, another one beside it."""

from __future__ import annotations

import re

from accelrag.citations.polarity import CLAUSE_BREAK, content_parts, denied
from accelrag.citations.words import is_stopword, squash, stem, tokens

__all__ = ["contradiction", "other_side"]

_OPPOSITES = [
    ("increase raise grow boost improve", "decrease reduce lower shrink cut worsen degrade"),
    ("fast faster fastest quicker quick speed", "slow slower slowest slowdown"),
    ("higher high highest", "lower low lowest"),
    ("more", "less fewer"),
    ("larger large largest bigger big biggest", "smaller small smallest tiny"),
    ("better best superior", "worse worst inferior"),
    ("outperform surpass exceed beat", "underperform trail"),
    ("first earliest", "last latest"),
    ("before", "after"),
    ("with", "without"),
    ("static statically", "dynamic dynamically"),
    ("symmetric", "asymmetric"),
    ("open-source opensource open", "closed-source proprietary closed"),
    ("linear linearly", "quadratic quadratically exponential exponentially"),
    ("online", "offline"),
    ("cheap cheaper inexpensive", "expensive costly"),
    ("sparse", "dense"),
    ("compute-bound", "memory-bound bandwidth-bound"),
    ("lossless", "lossy"),
    ("exact", "approximate"),
    ("unstructured", "structured"),
    ("deterministic", "stochastic random"),
    ("hardware", "software"),
    ("synchronous", "asynchronous"),
    ("encoder", "decoder"),
    ("training train trained", "inference serving"),
    ("prefill", "decode decoding"),
    ("forward", "backward"),
    ("ease eases easy easier easily simple simpler", "hard harder difficult complex"),
    ("always", "never rarely"),
    ("maximize maximise", "minimize minimise"),
    ("enable allow permit", "prevent forbid prohibit"),
    ("static-batching", "continuous-batching"),
    ("homogeneous", "heterogeneous"),
    ("top-down", "bottom-up"),
    ("front-end frontend", "back-end backend"),
    ("read reads", "write writes"),
    ("row rows", "column columns"),
    ("supervised", "unsupervised self-supervised"),
    ("weight weights", "activation activations"),
    ("insensitive", "sensitive"),
    ("unstable", "stable"),
    ("inefficient", "efficient"),
]
_THAN = re.compile(
    r"\b(?:than|over|versus|vs\.?|outperform\w*|surpass\w*|exceed\w*|beat(?:s|ing)?|"
    r"(?:compared|relative|comparable|competitive) (?:to|with))\b",
    re.IGNORECASE,
)
_SIDE = re.compile(r"[;:]|,\s+and\b|,\s+(?!\w+\s+and\b|[A-Z]\S*,)|\b(?:while|whereas|but|which|reaching)\b")
_COUNTING = frozenset(("more", "less", "fewer", "over", "lower", "higher"))
_BY_NUMBER = re.compile(
    r"\s+(?:than\s+)?(?:about\s+|an?\s+)?[~<>$€]?(?:\d|one|two|three|four|five|six|seven|eight|nine|ten)"
)


def _sides() -> dict[str, list[tuple[int, int]]]:
    table: dict[str, list[tuple[int, int]]] = {}
    for i, pair in enumerate(_OPPOSITES):
        for side, words in enumerate(pair):
            for word in words.split():
                for form in {word, stem(word)}:
                    table.setdefault(form, []).append((i, side))
    return table


_SIDES = _sides()


def contradiction(claim: str, evidence: str) -> str:
    """How the evidence says the opposite of the claim; empty where nothing shows that it does."""
    reason = denied(claim, evidence)
    if reason:
        return reason
    opposite = _says_opposite(claim, evidence)
    if _swapped(claim, evidence):  # "A is faster than B" against "B is slower than A" is no contradiction
        return "" if opposite else "the source compares them the other way round"
    return opposite


def other_side(claim: str, evidence: str, own: frozenset[str]) -> str:
    """Whom the evidence speaks of where the claim names another; empty where they agree.

    ``own`` are the forms of the entry's own names. "A outperforms C" against "A outperforms B, and D is near C"; and
    "B reaches 70%" against "twice as fast as B, reaching 70%".
    """
    ours, theirs = _sides_of(claim), _sides_of(evidence)
    for left, right in ours:
        facing = [there for here, there in theirs if (here & left or not here) and there]
        if right and facing and not any(right & r for r in facing):
            return f"it is compared with {min(facing[0])}"
    if not ours and theirs:
        subject = next((squash(w) for w, _, _ in tokens(claim)[:3] if _is_name(w)), "")
        behind = {name for _, right in theirs for name in right}
        before = {squash(w) for w, _, _ in tokens(evidence) if _is_name(w)} - behind
        if subject and subject in behind and subject not in before and not _called(subject, own):
            return f"it says this beside {subject}"
    return ""


def _called(subject: str, own: frozenset[str]) -> bool:
    """Whether the entry itself goes by this name, and not by a longer one with a number: FlashAttention-2."""
    return subject in own and not any(form.startswith(subject) and form[len(subject) :].isdigit() for form in own)


def _says_opposite(claim: str, evidence: str) -> str:
    ours, theirs = _polar(claim), _polar(evidence)
    for (pair, side), said in ours.items():
        same, other = theirs.get((pair, side), []), theirs.get((pair, 1 - side), [])
        if not other or (pair, 1 - side) in ours:
            continue
        for word, near in said:
            # "more errors but less noise" against "fewer errors": what stands beside the word decides.
            if any(near & beside for _, beside in same):
                continue
            opposed = next((w for w, beside in other if near & beside), "" if same else other[0][0])
            if opposed:
                return f"the source says {opposed}, not {word}"
    return ""


def _polar(text: str) -> dict[tuple[int, int], list[tuple[str, frozenset[str]]]]:
    """``(pair, side) -> [(word, stems beside it)]``."""
    found: dict[tuple[int, int], list[tuple[str, frozenset[str]]]] = {}
    words = tokens(text)
    for i, (word, _, end) in enumerate(words):
        broken = CLAUSE_BREAK.search(text, end)
        stop = broken.start() if broken else len(text)
        beside = frozenset([p for w, a, _ in words[i + 1 :] if a < stop for p in content_parts(w)][:2])
        if word.lower() in _COUNTING and _BY_NUMBER.match(text, end):
            continue  # "more than 100 billion": a bound of a number, no comparison
        keys = {key for form in (word.lower(), stem(word)) for key in _SIDES.get(form, ())}
        for key in keys:
            found.setdefault(key, []).append((word, beside))
    return found


def _swapped(claim: str, evidence: str) -> bool:
    """Whether two sentences compare the same names in opposite order."""
    for left, right in _sides_of(claim):
        for other_left, other_right in _sides_of(evidence):
            crossed = left & other_right and right & other_left
            if crossed and not left & other_left and not right & other_right:
                return True
    return False


def _sides_of(text: str) -> list[tuple[set[str], set[str]]]:
    """The names on both sides of each comparison, within its clause."""
    found = []
    start = 0
    for middle in _THAN.finditer(text):
        left, right = text[start : middle.start()], text[middle.end() :]
        breaks = [m.end() for m in _SIDE.finditer(left)]
        stop = _SIDE.search(right)
        parts = (left[breaks[-1] if breaks else 0 :], right[: stop.start()] if stop else right)
        sides = [{squash(w) for w, _, _ in tokens(part) if _is_name(w)} for part in parts]
        if sides[1]:
            found.append((sides[0], sides[1]))
        start = middle.end()
    return found


def _is_name(word: str) -> bool:
    return len(word) > 1 and any(c.isupper() for c in word) and not is_stopword(word)
