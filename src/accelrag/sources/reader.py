"""The program that ``bounded`` starts: one body on stdin, one JSON object on stdout, nothing else said."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

__all__ = ["run_reader"]

_LONGEST_PAGE = 500_000  # characters; a page of a book has 3,000


def run_reader(what: str, options: dict[str, Any], memory: int) -> int:
    """Read stdin as ``pdf`` or ``html``. Whatever the libraries print goes nowhere."""
    answer_to = os.dup(1)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    body = sys.stdin.buffer.read()
    reader = {"pdf": _pdf, "html": _html}[what]
    if what == "pdf":
        # PyMuPDF imports its layout models when they are installed: a second of work for what is not used here.
        sys.modules["pymupdf.layout"] = None  # type: ignore[assignment]
        import pymupdf  # noqa: F401 - loaded before the ceiling, which is for the body
    _limit(memory)
    answer = reader(body, options)
    with os.fdopen(answer_to, "wb") as out:
        out.write(json.dumps(answer).encode())
    return 0


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the time limit holds there too
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _pdf(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    import pymupdf

    try:
        file = pymupdf.open(stream=body, filetype="pdf")
    except Exception as error:  # noqa: BLE001 - whatever the parser raises means the same
        return {"error": "broken-pdf", "detail": f"the PDF cannot be opened: {error}"[:300]}
    if file.needs_pass:
        return {"error": "encrypted", "detail": "the PDF needs a password"}
    pages: list[dict[str, Any]] = []
    pictures = 0
    largest = ""
    for number in range(min(len(file), int(options["pages"]))):
        try:
            page = file[number]
            blocks = _blocks(page)
            pages.append({"height": page.rect.height, "blocks": blocks})
            pictures += bool(page.get_images())
            if number == 0:
                largest = _largest(page)
        except Exception:  # noqa: BLE001 - a page that cannot be read leaves the others
            pages.append({"height": 0.0, "blocks": []})
    if not pages or (len(file) and not any(page["blocks"] for page in pages) and not pictures):
        return {"error": "broken-pdf", "detail": "no page of the PDF can be read"}
    about = file.metadata or {}
    return {
        "pages": pages,
        "pictures": pictures,
        "count": len(file),
        "title": (about.get("title") or "")[:1_000],
        "author": (about.get("author") or "")[:1_000],
        "largest": largest,
    }


def _blocks(page: Any) -> list[dict[str, Any]]:
    """The blocks of a page in the file's order: lines with box, type size and weight."""
    import pymupdf

    flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    found: list[dict[str, Any]] = []
    left = _LONGEST_PAGE
    for block in page.get_text("dict", flags=flags, sort=False)["blocks"]:
        lines, turned = [], False
        for line in block.get("lines", ()):
            text = "".join(span["text"] for span in line["spans"])[:left]
            left -= len(text)
            if not text.strip():
                continue
            turned = turned or abs(line["dir"][1]) > 0.1
            bold = sum(len(s["text"]) for s in line["spans"] if s["flags"] & 16 or "bold" in s["font"].lower())
            size = max(line["spans"], key=lambda span: len(span["text"]))["size"]
            lines.append([text, *(round(v, 1) for v in line["bbox"]), round(size, 1), 2 * bold > len(text)])
        if lines:
            found.append({"lines": _rows(lines), "turned": turned})
    return found


def _rows(lines: list[list[Any]]) -> list[list[Any]]:
    """Lines whose boxes share a height are one: files draw a line in several strokes around its formulas."""
    rows: list[list[Any]] = []
    for line in lines:
        text, x0, y0, x1, y1, size = line[:6]
        last = rows[-1] if rows else None
        if last and _one_row(last, line):
            gap = "" if x0 - last[3] < 0.12 * max(size, y1 - y0) or last[0].endswith(" ") else " "
            longer = last if len(last[0]) >= len(text) else line
            boxed = (last[1], min(y0, last[2]), x1, max(y1, last[4]))
            rows[-1] = [last[0] + gap + text, *boxed, longer[5], longer[6]]
        else:
            rows.append(line)
    return rows


def _one_row(last: list[Any], line: list[Any]) -> bool:
    _, _, top, right, bottom = last[:5]
    _, x0, y0, _, y1 = line[:5]
    return bool(min(y1, bottom) - max(y0, top) > 0.6 * min(y1 - y0, bottom - top) and x0 >= right - 1)


def _largest(page: Any) -> str:
    """The words in the largest type in the upper half of the first page: what a reader takes for the title."""
    spans = []
    for block in page.get_text("dict")["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                text = span["text"].strip()
                if text and span["bbox"][1] < page.rect.height * 0.6:
                    spans += [(round(span["size"], 1), text)]
    if not spans:
        return ""
    size = max((s for s, text in spans if len(text) > 1), default=0.0)  # an initial is no title
    return " ".join(t for s, t in spans if s >= size - 0.2)[:300]


def _html(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    from accelrag.sources.html import main_text

    return {"text": main_text(body.decode("utf-8", "replace"), str(options.get("url", "")))}


if __name__ == "__main__":
    raise SystemExit(run_reader(sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])))
