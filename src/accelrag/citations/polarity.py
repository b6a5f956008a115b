"""What a sentence denies, and whether its evidence denies the same."""

from __future__ import annotations

import re
from dataclasses import dataclass

from accelrag.citations.words import is_stopword, stem, tokens, vocabulary

__all__ = ["CLAUSE_BREAK", "Negation", "content_parts", "denied", "negations", "not_denied"]


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
# Verbs that say little: what is denied stands behind them. And what a denial is about where it stands among others.
_LIGHT = frozenset(
    stem(w) for w in vocabulary("require need use involve have suffer cause resort rely depend incur undergo take")
)
_LOSSES = frozenset(
    stem(w)
    for w in vocabulary(
        "loss lose losing degradation degrade drop decrease decline penalty overhead error cost change"
    )
)
_DEGREES = vocabulary("little few minimal negligible")
_WEAK = vocabulary(
    "avoid avoids avoiding avoided eliminate eliminates eliminating eliminated prevent prevents preventing "
    "prevented remove removes removing removed omit omits omitting obviate obviates obviating dispense dispenses "
    "dispensing forgo"
)
CLAUSE_BREAK = re.compile(
    r"[,;:.!?()]|\b(?:but|while|whereas|although|though|yet|because|since|which|that|hence|thus|and then|"
    r"and (?=(?:a|an|the|it|they|is|are|was|were|does|do|did|can|cannot|could|has|have|had|must|will|may)\b)|"
    r"(?:with)?in|on|at|by|for|with|over|under|across|during|among|between)\b"
)
_ONLY = re.compile(
    r"\bnot only\b|\bno(?:t)? (?:less|more|longer|later|fewer)\b|\bnot just\b|\bnot merely\b|\bno\. \d", re.IGNORECASE
)


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
        clause_end = CLAUSE_BREAK.search(text, end)
        stop = clause_end.start() if clause_end else len(text)
        following_kind = min([len(text), *(words[j][1] for j in range(i + 1, len(words)) if kinds[j])])
        stop = min(stop, following_kind)
        following = _scope(words, i, stop)
        doubled = kinds[i] == "verbal" and not following and _next_kind(words, kinds, i)
        if doubled:  # "does not eliminate": two denials are none
            kinds[doubled] = ""
            continue
        if (
            all(s in _LIGHT for s in following)
            and clause_end
            and clause_end[0].isalpha()
            and word.lower() not in _DEGREES
        ):
            further = CLAUSE_BREAK.search(text, clause_end.end())  # "not in use", "no need for it"
            following = _scope(words, i, min(following_kind, further.start() if further else len(text)))
        begin = max((m.end() for m in CLAUSE_BREAK.finditer(text, 0, start)), default=0)
        begin = max([begin, *(words[j][2] for j in range(i) if kinds[j])])
        earlier = [p for w, a, _ in words[:i] if a >= begin for p in content_parts(w)][-4:]
        found.append(Negation(word, tuple(following), tuple(earlier) if kinds[i] == "verbal" else ()))
    return found


def _scope(words: list[tuple[str, int, int]], i: int, stop: int) -> list[str]:
    return [p for w, a, _ in words[i + 1 :] if a < stop for p in content_parts(w)][:6]


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


def content_parts(word: str) -> list[str]:
    """The stems of a token and its parts, words without content left out."""
    return [stem(p) for p in re.split(r"[-/]", word) if p and not is_stopword(p) and p.lower() not in ("any", "need")]


def not_denied(claim: str, evidence: str) -> str:
    """What the claim denies and the evidence does not; empty where the evidence denies it too."""
    claimed, given = negations(claim), negations(evidence)
    evidence_stems = {p for w, _, _ in tokens(evidence) for p in content_parts(w)}
    given_all = {s for n in given for s in (*n.scope, *n.before)}
    for negation in claimed:
        head = _head(negation)
        near = {*negation.scope[:4], *negation.before[-3:]}
        # "does not preserve accuracy" is not borne out by "negligible accuracy loss": the first word must be denied.
        named = head and head not in _LOSSES
        if (head in given_all if named else near & given_all) or (given and not near):
            continue
        if set(negation.scope[:3]) & evidence_stems or set(negation.before[-2:]) & evidence_stems:
            return f"the source does not deny it ({negation.word})"
    return ""


def denied(claim: str, evidence: str) -> str:
    """What the evidence denies and the claim states; empty where the claim denies it too."""
    claim_stems = {p for w, _, _ in tokens(claim) for p in content_parts(w)}
    claimed_all = {s for n in negations(claim) for s in (*n.scope, *n.before)}
    for negation in negations(evidence):
        if set(negation.scope) & claimed_all:
            continue
        head = _head(negation)
        if head and head in claim_stems:
            return f"the source denies it ({negation.word})"
    return ""


def _head(negation: Negation) -> str:
    """The stem that a negation is about: "no loss of accuracy" and "without accuracy loss" are about loss."""
    scope = [s for s in negation.scope if s not in _LIGHT]
    return next((s for s in scope[:3] if s in _LOSSES), scope[0] if scope else "")
