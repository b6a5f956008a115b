"""Names and identifiers of a sentence: vLLM, FP8, H100, FlashAttention-2, Orca, 2205.14135, owner/repo, December."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from accelrag.citations.words import is_stopword, squash, stem, tokens, vocabulary

__all__ = ["Name", "names"]


_VERB = re.compile(r"(?:es|[^su]s|ed|ing)$")  # a name before a verb is its subject: that is checked elsewhere


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands, its squashed forms (each must be found), and how sure it is that it is one."""

    text: str
    forms: tuple[str, ...]
    exact: bool  # holds a digit: the evidence itself must hold it, the rest of the source is not enough
    first: bool = False  # a capital at the start of a sentence, which any word has


# Words that a writer adds without a source, and terms so general that a source need not spell them the same.
_GENERAL = frozenset(
    "ai ml dl llm llms nn nns dnn dnns api url pdf english u.s pytorch's i ok vs".replace("pytorch's ", "").split()
)
_FIRST_WORDS = vocabulary(
    "according additional additionally another author authors because besides both compared consequently "
    "conversely currently despite developers different each existing experiments finally first furthermore "
    "generally hence however importantly instead key many methods modern moreover most next notably overall paper "
    "papers people practitioners previous prior readers recent recently research researchers results second "
    "several similarly since some specifically students subsequently such system systems therefore third thus "
    "together traditional typically unlike users various when whereas while work works yes sources source list "
    "entry entries resource here introduced introduces proposed proposes presented presents describes described "
    "covers covered using used given evaluations evaluation tests engineers end larger smaller multiple single "
    "every its their approach technique idea method project repository tool library framework book course guide "
    "tutorial textbook documentation article"
)
_URL = re.compile(r"https?://[^\s)\]>]+|\b10\.\d{4,9}/[^\s)\]>]+")
_UNIT_LIKE = re.compile(
    r"[\d.,]+(?:[-–~][\d.,]+)?(?:x|k|m|b|t|g|%|(?:[kmgtp]i?)?b(?:ps|/s)?|ms|us|ns|s|w|kw|mw|nm|mm|[kmg]?hz|(?:[kmgtpe])?(?:fl)?ops|fold|bit|bits|"
    r"(?:st|nd|rd|th))(?:-.*)?",
    re.IGNORECASE,
)


def names(text: str) -> list[Name]:
    """The names of a sentence, in order."""
    found: list[Name] = []
    links = [(m.start(), m.end(), m[0].rstrip(".,;:")) for m in _URL.finditer(text)]
    found += [Name(link, (squash(re.sub(r"^https?://(?:www\.)?", "", link)),), exact=True) for _, _, link in links]
    words = [w for w in tokens(text) if not any(a <= w[1] < b for a, b, _ in links)]
    for i, (token, start, _) in enumerate(words):
        first = (
            start == 0 or not re.search(r"\w", text[:start]) or bool(re.search(r"[.!?:]\s+[\"“(]?$", text[:start]))
        )
        bare = re.sub(r"['’]s?$", "", token)
        follower = words[i + 1][0] if i + 1 < len(words) else ""
        name = _name(bare, first=first, follower=follower)
        if name:
            found.append(name)
    return found


def _name(token: str, *, first: bool, follower: str) -> Name | None:  # noqa: C901 - one rule a branch
    lowered = token.lower()
    if lowered in _GENERAL or not any(c.isalpha() for c in token):
        return Name(token, (squash(token),), exact=True) if re.fullmatch(r"\d{4}\.\d{4,5}", token) else None
    if is_stopword(lowered) or _UNIT_LIKE.fullmatch(token):
        return None
    if re.search(r"\d", token) and not re.fullmatch(r"\d+-[a-z-]+", token):
        return Name(token, (squash(token),), exact=True)
    if re.fullmatch(r"\d{1,2}", follower) and token[0].isupper() and not first:
        return Name(f"{token} {follower}", (squash(token + follower),), exact=True)
    capitals = [part for part in re.split(r"[-/&]", token) if _named(part) and part.lower() not in _GENERAL]
    if not capitals:
        return None
    inner = any(c.isupper() for part in capitals for c in part[1:])
    if first and not inner:
        if re.fullmatch(r"\d{1,2}", follower):
            return Name(f"{token} {follower}", (squash(token + follower),), exact=True)
        if lowered in _FIRST_WORDS or (len(capitals) == 1 and lowered.endswith(("ly", "ing"))):
            return None
        return Name(token, tuple(squash(part) for part in capitals), exact=False, first=True)
    return Name(token, tuple(squash(part) for part in capitals), exact=False)


def _named(part: str) -> bool:
    return any(c.isupper() for c in part) and not is_stopword(part) and len(squash(part)) > 1


def found_in(name: Name, words: frozenset[str], stems: frozenset[str]) -> bool:
    """Whether a text, given as its ``word_set`` and its stems, holds a name."""
    for form in name.forms:
        singular = form[:-1] if len(form) > 2 and form.endswith("s") else form
        if form not in words and singular not in words and not (not name.exact and stem(form) in stems):
            return False
    return True


def substituted(name: Name, claim: str, evidence: str) -> str:
    """The other name that stands in the evidence where the claim has this one; empty where none does.

    "on the COCO test set" against "on the ImageNet test set": the same words before or behind, another name between.
    """
    ours = {squash(n.text) for n in names(claim)}
    behind, before = _neighbours(claim, name.text)
    for other in names(evidence):
        if squash(other.text) in ours or other.first:
            continue
        follows, leads = _neighbours(evidence, other.text)
        if (behind and behind == follows) or (before and before == leads):
            return other.text
    return ""


def exchanged(claim: str, evidence: str) -> str:
    """A name and its noun as the evidence has them, where the claim has another of its names before that noun.

    "on the Guanaco benchmark" against "Guanaco ... on the Vicuna benchmark".
    """
    ours, theirs = _before_nouns(claim), _before_nouns(evidence)
    known = {squash(n.text) for n in names(evidence)}
    for noun, before in ours.items():
        there = theirs.get(noun, {})
        for form in before:
            if form in known and there and form not in there:
                return f"{next(iter(there.values()))} {noun}"
    return ""


def _before_nouns(text: str) -> dict[str, dict[str, str]]:
    """``noun -> {name: as written}`` for each name that stands directly before a word that is none."""
    found: dict[str, dict[str, str]] = {}
    words = tokens(text)
    for (left, _, end), (right, start, _) in pairwise(words):
        named = len(left) > 1 and any(c.isupper() for c in left[1:] + left[:1]) and not is_stopword(left)
        if named and right.islower() and len(right) > 4 and not is_stopword(right) and text[end:start] == " ":
            if _VERB.search(right):
                continue
            found.setdefault(stem(right), {})[squash(left)] = left
    return found


def _neighbours(text: str, name: str) -> tuple[str, str]:
    at = text.find(name)
    after = [w for w, _, _ in tokens(text[at + len(name) : at + len(name) + 40])][:1]
    ahead = [w for w, _, _ in tokens(text[max(0, at - 40) : at])][-1:]
    return tuple(stem(w[0]) if w and not is_stopword(w[0]) else "" for w in (after, ahead))  # type: ignore[return-value]
