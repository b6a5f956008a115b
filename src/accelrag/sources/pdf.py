"""PDF -> text with pages, by PyMuPDF in a process of its own.

A PDF is a program for an old C parser: it is read where it can neither crash nor hold nor fill ours. What the text
layer says is then judged, as some hold pictures, glyph numbers or broken words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Any

from accelrag.errors import FetchFailed
from accelrag.optional import require
from accelrag.sources.bounded import run_bounded
from accelrag.sources.cleaning import clean_line
from accelrag.sources.layout import Line, LineBlock, Sheet, lay_out

__all__ = ["Pdf", "read_pdf"]

_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Pdf:
    """``pages`` holds the offset in ``text`` at which each page starts; ``count`` the pages of the whole file."""

    text: str
    pages: tuple[int, ...]
    count: int
    title: str = ""
    authors: tuple[str, ...] = ()
    references: int = 0  # paragraphs of the list of references, which is not part of the text


def read_pdf(body: bytes, *, pages: int, seconds: float = _SECONDS) -> Pdf:
    """The text of the first pages.

    Raises:
        FetchFailed: encrypted, broken-pdf, scanned, garbled, empty; unreadable when time or memory ran out.
    """
    if b"%PDF-" not in body[:1024]:
        raise FetchFailed("the body is no PDF", reason="broken-pdf")
    require("pdf", "reading a PDF")
    answer = run_bounded("pdf", body, {"pages": pages}, seconds=seconds)
    if answer.get("error"):
        raise FetchFailed(str(answer.get("detail") or "the PDF cannot be read"), reason=str(answer["error"]))
    _judge(answer["pages"], pictures=int(answer["pictures"]))
    laid = lay_out([_sheet(page) for page in answer["pages"]])
    names = re.split(r"\s*(?:;|,| and )\s*", clean_line(str(answer.get("author") or "")))
    # The field often names whoever owned the machine: a name counts where the first page has it too.
    seen = _bare(laid.text[:3_000])
    authors = tuple(n for n in names if " " in n and _bare(n) in seen)
    count = int(answer["count"])
    return Pdf(laid.text, laid.pages, count, _title(answer, laid.text), authors, laid.references)


def _sheet(page: dict[str, Any]) -> Sheet:
    blocks = (
        LineBlock(
            tuple(Line(clean_line(_letters(str(text))), *rest) for text, *rest in block["lines"]),
            bool(block["turned"]),
        )
        for block in page["blocks"]
    )
    return Sheet(tuple(blocks), float(page["height"]))


def _letters(text: str) -> str:
    """Ligatures spelled out, bullets of symbol fonts as bullets, other glyphs of private use left out."""
    text = re.sub("[\uf0a7\uf0b7\uf0d8]", "•", text)
    text = re.sub("[\ue000-\uf8ff]", "", text)
    return re.sub("[\ufb00-\ufb06]", lambda m: unicodedata.normalize("NFKC", m[0]), text)


def _judge(pages: list[dict[str, Any]], *, pictures: int) -> None:
    lines = [str(line[0]) for page in pages for block in page["blocks"] for line in block["lines"]]
    text = "\n".join(lines)
    solid = re.sub(r"\s", "", text)
    if len(solid) < 40 * max(1, len(pages)) and pictures >= len(pages) and len(solid) < 2_000:
        raise FetchFailed("the pages are pictures without text", reason="scanned", hint="the note alone is used")
    if len(solid) < 20:
        raise FetchFailed("the PDF has no text", reason="scanned" if pictures else "empty")
    # Bullets of symbol fonts are in the private use area and harmless by the dozen; controls are glyph numbers.
    odd = sum(1 for c in solid if c == "\ufffd" or unicodedata.category(c) in {"Cc", "Cn", "Cs"})
    private = sum(1 for c in solid if unicodedata.category(c) == "Co")
    if odd > 0.01 * len(solid) or private > 0.1 * len(solid):
        raise FetchFailed("the text layer holds glyph numbers in place of letters", reason="garbled")
    words = re.findall(r"[^\W\d_]+", text)
    latin = [w for w in words if w.isascii() or unicodedata.name(w[0], "").startswith("LATIN")]
    if len(latin) < 200 or len(latin) < 0.6 * len(words):
        return
    vowels = sum(1 for w in latin if re.search(r"[aeiouyàâäáéèêëíîïóôöúûü]", w.lower())) / len(latin)
    if vowels < 0.55:
        raise FetchFailed("the text layer is no language", reason="garbled")
    digits = Counter(c for c in text if c.isdigit())
    if digits.total() > 100 and len(digits) < 4:
        raise FetchFailed("the text layer has one digit in place of all", reason="garbled")
    short = sum(1 for w in latin if len(w) < 3) / len(latin)
    if short > 0.45 and _whole(lines) < 0.08:
        raise FetchFailed("the words of the text layer are broken into pieces", reason="garbled")


def _whole(lines: list[str]) -> float:
    """The share of lines that are prose: formulas break into letters too, but never the lines between them."""
    long = [words for line in lines if len(words := re.findall(r"[^\W\d_]+", line)) >= 5]
    return sum(1 for words in long if sum(len(w) < 3 for w in words) <= 0.45 * len(words)) / max(1, len(long))


def _title(answer: dict[str, object], text: str) -> str:
    told = clean_line(str(answer.get("title") or ""))
    seen = clean_line(str(answer.get("largest") or ""))
    if told and _bare(told) in _bare(text[:2_000]):
        return told  # the field often keeps a template's name or a file's: it counts where the page says it too
    return seen if 8 <= len(seen) <= 250 else ""


def _bare(text: str) -> str:
    return re.sub(r"\W", "", text).lower()
