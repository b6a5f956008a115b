"""Any text -> HTML that shows it and does nothing else.

Lists, documents, questions and models may hold markup, scripts and characters that turn the reading direction. All of
it is shown as text. See https://owasp.org/www-community/attacks/xss/ and https://trojansource.codes for the reasons.
"""

from __future__ import annotations

import html
import re

__all__ = ["prose", "shorten", "text", "visible"]

# Embeddings, overrides and isolates turn text around; marks of direction (U+200E, U+200F) are ordinary in Arabic.
_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd")
_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "\ufffd")
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_SHOWN = {**_TURNING, **_CONTROL, **_SURROGATES}
_CODE = re.compile(r"`([^`\n]{1,200})`")
_STRONG = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_LONGEST = 20_000


def shorten(value: str, limit: int) -> str:
    """At most ``limit`` characters, the last one an ellipsis where something was cut."""
    return value if len(value) <= limit else value[: limit - 1].rstrip() + "…"


def visible(value: str) -> str:
    """The text with U+FFFD for each character that is not seen and changes what is."""
    return value.translate(_SHOWN)


def text(value: str, limit: int = _LONGEST) -> str:
    """Text for the inside of an element, or of an attribute in double quotes."""
    return html.escape(visible(shorten(value, limit)))


def prose(value: str, limit: int = _LONGEST) -> str:
    """Text of a sentence, with code and stress of its Markdown shown and links reduced to their words."""
    shown = text(value, limit)
    shown = _LINK.sub(r"\1", shown)
    shown = _STRONG.sub(r"<strong>\1</strong>", shown)
    return _CODE.sub(r"<code>\1</code>", shown)
