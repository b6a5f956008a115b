"""A list with its moved links replaced, and every other character as it was. Pure."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from accelrag.listing import canonical_url
from accelrag.listing.markup import bare_addresses, tokens

__all__ = ["fixed_list"]

# Where a destination starts: inline, reference definition, attribute, autolink.
_LEAD = re.compile(
    r"(?P<inline>\]\([ \t]*)(?=https?:)|(?P<angle>\]\([ \t]*<|\]:[ \t]*<|<)(?=https?:)|"
    r"(?P<definition>\]:[ \t]*)(?=https?:)|"
    r"(?P<quoted>\bhref[ \t]*=[ \t]*(?P<quote>[\"']))|(?P<unquoted>\bhref[ \t]*=[ \t]*)(?=https?:)",
    re.IGNORECASE,
)
# No address is longer; without the bound, a line of unclosed brackets takes quadratic time.
_LONGEST = 4096
_UNTIL_SPACE = re.compile(rf"[^\s]{{0,{_LONGEST}}}")
_UNTIL_ANGLE = re.compile(rf"[^<>\n]{{0,{_LONGEST}}}")
_UNTIL_TAG_END = re.compile(rf"[^\s>]{{0,{_LONGEST}}}")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\r\n]{1,4096}?(?<!`)\1(?!`)")
_LINE_END = re.compile(r"\r\n|\n|\r")
_UNSAFE = str.maketrans(
    {"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", '"': "%22", "'": "%27", " ": "%20", "|": "%7C"}
)


def fixed_list(text: str, moved: Mapping[str, str]) -> str:
    """Replace each link destination that is a key of ``moved`` by its target.

    Keys are addresses as the list spells them. Link texts, code, comments and prose stay as they are, and so does a
    destination whose target is no http(s) address.
    """
    targets = {url: target.translate(_UNSAFE) for url, target in moved.items() if canonical_url(target)}
    if not targets:
        return text
    hidden = _Hidden(text)
    pieces: list[str] = []
    at = 0
    for start, end, attribute in sorted(_destinations(text)):
        if start < at or hidden.covers(start):
            continue
        written = text[start:end]
        target = targets.get(written) or targets.get(html.unescape(written))
        if target is not None and (attribute or html.unescape(written) != written):
            target = target.replace("&", "&amp;")
        if target is not None:
            pieces += [text[at:start], target]
            at = end
    return "".join([*pieces, text[at:]])


def _destinations(text: str) -> Iterator[tuple[int, int, bool]]:
    """``(start, end, whether it is an HTML attribute)`` of everything that may be a destination."""
    taken: set[int] = set()
    for match in _LEAD.finditer(text):
        start = match.end()
        if match["inline"]:
            end = start + _balanced(text, start)
        elif match["angle"]:
            end = start + len(_until(_UNTIL_ANGLE, text, start))
        elif match["quoted"]:
            end = text.find(match["quote"], start, start + _LONGEST)
            end = start if end < 0 else end
        elif match["unquoted"]:
            end = start + len(_until(_UNTIL_TAG_END, text, start))
        else:
            end = start + len(_until(_UNTIL_SPACE, text, start))
        taken.add(start)
        yield start, end, bool(match["quoted"] or match["unquoted"])
    for start, address in bare_addresses(text):
        end = start + len(address)
        before, after = text[max(0, start - 2) : start], text[end : end + 2]
        # In the middle of markup it is a link's text, an attribute or a destination that was seen above.
        if start not in taken and before != "](" and after not in ("](", "][") and before[-1:] not in set("<\"'=`"):
            yield start, end, False


def _until(pattern: re.Pattern[str], text: str, start: int) -> str:
    match = pattern.match(text, start)
    return match[0] if match else ""


def _balanced(text: str, start: int) -> int:
    """Length of an inline destination: up to white space or the bracket that closes the link."""
    depth = 0
    for length, character in enumerate(_until(_UNTIL_SPACE, text, start)):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return length
        if depth > 32:  # as deep as CommonMark parsers follow
            break
    return len(_until(_UNTIL_SPACE, text, start))


class _Hidden:
    """The stretches of a text in which nothing is a link: code and comments."""

    def __init__(self, text: str) -> None:
        starts = [0, *(m.end() for m in _LINE_END.finditer(text))]
        spans = [m.span() for m in _COMMENT.finditer(text)] + [m.span() for m in _CODE_SPAN.finditer(text)]
        for token in tokens(_LINE_END.sub("\n", text)):
            if token.type in ("fence", "code_block") and token.map:
                first, last = token.map
                spans.append((starts[min(first, len(starts) - 1)], starts[last] if last < len(starts) else len(text)))
        self._spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if self._spans and start <= self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(end, self._spans[-1][1]))
            else:
                self._spans.append((start, end))
        self._starts = [start for start, _ in self._spans]

    def covers(self, at: int) -> bool:
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at < self._spans[index][1]
