"""Words, identifiers, compound parts and CJK n-grams of a text: what the lexical side and the gate count.

Pure and Unicode-aware; both documents and questions go through the same functions.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["STOPWORDS", "cjk_grams", "fold", "identifiers", "parts", "words"]

_STOPWORDS = """
a about after all also an and any are as at be been being but by can could did do does doing done for from get
give gives had has have having he her here him his how i if in into is it its itself just let ll many may me
might more most much must my no not of off on one only or other our out over own please same she should so some
such tell than that the their them then there these they this those through to too under up us very was we were
what when where which while who whom whose why will with would you your s t d re ve m am don doesn didn isn
explain describe show find know want need like there's using use used uses entry entries list
"""
STOPWORDS = frozenset(_STOPWORDS.split())
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(rf"[^\W_{_CJK}]+")
_TOKEN = re.compile(r"\S+")
_EDGE = "\"'“”‘’`*_.,;:!?<>«»|~…"
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def fold(text: str) -> str:
    """Lower case, compatibility forms unified, accents taken off."""
    if text.isascii():  # nearly all text, and twenty times faster
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def words(text: str) -> list[str]:
    """The folded words, in order: runs of letters and digits; a possessive ``'s`` is left out, CJK runs are too."""
    return _WORD.findall(fold(re.sub(r"['’]s\b", "", text)))


def identifiers(text: str) -> list[str]:
    """Tokens that mean something as they are written: with a digit or inner punctuation, folded, edges trimmed.

    >>> identifiers("Is LLM.int8() in arXiv 2208.07339 (see NVIDIA/cutlass)?")
    ['llm.int8()', '2208.07339', 'nvidia/cutlass']
    """
    found = []
    for token in _TOKEN.findall(text):
        name = token.strip(_EDGE)
        if name.startswith(("(", "[")):
            name = name.lstrip("([").rstrip(")],.")
        elif name.endswith(")") and "(" not in name:
            name = name.rstrip(")")
        name = name.strip(_EDGE)
        inner = re.search(r"\w[^\w\s]+\w", name) is not None
        if 1 < len(name) <= 200 and (inner or any(c.isdigit() for c in name)) and any(c.isalnum() for c in name):
            found.append("".join(fold(name).split()))  # an accent that stands alone folds to a space
    return found


def parts(text: str) -> list[str]:
    """The folded parts of compound words (``PagedAttention`` -> paged, attention) and of words joined with digits."""
    found = []
    for token in re.findall(r"[A-Za-z][A-Za-z0-9]+", text):
        split = _CAMEL.findall(token)
        if len(split) > 1:
            found += [part.lower() for part in split if len(part) > 1 or part.isdigit()]
    return found


def cjk_grams(text: str) -> list[str]:
    """Bigrams of each run of Chinese, Japanese or Korean characters; the character itself where a run has one."""
    found = []
    for run in _CJK_RUN.findall(text):
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return found
