"""reStructuredText -> Markdown, as far as reading needs it (https://docutils.sourceforge.io/docs/ref/rst/)."""

from __future__ import annotations

import re

__all__ = ["rst_to_markdown"]

_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_<>])\1{2,}\s*$")
_DIRECTIVE = re.compile(r"^(\s*)\.\. (?:\|[^|]+\| )?([\w:+-]+)::\s*(.*)$")
_EXPLICIT = re.compile(r"^(\s*)\.\. (?!\[)")
_CODE = {"code", "code-block", "sourcecode", "parsed-literal", "highlight", "math", "prompt", "console"}
_SPOKEN = {
    "note",
    "warning",
    "tip",
    "important",
    "hint",
    "caution",
    "attention",
    "danger",
    "admonition",
    "topic",
    "epigraph",
}
_NAMED_LINK = re.compile(r"`([^`<>\n]+?)\s*<([^<>`\s]+)>`__?")
_ROLE = re.compile(r":[\w:+-]+:`([^`<>]+?)(?:\s*<[^<>`]+>)?`")
_LITERAL = re.compile(r"``(.+?)``")
_TARGET = re.compile(r"^\.\. _`?([^:`]+)`?:\s*(\S+)\s*$", re.MULTILINE)


def rst_to_markdown(text: str) -> str:  # noqa: C901 - one kind of line a branch
    """Headings, code blocks, links, notes and tables kept; pictures, comments and trees of contents left out."""
    targets = {name.strip().lower(): url for name, url in _TARGET.findall(text) if "://" in url}
    lines = text.expandtabs(4).split("\n")
    out: list[str] = []
    levels: list[str] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        style, words, used = _heading(lines, i)
        if style:
            if style not in levels:
                levels.append(style)
            out += ["", f"{'#' * min(levels.index(style) + 1, 6)} {_inline(words, targets)}", ""]
            i += used
            continue
        directive = _DIRECTIVE.match(line)
        if directive:
            body, i = _indented(lines, i + 1, len(directive[1]))
            out += _told(directive[2].lower(), directive[3], body, targets)
            continue
        if _EXPLICIT.match(line) or line.strip() == "..":
            _, i = _indented(lines, i + 1, len(line) - len(line.lstrip()))
            continue
        i += 1
        if line.rstrip().endswith("::"):
            body, following = _indented(lines, i, len(line) - len(line.lstrip()))
            if any(b.strip() for b in body):
                spoken = line.rstrip()[:-2].rstrip()
                if spoken:
                    out.append(_inline(f"{spoken}:", targets))
                out += _fenced(body, "")
                i = following
                continue
        out.append(line if line.lstrip().startswith(("+-", "+=", "==")) else _inline(line, targets))
    return "\n".join(out)


def _heading(lines: list[str], i: int) -> tuple[str, str, int]:
    line = lines[i]
    if _UNDERLINE.match(line) and i + 2 < len(lines) and lines[i + 1].strip() and _UNDERLINE.match(lines[i + 2]):
        same = line.strip()[0] == lines[i + 2].strip()[0]
        alone = i == 0 or not lines[i - 1].strip()
        if same and alone and len(line.strip()) >= len(lines[i + 1].strip()) and " " not in line.strip():
            return line.strip()[0] * 2, lines[i + 1].strip(), 3
    if (
        line.strip()
        and not line.startswith(" ")
        and i + 1 < len(lines)
        and _UNDERLINE.match(lines[i + 1])
        and not _UNDERLINE.match(line)
        and len(lines[i + 1].strip()) + 2 >= len(line.strip())
        and (i == 0 or not lines[i - 1].strip() or _EXPLICIT.match(lines[i - 1]))
    ):
        return lines[i + 1].strip()[0], line.strip(), 2
    return "", "", 0


def _indented(lines: list[str], i: int, outer: int) -> tuple[list[str], int]:
    """The lines from ``i`` that are blank or deeper than ``outer``, without their common indent."""
    start = i
    while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip()) > outer):
        i += 1
    body = lines[start:i]
    depth = min((len(b) - len(b.lstrip()) for b in body if b.strip()), default=0)
    return [b[depth:] for b in body], i


def _told(name: str, argument: str, body: list[str], targets: dict[str, str]) -> list[str]:
    options = 0
    while options < len(body) and re.match(r"^:[\w-]+:", body[options]):
        options += 1
    body = body[options:]
    if name in _CODE:
        return _fenced(body, "" if name in {"math", "parsed-literal"} else argument)
    if name in _SPOKEN:
        told = rst_to_markdown("\n".join([argument, *body])).strip()
        return ["", told, ""] if told else []
    if name in {"table", "csv-table", "list-table"}:
        return ["", argument, "", *body, ""]
    return []


def _fenced(body: list[str], language: str) -> list[str]:
    code = "\n".join(body).strip("\n")
    return ["", f"```{language.strip().split(' ')[0]}", code, "```", ""] if code.strip() else []


def _inline(line: str, targets: dict[str, str]) -> str:
    def known(match: re.Match[str]) -> str:
        words = match[1] or match[2]
        url = targets.get(words.lower())
        return f"[{words}]({url})" if url else words

    line = _LITERAL.sub(r"`\1`", line)
    line = _NAMED_LINK.sub(r"[\1](\2)", line)
    line = _ROLE.sub(r"`\1`", line)
    line = re.sub(r"(?<!`)`([^`\n]+)`__?(?!\w)|(?<![\w`/])([A-Za-z][\w.-]*\w)__?(?![\w`(])", known, line)
    return (
        re.sub(r"\|[\w .-]+\|(?:__?)?", "", line)
        if line.count("|") == 2 and not line.strip().startswith("+")
        else line
    )
