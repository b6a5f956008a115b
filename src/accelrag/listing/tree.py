"""Markdown and the HTML inside it -> one tree of blocks that hold flat runs of text, links and images.

Blocks nest (a list item in a list in a table cell); what stands inside a block does not: emphasis and links are
marks on a run, so that no text can make the tree deep. HTML is read by ``html.parser`` with the same result as the
Markdown that means the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it.token import Token

from accelrag.listing.markup import bare_addresses, tokens

__all__ = ["Block", "Link", "Run", "read_tree"]

_MAX_DEPTH = 120


@dataclass(eq=False, slots=True)
class Link:
    """A hyperlink. ``line`` counts from 1."""

    href: str
    line: int
    bare: bool = False  # the address itself is the text
    label: str = ""  # of the reference definition that it names


@dataclass(eq=False, slots=True)
class Run:
    """Text with one set of marks. ``image`` holds an image's address, and then ``text`` is its alternative text."""

    text: str
    line: int
    link: Link | None = None
    strong: bool = False
    image: str = ""
    code: bool = False


@dataclass(eq=False, slots=True)
class Block:
    """A block by its HTML name; ``""`` in ``parts`` is a boundary that ends a loose paragraph."""

    tag: str
    line: int
    markdown: bool = False
    parts: list[Block | Run | str] = field(default_factory=list)
    target: Link | None = None  # for a reference definition


# What nests. Everything else in HTML is either a boundary or a mark on the text.
_NESTING = {"ul", "ol", "li", "table", "tr", "td", "th", "p", "details", "summary"} | {f"h{n}" for n in range(1, 7)}
_SAME = {"dl": "ul", "menu": "ul", "dt": "li"}
_CLOSES = {
    "li": ({"li"}, {"ul", "ol"}),
    "tr": ({"td", "th", "tr"}, {"table"}),
    "td": ({"td", "th"}, {"tr", "table"}),
    "th": ({"td", "th"}, {"tr", "table"}),
    "p": ({"p"}, {"li", "td", "th", "details"}),
}
_BOUNDARIES = {
    *("div", "center", "section", "article", "blockquote", "hr", "pre", "header", "footer", "nav", "main", "aside"),
    *("figure", "figcaption", "address", "thead", "tbody", "tfoot", "form", "fieldset"),
}
_UNSEEN = {"script", "style", "template", "title", "head"}
_STRONG = {"b", "strong"}


def read_tree(text: str) -> Block:
    """The tree of a whole Markdown text."""
    grower = _Grower()
    for token in tokens(text):
        grower.take(token)
    return grower.root


_ASIDES = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}


class _Grower:
    """Builds the tree from Markdown tokens and HTML events."""

    def __init__(self) -> None:
        self.root = Block("root", 1, markdown=True)
        self._stack = [self.root]
        self._link: Link | None = None
        self._strong = 0
        self._unseen = 0
        self._line = 1
        self._html = _HtmlEvents(self)

    def take(self, token: Token) -> None:  # noqa: C901 - one kind of token a branch
        if token.map:
            self._line = token.map[0] + 1
        if token.type != "html_block":
            self._unseen = 0  # a <template> that is never closed must not hide the rest of the list
        if token.type == "inline":
            for child in token.children or ():
                self._take_inline(child)
            self._link, self._strong = None, 0
        elif token.type == "html_block":
            self._html.read(token.content, self._line)
        elif token.type == "definition":
            target = Link(str(token.meta["url"]), self._line, label=str(token.meta["id"]))
            self._top.parts.append(Block("definition", self._line, target=target))
        elif token.nesting and token.tag in _NESTING:
            if token.nesting > 0:
                self._push(Block(token.tag, self._line, markdown=True))
            else:
                self._pop_markdown(token.tag)
        else:
            self.boundary()

    def _take_inline(self, token: Token) -> None:  # noqa: C901 - one kind of token a branch
        match token.type:
            case "text" | "text_special":
                self.text(token.content)
            case "code_inline":
                self._run(token.content, code=True)
            case "softbreak" | "hardbreak":
                self._run("\n")
                self._line += 1
            case "link_open":
                label = str(token.meta.get("label", "")) if token.meta else ""
                self.open_link(str(token.attrs.get("href", "")), label=label, bare=token.info == "auto")
            case "link_close":
                self.close_link()
            case "strong_open":
                self._strong += 1
            case "strong_close":
                self._strong -= 1
            case "image":
                self.image(str(token.attrs.get("src", "")), _alternative(token))
            case "html_inline":
                self._html.read(token.content, self._line)

    @property
    def _top(self) -> Block:
        return self._stack[-1]

    def _push(self, block: Block) -> None:
        self._top.parts.append(block)
        self._stack.append(block)

    def _pop_markdown(self, tag: str) -> None:
        while len(self._stack) > 1:
            block = self._stack.pop()
            if block.markdown and block.tag == tag:
                return

    def _within(self, limits: set[str]) -> Iterator[int]:
        """Indices of open HTML blocks from the innermost, up to a Markdown block or a limit."""
        for index in range(len(self._stack) - 1, 0, -1):
            block = self._stack[index]
            if block.markdown or block.tag in limits:
                return
            yield index

    # HTML events

    def open_tag(self, tag: str, href: str | None, source: str, alternative: str, line: int) -> None:  # noqa: C901 - one tag a branch
        self._line = line
        tag = _SAME.get(tag, tag)
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "a":
            self.close_link()
            if href is not None:
                self.open_link(href)
        elif tag == "img":
            self.image(source, alternative)
        elif tag in _STRONG:
            self._strong += 1
        elif tag == "br":
            self._run("\n")
        elif tag == "dd":
            self._run(" \u2014 ")
        elif tag in _NESTING:
            closing, limits = _CLOSES.get(tag, (set(), set()))
            outermost = [i for i in self._within(limits) if self._stack[i].tag in closing]
            if outermost:
                del self._stack[outermost[-1] :]
            if len(self._stack) < _MAX_DEPTH:
                self._push(Block(tag, line))
            else:
                self.boundary()
        elif tag in _BOUNDARIES:
            self.boundary()

    def close_tag(self, tag: str) -> None:  # noqa: C901 - one tag a branch
        if tag == "dt":
            return  # its description belongs to the same item
        tag = _SAME.get(tag, tag)
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag == "a":
            self.close_link()
        elif tag in _STRONG:
            self._strong = max(0, self._strong - 1)
        elif tag in _NESTING:
            for index in self._within(set()):
                if self._stack[index].tag == tag:
                    del self._stack[index:]
                    break
        elif tag in _BOUNDARIES:
            self.boundary()

    def boundary(self) -> None:
        self._top.parts.append("")

    def open_link(self, href: str, *, label: str = "", bare: bool = False) -> None:
        self._link = Link(href, self._line, bare=bare, label=label)
        self._run("")

    def close_link(self) -> None:
        self._link = None

    def image(self, source: str, alternative: str) -> None:
        self._run(alternative, image=source or "?")

    def text(self, text: str) -> None:
        if self._link is not None or self._unseen:
            self._run(text)
            return
        end = 0
        for start, address in bare_addresses(text):
            self._run(text[end:start])
            self.open_link(address if "://" in address else f"http://{address}", bare=True)
            self._run(address)
            self.close_link()
            end = start + len(address)
        self._run(text[end:])

    def at_line(self, line: int) -> None:
        self._line = line

    def _run(self, text: str, *, image: str = "", code: bool = False) -> None:
        if self._unseen:
            return
        self._top.parts.append(Run(text, self._line, self._link, self._strong > 0, image, code))


class _HtmlEvents(HTMLParser):
    def __init__(self, grower: _Grower) -> None:
        super().__init__(convert_charrefs=True)
        self._grower = grower
        self._first = 1

    def read(self, html: str, line: int) -> None:
        self.reset()
        self._first = line
        self.feed(_without_asides(html))
        self.close()

    def _here(self) -> int:
        return self._first + self.getpos()[0] - 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in reversed(attrs)}
        self._grower.open_tag(tag, found.get("href"), found.get("src", ""), found.get("alt", ""), self._here())

    def handle_endtag(self, tag: str) -> None:
        self._grower.close_tag(tag)

    def handle_data(self, data: str) -> None:
        self._grower.at_line(self._here())
        self._grower.text(data)


def _without_asides(html: str) -> str:
    """HTML less comments, declarations and instructions. Unclosed ones cost ``html.parser`` quadratic time."""
    if "<!" not in html and "<?" not in html:
        return html
    kept: list[str] = []
    at = 0
    for start in re.finditer(r"<!--|<!\[CDATA\[|<[!?]", html):
        if start.start() < at:
            continue
        closing = _ASIDES.get(start[0], ">")
        end = html.find(closing, start.end())
        aside = html[start.start() : end + len(closing) if end >= 0 else len(html)]
        kept += [html[at : start.start()], "\n" * aside.count("\n")]
        at = start.start() + len(aside)
    return "".join([*kept, html[at:]])


def _alternative(token: Token) -> str:
    return "".join(child.content or (" " if child.type == "softbreak" else "") for child in token.children or ())
