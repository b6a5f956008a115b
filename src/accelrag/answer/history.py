"""A follow-up -> a question that stands alone, by rule: pronouns, ellipsis, comparatives, "yes", a new subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

from accelrag.answer.phrases import (
    DESCRIBED,
    ELLIPSIS,
    EXPLETIVE,
    FRESH,
    FUNCTION,
    NEWEST,
    NTH,
    NTHS,
    OF_THEM,
    OLDEST,
    OPPOSED,
    PLURAL,
    SINGULAR,
    SUPERLATIVE,
    WHICH_ONE,
    WHOLE,
    YES,
)
from accelrag.answer.turns import Order, Past, Standalone
from accelrag.types import Entry

__all__ = ["stand_alone"]


def stand_alone(question: str, last: Past | None) -> Standalone:  # noqa: C901 - one kind of follow-up a branch
    """The question as it would be asked without what came before."""
    if last is None:
        return Standalone(question)
    text = " ".join(question.split())
    order: Order = "newest" if NEWEST.search(text) else "oldest" if OLDEST.search(text) else ""
    fresh = FRESH.match(text)
    if fresh:
        return Standalone(text[fresh.end() :])
    if YES.fullmatch(text):
        return _about(f"What is {last.cited[0].title}?", last.cited[:1]) if last.cited else Standalone(last.query)
    if OF_THEM.search(text):
        return Standalone(_with_topic(text, last), _ids(_several(last, order)), order)
    nth = NTH.search(text)
    if nth and last.cited and not _own(text, exclude=nth[0]):
        chosen = _nth(nth[1].lower(), last.cited)
        if chosen:
            return _about(text.replace(nth[0], chosen.title), (chosen,))
    described = DESCRIBED.search(text)
    if described and len(last.cited + last.also) > 1:
        rest = text[described.end() :].strip(" ?.!")
        return Standalone(
            rest if len(_own(rest)) > 1 else _with_topic(rest, last), _ids(_several(last, order)), order
        )
    ellipsis = ELLIPSIS.match(text)
    if ellipsis:
        rest = text[ellipsis.end() :]
        if WHOLE.match(rest) and _own(rest) and not (SINGULAR.search(rest) or PLURAL.search(rest)):
            return Standalone(rest)
        if not (SINGULAR.search(rest) or PLURAL.search(rest)):
            if WHICH_ONE.match(rest) and SUPERLATIVE.search(rest):
                return Standalone(_with_topic(rest, last), _ids(_several(last, order)), order)
            # "What about an object detector that looks once?" says enough to be searched by itself.
            whole = len(rest.split()) > 8 or (
                ellipsis[0].lower().rstrip(" ,:").endswith("about") and len(_own(rest)) > 2
            )
            return Standalone(rest if whole else _merged(rest, last))
        text = rest
    if WHICH_ONE.match(text) and (SUPERLATIVE.search(text) or not _own(text)) and len(_own(text)) <= 1:
        return Standalone(_with_topic(text, last), _ids(_several(last, order)), order)
    if PLURAL.search(text) and last.cited:
        return Standalone(_with_topic(text, last), _ids(_several(last, order)), order)
    singular = SINGULAR.search(text)
    if singular and last.cited and not EXPLETIVE.search(text):
        return _pronoun(text, singular, last)
    if not _own(text) and last.cited:
        return _about(f"{last.cited[0].title}: {text}", last.cited[:1])
    return Standalone(text)


def _pronoun(text: str, found: re.Match[str], last: Past) -> Standalone:
    entry = last.cited[0]
    spoken = found[0].lower()
    name = _short(entry.title)
    put = f"{name}'s" if spoken in ("its", "his", "her") else name
    query = text[: found.start()] + put + text[found.end() :]
    # "Does vLLM use it?" asks about vLLM: a name of its own widens the search again.
    names = [w for w in re.findall(r"[A-Za-z][\w.+-]*", text)[1:] if re.search(r"[A-Z].*[A-Z]|\d|[a-z][A-Z]", w)]
    return Standalone(query) if names else _about(query, (entry,))


def _several(last: Past, order: Order) -> tuple[Entry, ...]:
    """What "them" are: the entries cited, and those found besides where few were cited or one may be meant."""
    return last.cited if order and len(last.cited) > 1 else last.cited + last.also


def _about(query: str, entries: Sequence[Entry]) -> Standalone:
    return Standalone(query, _ids(entries) if entries else None)


def _ids(entries: Sequence[Entry]) -> tuple[str, ...] | None:
    return tuple(dict.fromkeys(e.id for e in entries)) or None


def _nth(word: str, entries: Sequence[Entry]) -> Entry | None:
    if word == "other":
        return entries[1] if len(entries) > 1 else None
    position = NTHS[word]
    if word == "latter":
        position = len(entries) - 1
    return entries[position] if -len(entries) <= position < len(entries) else None


def _own(text: str, *, exclude: str = "") -> list[str]:
    """The words of a question that carry its own subject."""
    text = SUPERLATIVE.sub(" ", text.replace(exclude, " ") if exclude else text)
    return [w for w in re.findall(r"[A-Za-z0-9][\w.+'-]*", text) if w.lower() not in FUNCTION]


def _with_topic(text: str, last: Past) -> str:
    """A question about several entries, with what they had in common behind it."""
    topic = " ".join(_own(last.query))
    return f"{text.rstrip(' ?.!')}? {topic}" if topic else text


def _merged(fragment: str, last: Past) -> str:
    """ "And for training?" after "Which systems are fast for inference?": the new part in the old part's place."""
    fragment = fragment.rstrip(" ?.!")
    base = last.query.rstrip(" ?.!")
    preposition = re.match(r"(for|on|in|with|about|by|at|from)\b", fragment, re.IGNORECASE)
    if preposition:
        slots = [m.start() for m in re.finditer(rf"\b{preposition[1]}\b", base, re.IGNORECASE)]
        if slots:
            return f"{base[: slots[-1]]}{fragment}?"
    mine = {w.lower() for w in _own(fragment)}
    names = [w for w in re.findall(r"[A-Za-z0-9][\w.+-]*", base) if re.search(r"[A-Z0-9].*[A-Z0-9]|[a-z][A-Z]", w)]
    if names and not preposition and any(re.search(r"[A-Z0-9]", w) for w in _own(fragment)):
        # Another name in the same question: "How fast is vLLM?", "And SGLang?"
        at = base.rfind(names[-1])
        first = base.find(names[0])
        return f"{base[:first]}{fragment}{base[at + len(names[-1]) :]}?"
    dropped: set[str] = set()
    for side, other in (OPPOSED, OPPOSED[::-1]):
        if mine & side:
            dropped |= other
    kept = [w for w in _own(base) if w.lower() not in dropped and w not in names]
    return f"{' '.join(kept)} {fragment}?".strip()


def _short(title: str) -> str:
    """A title up to its colon: what people call the thing."""
    head = title.split(":", 1)[0].strip()
    return head if len(head) >= 3 else title
