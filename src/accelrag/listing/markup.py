"""Markdown text -> tokens: CommonMark with GFM tables, strikethrough, footnotes and bare addresses; linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

__all__ = ["bare_addresses", "tokens"]

_MAX_NESTING = 100
_MAX_BRACKETS = 60
_MAX_INLINE = 50_000
# GFM autolinks, section 6.9: a scheme or www., not in the middle of a word.
_BARE = re.compile(r"(?<![A-Za-z0-9/@.])(?:https?://|www\.(?=[a-z0-9]))[^\s<>\"`\u3000-\u303f\uff00-\uffef]+", re.I)


def tokens(text: str) -> list[Token]:
    """The block tokens of a Markdown text, inline ones with their children."""
    return _markdown().parse(text)


def bare_addresses(text: str) -> Iterator[tuple[int, str]]:
    """``(offset, address)`` of each address that stands in a text without markup."""
    for match in _BARE.finditer(text):
        if address := _trimmed(match[0]):
            yield match.start(), address


def _markdown() -> MarkdownIt:
    md = MarkdownIt(
        "commonmark",
        {"html": True, "maxNesting": _MAX_NESTING, "inline_definitions": True, "store_labels": True},
    ).enable(["table", "strikethrough"])
    md.use(footnote_plugin, inline=False).use(front_matter_plugin)
    md.disable("footnote_tail")  # it would move footnotes out of their section and drop those nothing refers to
    md.core.ruler.at("inline", _inline)
    md.normalizeLink = lambda url: url  # type: ignore[method-assign]  # addresses as they are written
    md.validateLink = lambda url: True  # type: ignore[method-assign]  # a refused scheme is counted, not lost
    return md


def _inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        if token.children is None:
            token.children = []
        plain = _knotted(token.content)
        if not plain:
            try:
                state.md.inline.parse(token.content, state.md, state.env, token.children)
            except RecursionError:  # images in images in images
                plain = True
        if plain:
            token.children = [Token("text", "", 0, content=line) for line in token.content.split("\n")]


def _knotted(content: str) -> bool:
    """Whether brackets nest so deep, or a line is so long, that parsing would take quadratic time."""
    if len(content) > _MAX_INLINE:
        return True
    if content.count("[") <= _MAX_BRACKETS:
        return False
    depth = 0
    for character in content:
        if character == "[":
            depth += 1
            if depth > _MAX_BRACKETS:
                return True
        elif character == "]" and depth:
            depth -= 1
    return False


def _trimmed(address: str) -> str:
    """GFM: trailing punctuation and unbalanced closing brackets are not part of a bare address."""
    closing = address.count(")") - address.count("(")
    end = len(address)
    while end:
        last = address[end - 1]
        if last in "?!.,:;*_~'|]":
            end -= 1
        elif last == ")" and closing > 0:
            end, closing = end - 1, closing - 1
        else:
            break
    return address[:end]
