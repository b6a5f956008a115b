"""Where a link may lead, and how it opens a source at the very text.

Text fragments: https://wicg.github.io/scroll-to-text-fragment/. ``#page=`` of PDFs: RFC 8118, section 3.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from accelrag.types import Citation, Document

__all__ = ["source_link", "web_link"]

_WORDS = 5  # words at either end of a quote that name it: whole quotes break on markup in between
_MARKUP = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)|[*_`#>|]+")
_QUOTED = frozenset({"abstract", "page", "full", "readme"})


def web_link(url: str) -> str:
    """The address when it is one of the web, else nothing."""
    if any(c.isspace() or not c.isprintable() for c in url) or "\\" in url:
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.hostname else ""


def source_link(citation: Citation, document: Document | None) -> str:
    """The source at the quoted text: a page of a PDF, a text fragment of a page, or the plain address.

    The list's own words are in the list and not at the source, so such a quote opens the source at its top.
    """
    own = citation.document.startswith("note:")
    base = web_link(citation.source) or web_link(citation.entry.url)
    if not base or own or citation.coverage not in _QUOTED:
        return web_link(citation.entry.url) or base
    base = base.split("#", 1)[0]
    if citation.page:
        return f"{base}#page={citation.page}"
    if document is not None and _raw(base):
        base = web_link(citation.entry.url).split("#", 1)[0] or base
    fragment = _fragment(citation.quote)
    return f"{base}#:~:text={fragment}" if fragment else base


def _raw(url: str) -> bool:
    host = (urlsplit(url).hostname or "").casefold()
    return host.startswith(("raw.", "api.", "export."))


def _fragment(quote_text: str) -> str:
    plain = _MARKUP.sub(lambda m: m[1] or "", quote_text)
    words = plain.split()
    if not words:
        return ""
    if len(words) <= 2 * _WORDS:
        return _encoded(" ".join(words))
    return f"{_encoded(' '.join(words[:_WORDS]))},{_encoded(' '.join(words[-_WORDS:]))}"


def _encoded(words: str) -> str:
    # The dash divides prefixes from text in a fragment, so it is encoded too.
    return quote(words, safe="").replace("-", "%2D")
