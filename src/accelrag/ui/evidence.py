"""The proof behind a number: the passage with the quote marked, where it stands and how it opens."""

from __future__ import annotations

from collections.abc import Sequence

from accelrag.pipeline import Assistant
from accelrag.types import Citation, Document, Entry, Passage, Sentence
from accelrag.ui.escape import attribute, text
from accelrag.ui.links import anchor, source_link

__all__ = ["COVERAGE", "badges", "evidence", "evidence_id", "path_of", "quotes_of"]

COVERAGE = {
    "full": "full text",
    "abstract": "abstract",
    "readme": "README",
    "page": "web page",
    "note": "list note only",
}
_AROUND = 700  # characters of a passage shown on either side of a quote


def evidence_id(turn: str, position: int, n: int) -> str:
    """The id of the proof of number ``n`` in sentence ``position``."""
    return f"ev-{turn}-{position}-{n}"


def quotes_of(sentence: Sentence, n: int, citations: Sequence[Citation]) -> list[Citation]:
    """The quotes behind a number of a sentence."""
    own = [q for q in sentence.quotes if q.n == n]
    return own or [c for c in citations if c.n == n]


def evidence(
    assistant: Assistant, turn: str, position: int, n: int, sentence: Sentence, quotes: Sequence[Citation]
) -> str:
    """The proof as a hidden block, which the page shows beside the answer when the number is pressed."""
    first = quotes[0]
    entry = first.entry
    documents = {q.document: assistant.document(q.document) for q in quotes}
    passages = "".join(_passage(assistant, q, documents[q.document]) for q in quotes)
    opened = source_link(first, documents[first.document])
    label = "Open the source at this text" if "#" in opened else "Open the source"
    return (
        f'<div class="ev" id="{evidence_id(turn, position, n)}" hidden>'
        f'<p class="ev-head"><span class="num">{n}</span><span class="ev-title">{text(entry.title, 300)}</span></p>'
        f"{_paths(entry)}"
        f'<p class="badges">{badges(entry.kind, first.coverage)}{_dates(documents[first.document])}</p>'
        f"{_support(sentence)}"
        f"{passages}"
        f'<p class="ev-links">{anchor(opened, label, css="open-source")}'
        f'<button type="button" class="link" data-entry="{attribute(entry.id, 300)}">All of its text</button></p>'
        "</div>"
    )


def badges(kind: str, coverage: str) -> str:
    """Kind and coverage as small labels."""
    return (
        f'<span class="badge">{text(kind)}</span>'
        f'<span class="badge cov-{attribute(coverage)}">{text(COVERAGE.get(coverage, coverage))}</span>'
    )


def path_of(sections: Sequence[str]) -> str:
    """A section path in one line."""
    return text(" › ".join(sections) or "no section", 300)


def _paths(entry: Entry) -> str:
    return "".join(f'<p class="path">{path_of(path)}</p>' for path in entry.sections[:4])


def _dates(document: Document | None) -> str:
    if document is None or document.id.startswith("note:"):
        return ""
    parts = []
    if document.published:
        parts.append(f"published {text(document.published[:10])}")
    if document.fetched_at:
        parts.append(f"read {text(document.fetched_at[:10])}")
    if document.stale:
        parts.append("the last fetch failed")
    return f'<span class="date">{" · ".join(parts)}</span>' if parts else ""


def _support(sentence: Sentence) -> str:
    percent = round(sentence.support * 100)
    return (
        f'<p class="support {attribute(sentence.verdict)}"><span>Support</span>'
        f'<span class="bar" aria-hidden="true"><i style="width:{max(0, min(100, percent))}%"></i></span>'
        f"<strong>{percent}%</strong><span>{text(sentence.verdict)}</span></p>"
    )


def _passage(assistant: Assistant, quoted: Citation, document: Document | None) -> str:
    whole = document.text if document is not None else quoted.quote
    start, end = (quoted.start, quoted.end) if document is not None else (0, len(quoted.quote))
    around = _around(assistant, quoted)
    low = max(around.start if around else 0, start - _AROUND)
    high = min(around.end if around else len(whole), end + _AROUND)
    low, high = min(low, start), max(high, end)
    if quoted.document.startswith("note:"):
        where = "What the list says"
    else:
        where = " › ".join(around.heading) if around and around.heading else "From the source"
    page = f" · page {quoted.page}" if quoted.page else ""
    cut = "…" if around and low > around.start else ""
    rest = "…" if around and high < around.end else ""
    return (
        f'<p class="heading">{text(where, 300)}{page}</p>'
        f'<blockquote class="passage" dir="auto">{cut}{text(whole[low:start])}'
        f'<mark class="quote">{text(whole[start:end], 1_000_000)}</mark>'
        f"{text(whole[end:high])}{rest}</blockquote>"
    )


def _around(assistant: Assistant, quoted: Citation) -> Passage | None:
    for passage in assistant.index.store.passages_of(quoted.entry.id):
        inside = passage.start <= quoted.start < passage.end
        if passage.document_id == quoted.document and inside:
            return passage
    return None
