"""PDF -> text with pages, by PyMuPDF in a process of its own.

A PDF is a program for an old C parser: it is read where it can neither crash nor hold nor fill ours. What the text
layer says is then judged, as some hold pictures, glyph numbers or broken words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from accelrag.errors import FetchFailed
from accelrag.optional import require
from accelrag.sources.bounded import run_bounded
from accelrag.sources.cleaning import clean_line, clean_text

__all__ = ["Pdf", "read_pdf"]

_SECONDS = 60.0
_PAGE_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Pdf:
    """``pages`` holds the offset in ``text`` at which each page starts; ``count`` the pages of the whole file."""

    text: str
    pages: tuple[int, ...]
    count: int
    title: str = ""
    authors: tuple[str, ...] = ()


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
    raw = [str(page) for page in answer["pages"]]
    _judge(raw, pictures=int(answer["pictures"]))
    texts = [clean_text(_flowing(page)) for page in raw]
    offsets, text = [], ""
    for i, page in enumerate(texts):
        text += _PAGE_SEPARATOR if i else ""
        offsets.append(len(text))
        text += page
    names = re.split(r"\s*(?:;|,| and )\s*", clean_line(str(answer.get("author") or "")))
    # The field often names whoever owned the machine: a name counts where the first page has it too.
    seen = _bare(texts[0][:3_000])
    authors = tuple(n for n in names if " " in n and _bare(n) in seen)
    return Pdf(text, tuple(offsets), int(answer["count"]), _title(answer, texts), authors)


def _judge(pages: list[str], *, pictures: int) -> None:
    text = "\n".join(pages)
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
    short = sum(1 for w in latin if len(w) < 3) / len(latin)
    vowels = sum(1 for w in latin if re.search(r"[aeiouyàâäáéèêëíîïóôöúûü]", w.lower())) / len(latin)
    lines = [line for line in text.split("\n") if line.strip()]
    alone = sum(1 for line in lines if len(line.split()) == 1 and line.strip().isalpha()) / max(1, len(lines))
    if vowels < 0.55:
        raise FetchFailed("the text layer is no language", reason="garbled")
    if short > 0.45 or (alone > 0.6 and short > 0.3):
        raise FetchFailed("the words of the text layer are broken into pieces", reason="garbled")


def _flowing(page: str) -> str:
    """Lines joined into paragraphs, words divided at a line's end made whole, ligatures spelled out."""
    page = re.sub("[\uf0a7\uf0b7\uf0d8]", "•", page)  # bullets of Word's symbol fonts
    page = re.sub("[\ue000-\uf8ff]", "", page)
    page = re.sub("[\ufb00-\ufb06]", lambda m: unicodedata.normalize("NFKC", m[0]), page)
    page = re.sub(r"(?<=[^\W\d_])-\n(?=[a-z])", "", page)
    blocks: list[str] = []
    for block in re.split(r"\n[ \t]*\n", page):
        lines = [line.strip() for line in block.split("\n") if line.strip()]
        joined = ""
        for line in lines:
            if not joined:
                joined = line
            elif re.match(r"(?:[•●▪◦❖➢–*-]|\d+[.)]|\[\d+\]) ", line):
                joined += "\n" + line
            elif re.search(r"[\u3040-\u30ff\u3400-\u9fff]$", joined) and re.match(
                r"[\u3040-\u30ff\u3400-\u9fff]", line
            ):
                joined += line
            else:
                joined += " " + line
        if joined and blocks and re.search(r"[^\W\d_]-$", blocks[-1]) and joined[0].islower():
            blocks[-1] = blocks[-1][:-1] + joined
        elif joined and blocks and joined[0].islower() and re.search(r"[\w,]$", blocks[-1]):
            blocks[-1] += " " + joined
        elif joined:
            blocks.append(joined)
    return "\n\n".join(blocks)


def _title(answer: dict[str, object], texts: list[str]) -> str:
    told = clean_line(str(answer.get("title") or ""))
    seen = clean_line(str(answer.get("largest") or ""))
    if told and _bare(told) in _bare(texts[0][:2_000] if texts else ""):
        return told  # the field often keeps a template's name or a file's: it counts where the page says it too
    return seen if 8 <= len(seen) <= 250 else ""


def _bare(text: str) -> str:
    return re.sub(r"\W", "", text).lower()
