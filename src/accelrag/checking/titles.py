"""Whether a list's title and a paper's real title name the same work.

Curators shorten ("BERT"), gloss ("Deep Residual Learning (ResNet)"), prefix ("GPT-3: ...") and abbreviate (LLM, TPU)
titles, so equality says nothing. A part of the listed title must be found nearly whole among the real title's words
(abbreviations included), or the text must introduce the listed name; a version number that differs is never the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

__all__ = ["normalised_title", "same_work"]

_LATEX = re.compile(r"\\[a-zA-Z]+|[\\${}_^]|\\\(|\\\)")
_TOKEN = re.compile(r"[^\W_]+")
_VERSION = re.compile(r"v?\d+(?:\.\d+)?")
_PARENTHESES = re.compile(r"\(([^()]*)\)|（([^（）]*)）")
_STOP = frozenset(
    _TOKEN.findall(
        """
        a an and are as at by for from in into is it of on or the to via with you need all using
        """
    )
)
# Words that half the papers of the field have in their titles: to share them proves nothing.
_COMMON = frozenset(
    _TOKEN.findall(
        """
        learning deep neural network model language large transformer efficient inference training attention
        accelerating fast scaling system serving survey method study paper technical report architecture memory high
        performance optimization quantization generative pretrained analysis approach framework new based towards llm
        dnn cnn gpu machine data accelerator design hardware computing processing distributed parallel scalable low
        adaptive
        """
    )
)
_NAMING = re.compile(r"(?:call|term|nam|dub|coin|introduc|propos)\w*\b[^.]{0,30}$", re.IGNORECASE)
_ENOUGH = 0.75
_TEXT_READ = 4000
_LONGEST = 500  # characters of a title that are compared


def normalised_title(title: str) -> str:
    """Lower-case words of a title, one space between them: equal for titles that differ in case and punctuation."""
    return " ".join(_tokens(title))


def same_work(listed: str, real: str, text: str = "") -> bool:
    """Whether ``listed`` can be a curator's title for the work called ``real`` whose abstract or text is ``text``."""
    listed, real = listed[:_LONGEST], real[:_LONGEST]
    words = _tokens(real)
    if not words or not _tokens(listed):
        return True  # nothing to compare with
    name = _tokens(real.partition(":")[0])
    if any(_contradicts(part, name) for part in _names(listed)):
        return False
    return any(_covered(part, words) for part in _parts(listed)) or any(
        _introduced(part, text[:_TEXT_READ]) for part in _parts(listed)
    )


def _tokens(text: str) -> list[str]:
    text = unicodedata.normalize("NFKC", _LATEX.sub("", text)).casefold()
    # H2O and "H 2 O", 16x16 and "16 x 16" stay what they are; only punctuation separates.
    return [_singular(word) for word in _TOKEN.findall(text)]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _parts(listed: str) -> Iterator[list[str]]:
    """The whole title, and each stretch of it that may stand for it alone."""
    bare = _PARENTHESES.sub(" ", listed)
    inside = [a or b for a, b in _PARENTHESES.findall(listed)]
    name, _, rest = bare.partition(":")
    for part in (listed, bare, name, rest, *inside):
        if tokens := _tokens(part):
            yield tokens


def _names(listed: str) -> Iterator[list[str]]:
    """The parts that read like the name of one thing: a word or two, perhaps with a version."""
    for part in _parts(listed):
        if len(part) <= 3 and not all(token in _COMMON or token in _STOP for token in part):
            yield part


def _contradicts(name: Sequence[str], real: Sequence[str]) -> bool:
    """Whether the real title goes on with another version of the very name: FlashAttention, FlashAttention-3."""
    stem = [t for t in name if not _VERSION.fullmatch(t)]
    version = [t for t in name if _VERSION.fullmatch(t)]
    if not stem or list(real[: len(stem)]) != stem:
        return False
    following = real[len(stem)] if len(real) > len(stem) else ""
    return following not in version if version else bool(_VERSION.fullmatch(following))


def _covered(part: Sequence[str], real: Sequence[str]) -> bool:
    """Whether nearly all that a part says is in the real title, and something of it is telling."""
    total = found = telling = 0.0
    for token in part:
        if token in _STOP:
            continue
        weight = 0.4 if token in _COMMON else 1.0
        total += weight
        if _in(token, real):
            found += weight
            telling += weight
        elif _VERSION.fullmatch(token) and len(part) <= 3:
            return False
    exact = list(part) == list(real[: len(part)]) and len(part) > 1
    return total > 0 and found / total >= _ENOUGH and (telling >= 1.0 or exact)


def _in(token: str, real: Sequence[str]) -> bool:
    if token in real or _abbreviates(token, real):
        return True
    return len(token) >= 5 and any(len(word) >= 5 and fuzz.ratio(token, word) >= 88 for word in real)


def _abbreviates(short: str, words: Sequence[str]) -> bool:
    """Whether a token is made of the beginnings of consecutive words: TPU, MoE, LLM, YOLO, ALiBi."""
    if not 2 <= len(short) <= 8 or not short.isalpha():
        return False
    return any(_spelt(short, words[start:]) for start in range(len(words) - 1))


def _spelt(short: str, words: Sequence[str]) -> bool:
    """``short`` from the first word on, each word giving one to three letters, small words giving one or none."""
    ends = {0: 0}  # letters used -> words that gave some
    for count, word in enumerate(words[: len(short) + 3]):
        after: dict[int, int] = {}
        for used, givers in ends.items():
            if word in _STOP and count:
                after[used] = max(after.get(used, 0), givers)
            for length in (1, 2, 3):
                if len(short) >= used + length and word.startswith(short[used : used + length]):
                    after[used + length] = max(after.get(used + length, 0), givers + 1)
        if word not in _STOP and after.get(len(short), 0) >= 2 and 2 * after[len(short)] >= len(short):
            return True
        ends = {used: givers for used, givers in after.items() if used < len(short)}
        if not ends:
            return False
    return False


def _introduced(part: Sequence[str], text: str) -> bool:
    """Whether a text introduces a name: "a method termed Wanda", "we propose multi-query attention"."""
    if len(part) > 4 or not any(len(t) >= 3 and t not in _STOP for t in part):
        return False
    phrase = re.compile(r"\b" + r"[\W_]*".join(re.escape(t) + "s?" for t in part) + r"\b", re.IGNORECASE)
    return any(_NAMING.search(text[max(0, m.start() - 120) : m.start()]) for m in phrase.finditer(text))
