"""Markdown for reading: what a person skips is left out, what carries meaning stays, links lead somewhere.

Out go badges and other pictures, HTML comments and tags, front matter, tables of contents, and the sections that say
how to install or under which licence. Headings, paragraphs, lists, tables and code blocks stay as they stand.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from urllib.parse import urljoin

__all__ = ["clean_markdown"]

_FENCE = re.compile(r"^ {0,3}(?:[-*+] +|\d+[.)] +|> ?)*\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HIDDEN = re.compile(
    r"<(script|style|svg|iframe|object|template|noscript)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_FRONT = re.compile(r"\A---\n(?:[\w-]+:.*\n|[ \t]+.*\n|- .*\n)*?(?:---|\.\.\.)\n")
_TAGS = (
    "a|abbr|article|b|big|blockquote|body|br|caption|center|cite|code|col|colgroup|dd|del|details|div|dl|dt|em|figcaption|"
    "figure|font|footer|head|header|hr|html|i|img|input|ins|kbd|li|link|main|mark|meta|nav|ol|p|picture|pre|q|s|samp|"
    "section|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|var|video|wbr"
)
_TAG = re.compile(rf"</?(?:{_TAGS}|h[1-6])(?:\s[^<>]*)?/?>", re.IGNORECASE)
_HTML_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_HTML_LINK = re.compile(r"<a\b[^>]*?\bhref\s*=\s*[\"']?([^\"'\s>]+)[^>]*>(.*?)</a\s*>", re.DOTALL | re.IGNORECASE)
_HTML_ROW = re.compile(r"<tr\b[^>]*>(.*?)(?:</tr\s*>|(?=<tr\b))", re.DOTALL | re.IGNORECASE)
_HTML_CELL = re.compile(r"<t[hd]\b[^>]*>(.*?)(?:</t[hd]\s*>|(?=<t[hd]\b)|\Z)", re.DOTALL | re.IGNORECASE)
_HTML_TABLE = re.compile(r"<table\b[^>]*>(.*?)</table\s*>", re.DOTALL | re.IGNORECASE)
_HTML_PRE = re.compile(r"<pre\b[^>]*>(.*?)</pre\s*>", re.DOTALL | re.IGNORECASE)
_LINKED_IMAGE = re.compile(
    r"\[\s*(?:!\[[^\]]*\](?:\([^()\s]*(?:\([^()]*\))?[^()]*\)|\[[^\]]*\])\s*)+\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\]]*\])"
)
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?:\s+[^()]*)?\)|\[[^\]]*\])")
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(\s+[\"'][^\"'\n]*[\"'])?\s*\)"
)
_DEFINITION = re.compile(r"^( {0,3}\[[^\]]+\]:\s+)<?(\S+?)>?(\s.*)?$")
_BADGE_URL = re.compile(r"shields\.io|badge|\.svg\b|travis-ci|codecov|circleci|appveyor", re.IGNORECASE)
_ANCHOR_ITEM = re.compile(r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?\[[^\]]*\]\(#[^)]*\)[\s.,|·•-]*$")
_ANCHOR_ROW = re.compile(r"^[\s|·•*:<>/-]*(?:\[[^\]]*\]\(#[^)]*\)[\s|·•*:/,-]*){2,}$")
_DROPPED = re.compile(
    r"^(?:\d+[.)]?\s*)?(?:(?:quick |how to |easy |manual )?install(?:ation|ing)?(?: (?:guide|instructions?|steps?|"
    r"notes|from|via|with|using|on|and setup|& setup|and requirements)\b.*)?|"
    r"(?:build(?:ing)?|compil(?:e|ing)|install(?:ing)?)(?: \w+)? from sources?|"
    r"pre-?requisites?|licen[sc](?:e|es|ing)(?: .*)?|copyright(?: .*)?|contributors?|"
    r"star history|stargazers(?: over time)?|sponsors?|backers|code of conduct)\s*:?$",
    re.IGNORECASE,
)
# What stands between badges that went; the row under a table's head has dashes.
_LEFTOVER = re.compile(r"(?=.*(?:[|·•]|nbsp))(?:[\s|·•*_]|&nbsp;?)*")
_CONTENTS = re.compile(r"^(?:(?:table of )?contents?|toc)\s*:?$", re.IGNORECASE)
_LICENCE_LINE = re.compile(
    r"^(?:(?:this (?:project|repository|software|code)|[\w.-]+) is (?:released|licensed|distributed) under\b.{0,160}"
    r"|copyright (?:\(c\)|©|\d{4}).{0,160}|spdx-license-identifier:.*)$",
    re.IGNORECASE,
)


def clean_markdown(text: str, *, base: str = "") -> str:
    """Markdown without what does not read. ``base`` is the address against which relative links are joined."""
    text = _FRONT.sub("", text)
    pieces = [
        _Piece(piece.code, piece.text if piece.code else _prose(piece.text, base))
        for piece in _pieces(_pre_to_fence(text))
    ]
    lines: list[tuple[bool, str]] = []
    for piece in pieces:
        lines += [(piece.code, line) for line in piece.text.split("\n")]
    kept = _without_sections(lines)
    if not _has_text(kept):
        kept = lines
    out = "\n".join(line for _, line in kept)
    return re.sub(r"\n{3,}", "\n\n", out).strip()


@dataclass(frozen=True, slots=True)
class _Piece:
    code: bool
    text: str


@dataclass(slots=True)
class _Open:
    mark: str = ""
    lines: list[str] = field(default_factory=list)


def _pieces(text: str) -> list[_Piece]:
    """The text cut at its fences; fences belong to the code."""
    found: list[_Piece] = []
    now = _Open()
    commented = False
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if not now.mark:
            if match and not commented:
                if now.lines:
                    found.append(_Piece(False, "\n".join(now.lines)))
                now = _Open(match[1], [line])
            else:
                now.lines.append(line)
                commented = _comment_open(line, commented)
            continue
        now.lines.append(line)
        if match and match[1].startswith(now.mark) and not line.strip(" \t>`~"):
            found.append(_Piece(True, "\n".join(now.lines)))
            now = _Open()
    if now.lines:
        found.append(_Piece(bool(now.mark), "\n".join([*now.lines, now.mark] if now.mark else now.lines)))
    return found


def _comment_open(line: str, before: bool) -> bool:
    opened, closed = line.rfind("<!--"), line.rfind("-->")
    if opened == closed == -1:
        return before
    return opened > closed


def _pre_to_fence(text: str) -> str:
    def fence(match: re.Match[str]) -> str:
        body = html.unescape(_TAG.sub("", match[1])).strip("\n")
        return f"\n```\n{body}\n```\n" if body.strip() and "```" not in body else match[0]

    return _HTML_PRE.sub(fence, text) if "<pre" in text.lower() else text


def _prose(text: str, base: str) -> str:
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match[0])
        return f"\x00{len(held) - 1}\x00"

    text = text.replace("\x00", "")
    text = _COMMENT.sub("", text)
    text = re.sub(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)", hold, text)  # code spans are nobody's markup
    text = _HIDDEN.sub("", text)
    text = _LINKED_IMAGE.sub("", text)
    text = _IMAGE.sub("", text)
    text = _HTML_TABLE.sub(_table, text)
    text = _HTML_HEADING.sub(_heading, text)
    text = _HTML_LINK.sub(_html_link, text)
    text = re.sub(r"<br\s*/?>(?=[^\n|]*\n)", "\n", text, flags=re.IGNORECASE)
    text = re.sub(r"<br\s*/?>", " ", text, flags=re.IGNORECASE)
    text = re.sub(r"<li\b[^>]*>\s*", "\n- ", text, flags=re.IGNORECASE)
    text = re.sub(r"</(?:p|div|summary|details|h[1-6]|ul|ol|li)\s*>", "\n", text, flags=re.IGNORECASE)
    touched = {i for i, line in enumerate(text.split("\n")) if _TAG.search(line)}
    text = _TAG.sub("", text)
    lines = []
    for i, line in enumerate(text.split("\n")):
        if _ANCHOR_ITEM.match(line) or _ANCHOR_ROW.match(line):
            continue
        line = _absolute(line, base)
        if i in touched and not line.lstrip().startswith("|"):
            line = line.strip()
        lines.append("" if _LEFTOVER.fullmatch(line) else line)
    text = "\n".join(lines)
    text = re.sub(r"&(?:nbsp|emsp|ensp|thinsp);", " ", text)
    text = html.unescape(text)
    while "\x00" in text:
        before = text
        text = re.sub(r"\x00(\d{1,9})\x00", lambda m: held[int(m[1])] if int(m[1]) < len(held) else "", text)
        if text == before:
            text = text.replace("\x00", "")
    return text


def _table(match: re.Match[str]) -> str:
    rows = []
    for row in _HTML_ROW.finditer(match[1]):
        cells = [" ".join(_TAG.sub(" ", cell[1]).split()).replace("|", "\\|") for cell in _HTML_CELL.finditer(row[1])]
        if any(cells):
            rows.append(cells)
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    if width == 1:
        return "\n\n" + "\n\n".join(row[0] for row in rows) + "\n\n"
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows]
    return "\n\n" + "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]) + "\n\n"


def _heading(match: re.Match[str]) -> str:
    words = " ".join(_TAG.sub(" ", match[2]).split())
    return f"\n\n{'#' * int(match[1])} {words}\n\n" if words else "\n"


def _html_link(match: re.Match[str]) -> str:
    words = " ".join(_TAG.sub(" ", match[2]).split())
    if not words or "[" in words or "]" in words:
        return words
    return f"[{words}]({html.unescape(match[1])})"


def _absolute(line: str, base: str) -> str:
    def join(match: re.Match[str]) -> str:
        words, target, title = match[1], match[2], match[3] or ""
        if not words.strip():
            return ""
        if not target or target.startswith("#"):
            return words
        return f"[{words}]({_joined(base, target)}{title})"

    definition = _DEFINITION.match(line)
    if definition:
        if _BADGE_URL.search(definition[2]):
            return ""
        if not definition[2].startswith("#"):
            return f"{definition[1]}{_joined(base, definition[2])}{definition[3] or ''}"
    return _LINK.sub(join, line)


def _joined(base: str, target: str) -> str:
    if not base or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target):
        return target
    try:
        # A leading slash means the root of the repository on GitHub, not of the host.
        return urljoin(base, target.lstrip("/") if target.startswith("/") and not target.startswith("//") else target)
    except ValueError:
        return target


def _without_sections(lines: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    kept: list[tuple[bool, str]] = []
    dropping = 0
    for i, (code, line) in enumerate(lines):
        level, words = _level(lines, i)
        if level and dropping and level <= dropping:
            dropping = 0
        if level and not dropping and _DROPPED.match(_bare(words)):
            dropping = level
        elif level and not dropping and _CONTENTS.match(_bare(words)):
            dropping = 6  # any heading ends it, as some lists put everything below "Contents"
        if dropping or (not code and _LICENCE_LINE.match(line.strip())):
            continue
        kept.append((code, line))
    return kept


def _level(lines: list[tuple[bool, str]], i: int) -> tuple[int, str]:
    """The level and words of a heading line, ATX or setext; 0 for other lines."""
    code, line = lines[i]
    if code:
        return 0, ""
    match = _HEADING.match(line)
    if match:
        return len(match[1]), match[2]
    if line.strip() and i + 1 < len(lines) and not lines[i + 1][0] and (i == 0 or not lines[i - 1][1].strip()):
        under = lines[i + 1][1].strip()
        if re.fullmatch(r"=+", under):
            return 1, line.strip()
        if re.fullmatch(r"-{2,}", under) and not line.lstrip().startswith(("-", "*", "|", ">")):
            return 2, line.strip()
    return 0, ""


def _bare(words: str) -> str:
    words = _LINK.sub(r"\1", words)
    return re.sub(r"^[^\w(]+|[^\w)]+$", "", re.sub(r"[*_`]|:\w+:", "", words)).strip()


def _has_text(lines: list[tuple[bool, str]]) -> bool:
    return sum(len(line.strip()) for _, line in lines if not _HEADING.match(line)) >= 80
