"""Which markup a text is in, by its name or, where the name is unknown, by its looks."""

from __future__ import annotations

import re

from accelrag.sources.markup.asciidoc import asciidoc_to_markdown
from accelrag.sources.markup.markdown import clean_markdown
from accelrag.sources.markup.rst import rst_to_markdown

__all__ = ["markup_of", "readable"]

_BY_SUFFIX = {
    "md": "markdown",
    "markdown": "markdown",
    "mkd": "markdown",
    "mdown": "markdown",
    "mdx": "markdown",
    "rst": "rst",
    "rest": "rst",
    "adoc": "asciidoc",
    "asciidoc": "asciidoc",
    "asc": "asciidoc",
    "txt": "text",
    "text": "text",
}
_RST = re.compile(r"^\.\. [\w|-]+.*::|^\.\. _[^:]+:|^(?!\|)[^\n`]*`[^`\n]+ <[^>\n]+>`__?|^:[a-z]+:`", re.MULTILINE)
_RST_HEADING = re.compile(r"^([^\s#][^\n]*)\n([=\-~^\"*+])\2{2,}\s*$", re.MULTILINE)
_ADOC = re.compile(r"^= \S|^:toc:|^\[source[,\]]|^image::\S+\[|^== \S", re.MULTILINE)
_MARKDOWN = re.compile(r"^#{1,6} \S|^```|\[[^\]\n]+\]\([^)\n]+\)", re.MULTILINE)


def markup_of(text: str, name: str = "") -> str:
    """``markdown``, ``rst``, ``asciidoc`` or ``text``."""
    suffix = name.rpartition("/")[2].lower().rpartition(".")
    if suffix[1] and suffix[2] in _BY_SUFFIX:
        return _BY_SUFFIX[suffix[2]]
    head = text[:20_000]
    marks = len(_MARKDOWN.findall(head))
    if len(_RST.findall(head)) > marks:
        return "rst"
    if len(_ADOC.findall(head)) > marks:
        return "asciidoc"
    if marks or re.search(r"^[^\n]+\n(=|-){3,}\s*$", head, re.MULTILINE):
        return "rst" if not marks and len(_RST_HEADING.findall(head)) > 1 and "::" in head else "markdown"
    return "text"


def readable(text: str, *, name: str = "", base: str = "") -> tuple[str, bool]:
    """The text cleaned for reading, and whether it is Markdown. Relative links are joined to ``base``."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    markup = markup_of(text, name)
    if markup == "text":
        return text, False
    if markup == "rst":
        text = rst_to_markdown(text)
    elif markup == "asciidoc":
        text = asciidoc_to_markdown(text)
    return clean_markdown(text, base=base), True
