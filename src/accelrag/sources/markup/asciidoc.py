"""AsciiDoc -> Markdown, as far as reading needs it (https://docs.asciidoctor.org/asciidoc/latest/)."""

from __future__ import annotations

import re

__all__ = ["asciidoc_to_markdown"]

_BLOCKS = {"----", "....", "```"}
_HEADING = re.compile(r"^(={1,6}) +(\S.*)$")
_ATTRIBUTE = re.compile(r"^:!?[\w-]+!?:(?:\s.*)?$")
_SOURCE = re.compile(r"^\[source(?:,\s*([\w+-]+))?[^\]]*\]$")
_LINK = re.compile(r"(?:link:|xref:)?(https?://[^\s\[\]]+)\[([^\]]*)\]|(?:link|xref):([^\s\[\]]+)\[([^\]]*)\]")


def asciidoc_to_markdown(text: str) -> str:  # noqa: C901 - one kind of line a branch
    """Headings, code blocks, lists, links and tables kept; attributes, comments, pictures and includes left out."""
    out: list[str] = []
    closing, language, comment, table = "", "", False, False
    for line in text.split("\n"):
        bare = line.rstrip()
        if comment:
            comment = bare != "////"
        elif closing:
            out.append("```" if bare == closing else line)
            closing = "" if bare == closing else closing
        elif bare == "////":
            comment = True
        elif bare in _BLOCKS or re.fullmatch(r"-{4,}|\.{4,}", bare):
            closing = bare
            out.append(f"```{language}")
            language = ""
        elif match := _SOURCE.match(bare):
            language = match[1] or ""
        elif bare == "|===":
            table = not table
            out.append("")
        elif match := _HEADING.match(bare):
            out += ["", f"{'#' * len(match[1])} {_inline(match[2])}", ""]
        elif not _left_out(bare):
            out.append(_inline(re.sub(r"^(\*{1,5}) ", lambda m: "  " * (len(m[1]) - 1) + "- ", bare)))
    if closing:
        out.append("```")
    return "\n".join(out)


def _left_out(line: str) -> bool:
    return bool(
        _ATTRIBUTE.match(line)
        or (line.startswith("//") and not line.startswith("///"))
        or re.match(r"^(?:include|image|video|audio|toc|ifdef|ifndef|endif|ifeval)::", line)
        or re.fullmatch(r"\[[^\]]*\]|\+|={4,}|\*{4,}|_{4,}|'''|<<<", line)
    )


def _inline(line: str) -> str:
    line = re.sub(r"image:[^\s\[\]]+\[[^\]]*\]", "", line)
    line = _LINK.sub(lambda m: f"[{m[2] or m[4] or m[1] or m[3]}]({m[1] or m[3]})", line)
    return re.sub(r"<<([^,>]+)(?:,\s*([^>]+))?>>", lambda m: m[2] or m[1], line)
