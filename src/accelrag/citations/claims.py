"""A draft, whole or as it is being written, cut into claims: sentences with the source numbers that they name.

The same text gives the same claims however it is cut into pieces: a sentence is given out only when no text that may
still come can change it. Headings, rules and source lists of a draft are no claims; code and table rows are one each.
"""

from __future__ import annotations

import re

from accelrag.citations.json_answer import json_parts, may_be_json
from accelrag.citations.markers import TRAILING, read_markers
from accelrag.text.sentences import sentence_end
from accelrag.types import Claim

__all__ = ["ClaimReader", "read_claims"]

_LONGEST = 2_000  # characters of one claim; a model that never ends a sentence is cut here
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]*#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r"[ \t]*(?:=+|(?:-[ \t]*){2,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})[ \t]*$")
_ROW = re.compile(r"[ \t]*\|")
_ROW_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$")
_ITEM = re.compile(r"([ \t]*)(?:>[ \t]*)?(?:([-*+•‣·])[ \t]+|(\d{1,3}[.)])[ \t]+)(?=\S)")
_NUMBERED = re.compile(r"[ \t]*[\[【]\^?\d{1,3}[\]】]:?[ \t]+(?=[^\s\[【(.])")
_QUOTED = re.compile(r"(?:^|\n)[ \t]*>[ \t]?")
_UNDECIDED = re.compile(
    r"[ \t]*(?:>[ \t]?)*[ \t]*(?:[-*_=+•‣·#>~` \t|]*|\d{1,3}[.)]?[ \t]*|[\[【][^\]】]{0,8}[\]】]?:?[ \t]*)"
)
_SOURCES = re.compile(
    r"[\s*_#>]*(?:sources?(?: used)?|references|citations|bibliography|works cited)[\s*_]*(?::.*)?", re.IGNORECASE
)
_SOURCES_WORDS = ("sources used:", "source:", "references:", "citations:", "bibliography:", "works cited:")
_LINK = re.compile(r"!?\[([^\]\[]{1,300})\]\((?:[^()\s]|\([^()\s]*\)){1,500}(?:\s+\"[^\"]*\")?\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|__)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_LABEL = re.compile(r"^(?:final )?(?:answer|response|question|[QA])\s*:\s+", re.IGNORECASE)
_EMPTY = re.compile(r"[\W_]*")


class ClaimReader:
    """Feed it the pieces of a draft; it gives the claims that are complete. ``close`` gives the rest."""

    def __init__(self, *, json: bool = True) -> None:
        self._text = ""  # what is not read yet
        self._json: bool | None = None if json else False
        self._fence = ""  # the mark that opened a code block
        self._code = ""
        self._row = ""  # a table row that may be the head
        self._open = False  # inside a paragraph or list item
        self._sources = False  # inside a list of sources
        self._lead = ""
        self._given = False

    def feed(self, delta: str) -> list[Claim]:
        """Take a piece of the draft; give the claims that it completed."""
        self._text += delta
        return self._read(final=False)

    def close(self) -> list[Claim]:
        """The draft has ended: give what is left."""
        return self._read(final=True)

    def _read(self, *, final: bool) -> list[Claim]:
        if self._json is None:
            self._json = may_be_json(self._text, final=final)
        if self._json is None or (self._json and not final):
            return []
        claims: list[Claim] = []
        if self._json:
            for text, cited in json_parts(self._text):
                self._paragraph_of_json(claims, text, cited)
            return claims
        while self._step(claims, final=final):
            pass
        if final:
            self._end_table(claims)
            self._end_code(claims)
        return claims

    def _paragraph_of_json(self, claims: list[Claim], text: str, cited: tuple[int, ...]) -> None:
        for claim in read_claims(text, json=False):
            lead = claim.lead or (" " if claims else "")
            claims.append(Claim(claim.text, claim.cited or cited, lead))

    def _step(self, claims: list[Claim], *, final: bool) -> bool:  # noqa: C901 - one state machine
        """Read one line that stands alone, or one sentence of a paragraph. False when no more can be decided."""
        if self._open:
            return self._sentence(claims, final=final)
        if not self._text:
            return False
        line, complete = self._line(0, final=final)
        if not complete and not self._decided(line):
            return False
        if self._fence:
            if complete:
                self._take(line)
                self._code_line(claims, line)
            return complete
        alone = _alone(line)
        if alone and not complete:
            return False
        if not _ROW.match(line):
            self._end_table(claims)
        if alone:
            self._take(line)
            self._line_alone(claims, line)
        else:
            self._begin(line)
        return True

    def _line(self, start: int, *, final: bool) -> tuple[str, bool]:
        newline = self._text.find("\n", start)
        return (self._text[start:newline], True) if newline >= 0 else (self._text[start:], final)

    def _decided(self, line: str) -> bool:
        """Whether the kind of a line that is still being written is known."""
        if self._fence:
            return False
        bare = line.strip(" *_#>\t").lower()
        return not _UNDECIDED.fullmatch(line) and not any(word.startswith(bare) for word in _SOURCES_WORDS)

    def _take(self, line: str) -> None:
        self._text = self._text[len(line) + 1 :]

    def _line_alone(self, claims: list[Claim], line: str) -> None:
        fence = _FENCE.match(line)
        if fence:
            self._fence = fence[1]
        elif _SOURCES.fullmatch(line):
            self._sources = True
        elif _ROW_RULE.match(line) and "|" in line:
            self._row = ""
        elif _ROW.match(line):
            self._end_table(claims)
            self._row = line
        else:
            self._sources = self._sources and not _HEADING.match(line)
            self._lead = "\n\n"

    def _end_table(self, claims: list[Claim]) -> None:
        if self._row:
            text, cited = read_markers(self._row)
            cells = (_clean(cell) for cell in text.strip().strip("|").split("|"))
            self._lead = "\n- "
            self._give(claims, " — ".join(cell for cell in cells if cell), cited)
            self._row = ""

    def _code_line(self, claims: list[Claim], line: str) -> None:
        closing = _FENCE.match(line)
        if closing and closing[1].startswith(self._fence) and not line.strip(" \t`~"):
            self._end_code(claims)
        else:
            self._code += line + "\n"

    def _end_code(self, claims: list[Claim]) -> None:
        if self._code.strip():
            self._lead = "\n\n"
            self._give(claims, f"{self._fence}\n{self._code}{self._fence}", ())
            self._lead = "\n\n"
        self._fence = self._code = ""

    def _begin(self, line: str) -> None:
        """A paragraph or list item starts here."""
        item = _ITEM.match(line)
        if item:
            gap = "\n\n" if self._lead == "\n\n" else "\n"
            self._lead = f"{gap}{item[1]}{'-' if item[2] else item[3]} "
            self._text = self._text[item.end() :]
        elif not _NUMBERED.match(line):
            self._sources = self._sources and self._lead != "\n\n"
        self._open = True

    def _sentence(self, claims: list[Claim], *, final: bool) -> bool:
        stop, ended = self._paragraph(final=final)
        start = 0
        while start < stop and self._text[start].isspace():
            start += 1
        if start >= stop:
            if ended:
                self._text = self._text[stop + 1 :]
                self._open = False
                self._lead = "\n"
            return ended
        window = start + _LONGEST
        final_here = ended or stop > window
        end = sentence_end(self._text, start, min(stop, window), final=final_here, marker=TRAILING)
        if end is None:
            return False
        if end >= window:
            space = self._text.rfind(" ", start + 1, window)
            end = space if space > start else window
        text, cited = read_markers(self._text[start:end])
        self._give(claims, _clean(text), cited)
        self._text = self._text[end:]
        return True

    def _paragraph(self, *, final: bool) -> tuple[int, bool]:
        """How far the open paragraph goes for sure, and whether it ends there."""
        position = 0
        while True:
            newline = self._text.find("\n", position)
            if newline < 0:
                return len(self._text), final
            line, complete = self._line(newline + 1, final=final)
            if not complete and not self._decided(line):
                return newline, False
            if _alone(line) or _ITEM.match(line) or _NUMBERED.match(line):
                return newline, True
            position = newline + 1

    def _give(self, claims: list[Claim], text: str, cited: tuple[int, ...]) -> None:
        if self._sources or (_EMPTY.fullmatch(text) and not text.startswith(self._fence or "```")):
            return
        claims.append(Claim(text, cited, self._lead if self._given else self._lead.lstrip("\n")))
        self._given = True
        self._lead = " "


def read_claims(text: str, *, json: bool = True) -> list[Claim]:
    """The claims of a whole draft. ``json=False`` takes a draft that looks like JSON as prose."""
    reader = ClaimReader(json=json)
    return [*reader.feed(text), *reader.close()]


def _alone(line: str) -> bool:
    """Whether a line belongs to no paragraph: blank, heading, rule, code fence, table row, start of a source list."""
    return (
        not line.strip()
        or any(pattern.match(line) for pattern in (_HEADING, _RULE, _ROW, _FENCE))
        or bool(_SOURCES.fullmatch(line))
    )


def _clean(text: str) -> str:
    text = _QUOTED.sub(" ", text)
    text = _LINK.sub(r"\1", text)
    text = re.sub(r"\s+", " ", _EMPHASIS.sub(r"\2", text)).strip()
    text = _LABEL.sub("", text)
    text = re.sub(r"\s+([.,;:!?])(?=\s|$)", r"\1", text)
    return re.sub(r"^\W*?(?=[\w\"'“‘«(\[{`<$€£#+~≈≥≤≠∼−-])", "", text)
