"""Whether a question names an entry: by a title, by what a title is short for, by its section or an identifier."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from accelrag.retriever.fusing import Fusion
from accelrag.retriever.reading import Reading
from accelrag.text.words import identifiers, words
from accelrag.types import Entry

__all__ = ["boost"]


def boost(
    reading: Reading, entry: Entry, fusion: Fusion, weight_of: Callable[[str], float], heaviest: float
) -> tuple[float, tuple[str, ...]]:
    """What is added to an entry's score because the question names it, and why.

    ``weight_of`` gives the rarity of a folded word, ``heaviest`` that of a word which occurs once.
    """
    why = []
    added = 0.0
    best = 0.0
    for alias in _aliases(entry.titles):
        length = reading.said.get("".join(alias), 0)
        if not length:
            continue
        weight = sum(weight_of(w) for w in alias) / len(alias)
        share = min(1.0, length / reading.weight)
        certain = 2.0 if share == 1.0 else min(1.0, weight / heaviest)
        value = fusion.title_boost * share * certain
        if value > best:
            best, name = value, " ".join(alias)
    if best:
        added += best
        why.append(f"the question names its title: {name!r} (+{best:.2f})")
    inside = {name.casefold() for path in entry.sections for name in path}
    section = next((name for name in reading.sections if name in inside), "")
    if section:
        added += fusion.section_boost
        why.append(f"it stands in a section that the question names: {section!r} (+{fusion.section_boost:.2f})")
    key = entry.key.casefold()
    for identifier in reading.identifiers:
        own = _identifiers(entry.titles)
        plain = identifier.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
        if identifier in own or (len(plain) > 5 and f"/{plain}/" in f"/{key.split('://')[-1]}/"):
            added += fusion.identifier_boost
            why.append(f"the question names it: {identifier!r} (+{fusion.identifier_boost:.2f})")
            break
    return added, tuple(why)


@lru_cache(maxsize=4096)
def _identifiers(titles: tuple[str, ...]) -> frozenset[str]:
    return frozenset(identifier for title in titles for identifier in identifiers(title))


@lru_cache(maxsize=4096)
def _aliases(titles: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """What people call an entry: its titles, what stands in brackets in them, what precedes a colon."""
    found = []
    for title in titles:
        found.append(words(title))
        for opened, closed in (("(", ")"), ("（", "）")):
            if opened in title and closed in title:
                inside = title[title.index(opened) + 1 : title.rindex(closed)]
                found += [words(inside), words(title[: title.index(opened)])]
                found += [words(part) for part in inside.split("/")]
        for mark in (":", " / ", " — "):
            if mark in title:
                found.append(words(title.split(mark, 1)[0]))
    return tuple(dict.fromkeys(tuple(alias) for alias in found if len("".join(alias)) > 1))
