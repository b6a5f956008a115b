"""Markdown and HTML as a person reads them: what is shown of a quote, never what is quoted."""

from __future__ import annotations

import html
import re
import unicodedata

__all__ = ["plain_text"]

_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]\[]*\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\]]*\])")
_LINK = re.compile(r"\[([^\]\[]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)|\[[^\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_EMPHASIS = re.compile(r"(?<!\w)(?:\*{1,3}|__)(?=\S)|(?<=\S)(?:\*{1,3}|__)(?!\w)|`+")
_TIMES = re.compile(r"(?:\\\\?\(|\$)\s*\\times\s*(?:\\\\?\)|\$)")  # how arXiv abstracts write ×


def plain_text(text: str) -> str:
    """The text on one line without comments, images, link targets, tags, emphasis and invisible characters."""
    text = _IMAGE.sub(" ", _COMMENT.sub(" ", text))
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _EMPHASIS.sub("", _TAG.sub("", text))
    text = _TIMES.sub("×", html.unescape(text))
    text = "".join(c for c in text if unicodedata.category(c) not in {"Cf", "Cc"} or c in "\n\t")
    return re.sub(r"\s+", " ", text.replace("|", " ")).strip()
