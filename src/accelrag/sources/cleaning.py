"""The seam at which fetched text is made plain: nothing that hides, overprints or reorders gets into the corpus."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["clean_line", "clean_text"]

# CSI, OSC and two-byte escapes (ECMA-48), with the 8-bit forms of the first two.
_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[PX^_][^\x1b\n]{0,4096}(?:\x1b\\)?|\x1b[ -/]*[0-~]"
)
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f"  # controls but tab and newlines
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidi marks, embeddings, isolates
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb"  # variation selectors, BOM, interlinear
    "\U000e0000-\U000e0fff\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"  # tags, surrogates, noncharacters
)
# A joiner is part of the spelling in Indic and Arabic scripts and of some emoji, and hides nothing between letters of
# those; beside a Latin letter it only splits a word for the eye of a program.
_JOINER = re.compile(
    "(?<![\u0600-\u08ff\u0900-\u0dff\U0001f000-\U0001faff])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\u024f]|$)"
)
_NEWLINE = re.compile("\r\n?|[\u2028\u2029\x0c\x85]")
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")


def clean_text(text: str) -> str:
    """Text in NFC with ``\\n`` newlines, without controls, escapes, bidi overrides, zero-width marks or surrogates.

    Idempotent. Tabs and line structure are kept.
    """
    if text.isascii() and text.isprintable():
        return text.rstrip()
    text = _NEWLINE.sub("\n", text)
    before = None
    while before != text:  # what is taken out may join what stood around it into another escape
        before = text
        while "\x1b" in text and (less := _ANSI.sub("", text)) != text:
            text = less
        text = _ANSI.sub("", text)
        text = _HIDDEN.sub("", text)
        text = _JOINER.sub("", text)
        text = unicodedata.normalize("NFC", text)
    text = _SPACE.sub(" ", text)
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n")


def clean_line(text: str) -> str:
    """The same on one line, for titles and names."""
    return " ".join(clean_text(text).split())
