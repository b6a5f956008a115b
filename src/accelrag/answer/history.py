"""A follow-up -> a question that stands alone, by rule: pronouns, ellipsis, comparatives, "yes", a new subject."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from accelrag.types import Entry

__all__ = ["Past", "Standalone", "stand_alone"]

Order = Literal["", "newest", "oldest"]


@dataclass(frozen=True, slots=True)
class Past:
    """What the last answer was about: its question as searched, the entries cited, those found besides; in order."""

    query: str
    cited: tuple[Entry, ...] = ()
    also: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that needs no history. ``entries`` are the ids it is about; None means all of them."""

    query: str
    entries: tuple[str, ...] | None = None
    order: Order = ""


_YES = re.compile(
    r"(?:yes|yeah|yep|sure|ok(?:ay)?|please(?: do)?|go on|continue|more|tell me more|and|why|how|how so|really|"
    r"yes,? please|(?:can you )?(?:explain|elaborate)(?: (?:more|that|this|it))?|(?:some )?more details?|details?)"
    r"(?: please)?[\s.!?]*",
    re.IGNORECASE,
)
_OF_THEM = re.compile(
    r"\b(?:which|what|who|any|one|some|all|both|none|each|how many) (?:one )?of "
    r"(?:them|these|those|the (?:two|three|four))\b"
    r"|\bamong (?:them|these|those)\b",
    re.IGNORECASE,
)
_WHICH_ONE = re.compile(
    r"^(?:and )?(?:so )?(?:which|what) (?:one |ones )?(?:is|are|was|has|have|does|do|came|runs?|uses?)\b", re.I
)
_SUPERLATIVE = re.compile(
    r"\b(?:(?:new|old|fast|slow|small|large|big|cheap|simpl|easi|late|earli|strong|light|short|long|good|hard)"
    r"(?:er|est)|best|better|worst|worse|most (?:\w+)|least (?:\w+)|more (?:\w+)|first|last|latest|newest|oldest)\b",
    re.IGNORECASE,
)
_NEWEST = re.compile(
    r"\b(?:newest|latest|most recent|more recent|newer|last published|most up[- ]to[- ]date)\b", re.IGNORECASE
)
_OLDEST = re.compile(r"\b(?:oldest|earliest|older|came first|first published|first one published)\b", re.IGNORECASE)
_NTH = re.compile(
    r"\bthe (first|second|third|fourth|fifth|last|former|latter|other)"
    r"(?: (?:one|paper|entry|of (?:them|these|those)))?\b",
    re.IGNORECASE,
)
_NTHS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_SINGULAR = re.compile(
    r"\b(?:it|its|itself|he|she|his|her|(?:this|that|the)(?: same)? (?:one|paper|work|method|approach|technique|"
    r"system|model|tool|project|repository|repo|library|book|course|algorithm|framework|simulator|compiler|chip|"
    r"kernel|architecture|authors?|entry|resource|article|guide))\b(?! (?:of|for|that|which|in|by)\b)|"
    r"\b(?:this|that)(?= *(?:[?.!]|$))|"
    r"\b(?:does|is|was|did|can|has) (?:this|that)\b",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"\b(?:they|them|their|theirs|these|those|both|(?:the|these|those) (?:papers|works|methods|approaches|tools|ones|"
    r"systems|models|projects|books|entries|resources|two|three))\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"^(?:and what about|and|but|or|also|what about|how about|same for)\b[\s,:]*", re.I)
_WHOLE = re.compile(r"(?:what|who|where|when|why|how) (?:is|are|was|were|does|do|did)\b", re.IGNORECASE)
_FRESH = re.compile(
    r"^(?:ok(?:ay)?,? |and |so )?(?:now,? )?(?:for )?"
    r"(?:something (?:else|different)|another (?:question|topic|thing)|(?:a )?(?:new|different) (?:question|topic)|"
    r"(?:let's )?chang(?:e|ing) (?:the )?(?:subject|topic))[\s:,.;–—-]+",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(r"\bthe (?:one|ones) (?:with|that|which|for|from|by|using|about|on)\b", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"\b(?:it is|is it|was it|it's|does it (?:take|make sense)) (?:true|possible|known|safe|worth|take)\b", re.I
)
_FUNCTION = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "in",
        "is",
        "it",
        "its",
        "many",
        "may",
        "me",
        "much",
        "my",
        "of",
        "on",
        "one",
        "or",
        "should",
        "so",
        "some",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "about",
        "please",
        "show",
        "give",
        "there's",
        "any",
        "also",
        "again",
        "long",
        "big",
        "fast",
        "old",
        "new",
        "good",
        "bad",
        "often",
        "really",
        "still",
        "yet",
        "just",
        "work",
        "works",
        "use",
        "used",
        "paper",
        "published",
        "written",
        "made",
        "wrote",
        "come",
        "came",
        "start",
        "started",
        "year",
        "date",
        "people",
        "compare",
        "comparison",
    ]
)
_OPPOSED = (
    {"training", "train", "finetuning", "fine-tuning"},
    {"inference", "serving", "serve", "deployment"},
)


def stand_alone(question: str, last: Past | None) -> Standalone:
    """The question as it would be asked without what came before."""
    if last is None:
        return Standalone(question)
    text = " ".join(question.split())
    order: Order = "newest" if _NEWEST.search(text) else "oldest" if _OLDEST.search(text) else ""
    fresh = _FRESH.match(text)
    if fresh:
        return Standalone(text[fresh.end() :])
    if _YES.fullmatch(text):
        return _about(f"What is {last.cited[0].title}?", last.cited[:1]) if last.cited else Standalone(last.query)
    if _OF_THEM.search(text):
        return Standalone(_with_topic(text, last), _ids(_several(last, order)), order)
    nth = _NTH.search(text)
    if nth and last.cited and not _own(text, exclude=nth[0]):
        chosen = _nth(nth[1].lower(), last.cited)
        if chosen:
            return _about(text.replace(nth[0], chosen.title), (chosen,))
    described = _DESCRIBED.search(text)
    if described and len(last.cited + last.also) > 1:
        rest = text[described.end() :].strip(" ?.!")
        return Standalone(
            rest if len(_own(rest)) > 1 else _with_topic(rest, last), _ids(_several(last, order)), order
        )
    ellipsis = _ELLIPSIS.match(text)
    if ellipsis:
        rest = text[ellipsis.end() :]
        if _WHOLE.match(rest) and _own(rest) and not (_SINGULAR.search(rest) or _PLURAL.search(rest)):
            return Standalone(rest)
        if not (_SINGULAR.search(rest) or _PLURAL.search(rest)):
            if _WHICH_ONE.match(rest) and _SUPERLATIVE.search(rest):
                return Standalone(_with_topic(rest, last), _ids(_several(last, order)), order)
            # "What about an object detector that looks once?" says enough to be searched by itself.
            whole = len(rest.split()) > 8 or (
                ellipsis[0].lower().rstrip(" ,:").endswith("about") and len(_own(rest)) > 2
            )
            return Standalone(rest if whole else _merged(rest, last))
        text = rest
    if _WHICH_ONE.match(text) and (_SUPERLATIVE.search(text) or not _own(text)) and len(_own(text)) <= 1:
        return Standalone(_with_topic(text, last), _ids(_several(last, order)), order)
    if _PLURAL.search(text) and last.cited:
        return Standalone(_with_topic(text, last), _ids(_several(last, order)), order)
    singular = _SINGULAR.search(text)
    if singular and last.cited and not _EXPLETIVE.search(text):
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
    position = _NTHS[word]
    if word == "latter":
        position = len(entries) - 1
    return entries[position] if -len(entries) <= position < len(entries) else None


def _own(text: str, *, exclude: str = "") -> list[str]:
    """The words of a question that carry its own subject."""
    text = _SUPERLATIVE.sub(" ", text.replace(exclude, " ") if exclude else text)
    return [w for w in re.findall(r"[A-Za-z0-9][\w.+'-]*", text) if w.lower() not in _FUNCTION]


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
    for side, other in (_OPPOSED, _OPPOSED[::-1]):
        if mine & side:
            dropped |= other
    kept = [w for w in _own(base) if w.lower() not in dropped and w not in names]
    return f"{' '.join(kept)} {fragment}?".strip()


def _short(title: str) -> str:
    """A title up to its colon: what people call the thing."""
    head = title.split(":", 1)[0].strip()
    return head if len(head) >= 3 else title
