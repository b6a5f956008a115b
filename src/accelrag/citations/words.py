"""Words of a sentence: tokens with offsets, a light stem for comparing, and the words that carry no content."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["content_stems", "is_stopword", "squash", "stem", "tokens", "vocabulary", "word_set"]

_TOKEN = re.compile(r"[^\W_]+(?:['’.+#_/&-][^\W_]+)*\+*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SUFFIXES = (
    *("izations", "isations", "ization", "isation", "ations", "ation", "ively", "ments", "ment", "ities", "ity"),
    *("ingly", "ings", "ing", "edly", "ions", "ion", "ers", "ors", "er", "or", "ies", "ied", "ed", "es", "ly", "al"),
    *("s", "e", "y"),
)


def vocabulary(text: str) -> frozenset[str]:
    """The words of a list that is written as one string."""
    return frozenset(text.split())


_STOP = vocabulary(
    "a about above across after again all also although always am among an and another any are aren as at be because "
    "been before being below between both but by can cannot could did do does doing done down due during each either "
    "enough etc even ever every few for from further get gets give given gives had has have having he hence her here "
    "hers herself him himself his how however i if in indeed into is isn it its itself just least less let like made "
    "mainly make makes making many may me might more moreover most much must my nearly neither no nor not now of off "
    "often on once one only onto or other others our ours out over own per perhaps quite rather really same several "
    "shall she should since so some still such than that the their theirs them themselves then there therefore these "
    "they this those through thus to together too toward towards under until up upon us use used uses using very via "
    "was we well were what when where whereas whether which while who whom whose why will with within without would "
    "yet you your yours it's that's don doesn didn can't won"
)


def tokens(text: str) -> list[tuple[str, int, int]]:
    """``(token, start, end)`` in order. Inner hyphens, dots and apostrophes stay inside; a CJK sign is a token."""
    return [(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]


def is_stopword(word: str) -> bool:
    """Whether a word carries no content of its own."""
    return word.lower() in _STOP


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A crude stem: enough that quantize, quantized and quantization meet, and nothing that is shown."""
    word = re.sub(r"['’]s?$", "", word.lower())
    for _ in range(2):  # computationally, computation
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= (3 if len(suffix) < 4 else 4):
                word = word[: -len(suffix)]
                break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    if len(word) > 3 and word.endswith("i"):  # relies, rely
        word = word[:-1]
    if len(word) > 4 and word.endswith(("iz", "is")):
        word = word[:-2]
    return word


def _parts(token: str) -> Iterable[str]:
    pieces = re.split(r"[-/_&]", token)
    return pieces if len(pieces) > 1 else (token,)


def content_stems(text: str) -> list[str]:
    """The stems of the words that carry content, in order; compounds give their parts."""
    return [stem(part) for token, _, _ in tokens(text) for part in _parts(token) if part and not is_stopword(part)]


def word_set(text: str) -> frozenset[str]:
    """Every form in which a name may stand in a text, in lower case without punctuation.

    Tokens, their parts, neighbours written as one word, singulars, and the initials of up to five words in a row:
    ``large language models`` holds ``llm``, ``Flash Attention 2`` holds ``flashattention`` and ``flashattention2``.
    """
    found: set[str] = set()
    run: list[str] = []
    for token, _, _ in tokens(text):
        lowered = re.sub(r"['’]s?$", "", token.lower())
        found.add(squash(lowered))
        parts = [p for p in re.split(r"[-/_&.'’+#]", lowered) if p]
        camel = [p.lower() for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", token)]
        found.update(parts)
        found.update(camel)
        found.update("".join(camel[i:j]) for i in range(len(camel)) for j in range(i + 1, min(len(camel), i + 4) + 1))
        run += parts
    found.update("".join(run[i : i + n]) for n in (2, 3) for i in range(len(run) - n + 1))
    initials = [w[0] for w in run]
    found.update("".join(initials[i : i + n]) for n in (2, 3, 4, 5) for i in range(len(run) - n + 1))
    found.update({w[:-1] for w in found if len(w) > 3 and w.endswith("s")})
    return frozenset(found)


def squash(word: str) -> str:
    """A name in lower case without the punctuation that people write differently."""
    return re.sub(r"[\W_]+", "", word.lower())
