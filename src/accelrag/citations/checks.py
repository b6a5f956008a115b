"""What is looked up of a claim: numbers, names, denials. Each check names what is wrong, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from accelrag.citations.bindings import misbound
from accelrag.citations.comparing import contradiction, other_side
from accelrag.citations.names import Name, exchanged, found_in, names, substituted
from accelrag.citations.polarity import not_denied
from accelrag.citations.quantities import Quantity, matches, quantities
from accelrag.citations.reading import Fragment, Reading, plain
from accelrag.citations.words import content_stems

__all__ = ["Facts", "Miss", "facts_of", "named", "no_claim", "problem", "same", "share"]

_IGNORANCE = re.compile(
    r"\b(?:i (?:do not|don't|cannot|can't|could not|am not)|not in (?:the )?sources|"
    r"(?:sources?|context|documents?|passages?|information|text)\b.{0,40}"
    r"\b(?:do(?:es)? not|don't|doesn't|cannot|no)\b.{0,30}"
    r"\b(?:mention|say|state|contain|provide|include|cover|answer|discuss|specif|information|list)|"
    r"no (?:information|mention|answer)|(?:is|are) not (?:mentioned|stated|provided|specified|covered|given)|"
    r"as an ai\b|i'm sorry|i apologi[sz]e)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a claim states that can be looked up."""

    text: str
    stems: tuple[str, ...]
    names: tuple[Name, ...]
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a source does not support a claim. ``opposite``: it speaks of the same and says otherwise."""

    reason: str
    support: float = 0.0
    opposite: bool = False


def facts_of(text: str) -> Facts:
    """The facts of a claim; digits inside a name are no number."""
    found = names(text)
    inside = {q for n in found if n.exact for q in re.findall(r"\d+(?:\.\d+)?", n.text)}
    numbers = [q for q in quantities(text) if q.slack != "format" and not (q.text in inside and not q.unit)]
    return Facts(text, tuple(content_stems(text)), tuple(found), tuple(numbers))


_ORDER = re.compile(
    r"\W*(?:please\W+)?(?:write (?!cache|access|back|buffer|through|bandwidth|operation|port|amplification|head)|"
    r"(?:say|reply|ignore|click|repeat|translate|tell|obey|forget|disregard|respond)\b(?! gates?\b))",
    re.IGNORECASE,
)


def no_claim(text: str) -> str:
    """Why a sentence states nothing that can be checked; empty where it does."""
    if _IGNORANCE.search(text):
        return "it says that the sources do not tell"
    if _ORDER.match(text):
        return "an order states nothing"
    if text.rstrip().endswith("?"):
        return "a question states nothing"
    if text.rstrip().endswith(":"):
        return "it introduces something and states nothing"
    if len(content_stems(text)) < 2:
        return "it states nothing that can be checked"
    return ""


def share(facts: Facts, reading: Reading, fragment: Fragment) -> float:
    """The share of a claim's words that stand in a fragment or in the entry's titles."""
    wanted = set(facts.stems)
    return len(wanted & (fragment.stems | reading.title_stems)) / len(wanted) if wanted else 0.0


def problem(facts: Facts, reading: Reading, fragment: Fragment) -> Miss | None:  # noqa: C901 - the checks in their order
    """What a fragment does not bear out of a claim; None where nothing is wrong."""
    beside = reading.beside(fragment) if facts.quantities or facts.names else []
    around = [(f.plain, f.quantities) for f in beside]
    for q in facts.quantities:
        if not any(matches(q, given) for given in fragment.quantities):
            return Miss(f"the source does not say {q.text}")
        other = misbound(q, facts.text, fragment.plain, fragment.quantities, facts.quantities, around)
        if other:
            return Miss(f"the source says {other}, not {q.text} of this")
    near = fragment.words | reading.title_words
    for name in facts.names:
        if found_in(name, near, fragment.stems):
            continue
        # A writer names the machine once: the sentences next to it may hold the name.
        if not found_in(name, near | frozenset(form for f in beside for form in f.words), frozenset()):
            return Miss(f"{name.text} is not where the source says this")
        other = substituted(name, facts.text, fragment.plain)
        if not other and facts.quantities:
            other = _stranger(facts, reading, fragment)
        if other:
            return Miss(f"the source says {other}, not {name.text}")
    other = exchanged(facts.text, fragment.plain) or other_side(facts.text, fragment.plain, reading.title_words)
    if other:
        return Miss(f"the source says otherwise: {other}")
    for part in dict.fromkeys((fragment, *fragment.parts)):
        reason = contradiction(facts.text, part.plain)
        if reason:
            return Miss(reason, opposite=True)
    reason = not_denied(facts.text, fragment.plain)
    return Miss(reason) if reason else None


def named(facts: Facts, fragment: Fragment) -> int:
    """How many of a claim's names a fragment holds."""
    return sum(found_in(n, fragment.words, fragment.stems) for n in facts.names)


def same(claim: str, evidence: str) -> bool:
    """Whether a claim is the evidence word for word; a part of it is not, since it may leave a "not" out."""
    ours, theirs = (re.sub(r"[\W_]+", " ", t).strip().lower() for t in (plain(claim), evidence))
    return bool(ours) and ours == theirs


def _stranger(facts: Facts, reading: Reading, fragment: Fragment) -> str:
    """A name that the evidence speaks of and the claim does not: then its numbers may be that one's."""
    ours = frozenset(form for n in facts.names for form in n.forms)
    for name in names(fragment.plain):
        if not name.first and not found_in(name, ours | reading.title_words, frozenset()):
            return name.text
    return ""
