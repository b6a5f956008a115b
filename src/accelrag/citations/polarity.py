"""Whether a sentence says the opposite of its evidence: negations, opposites and the order of a comparison."""

from __future__ import annotations

import re
from dataclasses import dataclass

from accelrag.citations.words import is_stopword, stem, tokens, vocabulary

__all__ = ["Negation", "contradiction", "negations", "not_denied"]


@dataclass(frozen=True, slots=True)
class Negation:
    """A negating word, the stems that it negates (nearest first), and those before it that it may negate."""

    word: str
    scope: tuple[str, ...]
    before: tuple[str, ...]


_VERBAL = vocabulary(
    "not n't cannot never hardly barely rarely seldom nor neither unable unnecessary impossible needless "
    "superfluous fail fails failed"
)
_NOMINAL = vocabulary("no without none little few minimal negligible lack lacks lacking lacked zero nothing free-of")
_DEGREES = vocabulary("little few minimal negligible")
_WEAK = vocabulary(
    "avoid avoids avoiding avoided eliminate eliminates eliminating eliminated prevent prevents preventing "
    "prevented remove removes removing removed omit omits omitting obviate obviates obviating dispense dispenses "
    "dispensing forgo"
)
_BREAK = re.compile(
    r"[,;:.!?()]|\b(?:but|while|whereas|although|though|yet|because|since|which|that|hence|thus|and then|"
    r"and (?=(?:a|an|the|it|they|is|are|was|were|does|do|did|can|cannot|could|has|have|had|must|will|may)\b)|"
    r"(?:with)?in|on|at|by|for|with|over|under|across|during|among|between)\b"
)
_ONLY = re.compile(
    r"\bnot only\b|\bno(?:t)? (?:less|more|longer|later|fewer)\b|\bnot just\b|\bnot merely\b|\bno\. \d", re.IGNORECASE
)

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
    r"\b(?:than|over|versus|vs\.?|outperform\w*|surpass\w*|exceed\w*|beat(?:s|ing)?|compared (?:to|with))\b",
    re.IGNORECASE,
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


def negations(text: str) -> list[Negation]:
    """The negations of a sentence with what they negate, inside their clause and before the next negation."""
    text = _ONLY.sub(lambda m: "_" * len(m[0]), text.replace("’", "'"))
    text = re.sub(r"\b(?:instead of|rather than)\b", lambda m: "without".ljust(len(m[0])), text, flags=re.IGNORECASE)
    words = tokens(text)
    kinds = [_kind(word) for word, _, _ in words]
    found = []
    for i, (word, start, end) in enumerate(words):
        free = re.fullmatch(r"(\w{3,})less|non-?(\w{3,})|(?:\w+-)*(\w+)-free", word.lower())
        if free and word.lower() not in ("unless", "nonetheless", "regardless"):
            found.append(Negation(word, (stem(next(g for g in free.groups() if g)),), ()))
        if not kinds[i]:
            continue
        clause_end = _BREAK.search(text, end)
        stop = clause_end.start() if clause_end else len(text)
        following_kind = min([len(text), *(words[j][1] for j in range(i + 1, len(words)) if kinds[j])])
        stop = min(stop, following_kind)
        following = _scope(words, i, stop)
        doubled = kinds[i] == "verbal" and not following and _next_kind(words, kinds, i)
        if doubled:  # "does not eliminate": two denials are none
            kinds[doubled] = ""
            continue
        if not following and clause_end and clause_end[0].isalpha() and word.lower() not in _DEGREES:
            further = _BREAK.search(text, clause_end.end())  # "not in use", "no need for it"
            following = _scope(words, i, min(following_kind, further.start() if further else len(text)))
        begin = max((m.end() for m in _BREAK.finditer(text, 0, start)), default=0)
        begin = max([begin, *(words[j][2] for j in range(i) if kinds[j])])
        earlier = [p for w, a, _ in words[:i] if a >= begin for p in _stems(w)][-4:]
        found.append(Negation(word, tuple(following), tuple(earlier) if kinds[i] == "verbal" else ()))
    return found


def _scope(words: list[tuple[str, int, int]], i: int, stop: int) -> list[str]:
    return [p for w, a, _ in words[i + 1 :] if a < stop for p in _stems(w)][:6]


def _next_kind(words: list[tuple[str, int, int]], kinds: list[str], i: int) -> int:
    """The position of a negating word that this one negates; 0 where none is."""
    for j in range(i + 1, len(words)):
        if kinds[j] and words[j][0].lower() not in ("without",):
            return j
        if not is_stopword(words[j][0]):
            return 0
    return 0


def _kind(word: str) -> str:
    if word[1:] != word[1:].lower():
        return ""  # ZeRO is a name
    lowered = "n't" if word.lower().endswith("n't") else word.lower()
    if lowered in _VERBAL:
        return "verbal"
    return "nominal" if lowered in _NOMINAL or lowered in _WEAK else ""


def _stems(word: str) -> list[str]:
    return [stem(p) for p in re.split(r"[-/]", word) if p and not is_stopword(p) and p.lower() not in ("any", "need")]


def contradiction(claim: str, evidence: str) -> str:
    """How the evidence says the opposite of the claim; empty where nothing shows that it does."""
    denied = _denied(claim, evidence)
    if denied:
        return denied
    opposite = _says_opposite(claim, evidence)
    if _swapped(claim, evidence):  # "A is faster than B" against "B is slower than A" is no contradiction
        return "" if opposite else "the source compares them the other way round"
    return opposite


def not_denied(claim: str, evidence: str) -> str:
    """What the claim denies and the evidence does not; empty where the evidence denies it too."""
    claimed, given = negations(claim), negations(evidence)
    evidence_stems = {p for w, _, _ in tokens(evidence) for p in _stems(w)}
    given_all = {s for n in given for s in (*n.scope, *n.before)}
    for negation in claimed:
        near = {*negation.scope[:4], *negation.before[-3:]}
        if near & given_all or (given and not near):
            continue
        if set(negation.scope[:3]) & evidence_stems or set(negation.before[-2:]) & evidence_stems:
            return f"the source does not deny it ({negation.word})"
    return ""


def _denied(claim: str, evidence: str) -> str:
    claim_stems = {p for w, _, _ in tokens(claim) for p in _stems(w)}
    evidence_stems = {p for w, _, _ in tokens(evidence) for p in _stems(w)}
    claimed_all = {s for n in negations(claim) for s in (*n.scope, *n.before)}
    for negation in negations(evidence):
        if set(negation.scope) & claimed_all:
            continue
        # "not necessary" denies the next word; "without accuracy loss" denies what both words say together.
        verbal = _kind(negation.word) == "verbal"
        head = [s for s in negation.scope if s in evidence_stems][: 1 if verbal else 2]
        if head and set(head) <= claim_stems:
            return f"the source denies it ({negation.word})"
    return ""


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
        broken = _BREAK.search(text, end)
        stop = broken.start() if broken else len(text)
        beside = frozenset([p for w, a, _ in words[i + 1 :] if a < stop for p in _stems(w)][:2])
        keys = {key for form in (word.lower(), stem(word)) for key in _SIDES.get(form, ())}
        for key in keys:
            found.setdefault(key, []).append((word, beside))
    return found


def _swapped(claim: str, evidence: str) -> bool:
    """Whether two sentences compare the same names in opposite order."""
    ours, theirs = _compared(claim), _compared(evidence)
    if not ours or not theirs:
        return False
    crossed = bool(ours[0] & theirs[1] and ours[1] & theirs[0])
    return crossed and not ours[0] & theirs[0] and not ours[1] & theirs[1]


def _compared(text: str) -> tuple[set[str], set[str]] | None:
    middle = _THAN.search(text)
    if not middle:
        return None
    named = [
        {w.lower() for w, _, _ in tokens(part) if any(c.isupper() for c in w) and not is_stopword(w)}
        for part in (text[: middle.start()], text[middle.end() :])
    ]
    return (named[0], named[1]) if all(named) else None
