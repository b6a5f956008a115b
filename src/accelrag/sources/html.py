"""HTML -> main text as Markdown, and what the page says about itself. Links, scripts and styles are data here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from accelrag.errors import FetchFailed

__all__ = ["Page", "main_text", "read_head"]

_MARK = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class Page:
    """A page's head: title, meta tags (lower-case names, every value), licence, password field, words."""

    title: str = ""
    meta: dict[str, list[str]] = field(default_factory=dict)
    licence: str = ""
    asks_password: bool = False
    words: str = ""
    scripts: int = 0
    noscript: str = ""
    headings: tuple[str, ...] = ()

    def first(self, *names: str) -> str:
        """The first value of the first of these names that has one."""
        for name in names:
            for value in self.meta.get(name, ()):
                if value.strip():
                    return " ".join(value.split())
        return ""

    def all(self, name: str) -> list[str]:
        """Every value of a name."""
        return [" ".join(value.split()) for value in self.meta.get(name, ()) if value.strip()]


def read_head(text: str) -> Page:
    """What the page says about itself.

    Raises:
        FetchFailed: empty: nothing of it is HTML.
    """
    tree = _tree(text)
    meta: dict[str, list[str]] = {}
    for tag in tree.iter("meta"):
        name = (tag.get("name") or tag.get("property") or tag.get("itemprop") or "").strip().lower()
        if name and tag.get("content"):
            meta.setdefault(name, []).append(tag.get("content"))
    licence = ""
    for tag in tree.iter("link", "a"):
        if "license" in (tag.get("rel") or "").lower().split() and tag.get("href", "").startswith(
            ("http:", "https:")
        ):
            licence = licence or tag.get("href")
    noscript = " ".join(" ".join(tag.itertext()) for tag in tree.iter("noscript"))
    title = next((" ".join("".join(tag.itertext()).split()) for tag in tree.iter("title")), "")
    headings = tuple(" ".join("".join(tag.itertext()).split()) for tag in tree.iter("h1"))
    scripts = sum(1 for _ in tree.iter("script"))
    password = any((tag.get("type") or "").lower() == "password" for tag in tree.iter("input"))
    for tag in list(tree.iter("script", "style", "noscript", "template", "svg")):
        tag.drop_tree()
    words = " ".join(" ".join(tree.itertext()).split())
    return Page(title, meta, licence, password, words, scripts, noscript, headings)


def main_text(text: str, url: str) -> str:
    """The main text in Markdown, without navigation, adverts and comments; empty where there is none.

    Raises:
        FetchFailed: empty: no HTML; unreadable: the extractor fails on it.
    """
    import logging

    import lxml.html
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    # Written out by the parser, as the extractor loses pages that leave out <html> and <body>, which HTML allows.
    whole = lxml.html.tostring(_tree(text), encoding="unicode")
    for recall in (False, True):
        try:
            found = trafilatura.extract(
                whole,
                url=url or None,
                output_format="markdown",
                include_comments=False,
                include_tables=True,
                include_links=False,
                include_formatting=True,
                with_metadata=False,
                favor_recall=recall,
            )
        except Exception as error:
            raise FetchFailed(f"the page's text cannot be taken out: {error}", reason="unreadable") from error
        if found:
            return str(found)
    return ""


def _tree(text: str) -> Any:
    import lxml.html
    from lxml import etree

    if not text.strip():
        raise FetchFailed("the page is empty", reason="empty")
    # A declared encoding makes lxml refuse text that is already decoded.
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", _MARK.sub("", text), count=1)
    try:
        parser = lxml.html.HTMLParser(huge_tree=False, remove_comments=True, remove_pis=True, no_network=True)
        return lxml.html.document_fromstring(text, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise FetchFailed("the page holds no HTML", reason="empty") from error
