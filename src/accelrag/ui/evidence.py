"""The proof behind a number: the passage with the quote marked, where it stands and how it opens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from markupsafe import Markup

from accelrag.pipeline import Assistant
from accelrag.types import Citation, Document, Passage, Sentence
from accelrag.ui.links import source_link
from accelrag.ui.rendering import render

__all__ = ["COVERAGE", "evidence", "evidence_id", "quotes_of"]

COVERAGE: Mapping[str, str] = MappingProxyType(
    {
        "full": "full text",
        "abstract": "abstract",
        "readme": "README",
        "page": "web page",
        "note": "list note only",
    }
)
_AROUND = 700  # characters of a passage shown on either side of a quote


@dataclass(frozen=True, slots=True)
class _Shown:
    """A quote in its passage; ``cut`` and ``rest`` say that the passage goes on before and behind."""

    where: str
    page: int
    before: str
    quote: str
    after: str
    cut: bool
    rest: bool


def evidence_id(turn: str, position: int, n: int) -> str:
    """The id of the proof of number ``n`` in sentence ``position``."""
    return f"ev-{turn}-{position}-{n}"


def quotes_of(sentence: Sentence, n: int, citations: Sequence[Citation]) -> list[Citation]:
    """The quotes behind a number of a sentence."""
    own = [q for q in sentence.quotes if q.n == n]
    return own or [c for c in citations if c.n == n]


def evidence(assistant: Assistant, name: str, sentence: Sentence, quotes: Sequence[Citation]) -> Markup:
    """The proof of a number with the id ``name``, hidden until the number is pressed."""
    first = quotes[0]
    documents = {q.document: assistant.document(q.document) for q in quotes}
    return render(
        "evidence.html",
        id=name,
        n=first.n,
        entry=first.entry,
        coverage=first.coverage,
        levels=COVERAGE,
        dates=_dates(documents[first.document]),
        sentence=sentence,
        percent=max(0, min(100, round(sentence.support * 100))),
        passages=[_passage(assistant, q, documents[q.document]) for q in quotes],
        opened=source_link(first, documents[first.document]),
    )


def _dates(document: Document | None) -> list[str]:
    if document is None or document.id.startswith("note:"):
        return []
    known = [f"published {document.published[:10]}"] if document.published else []
    known += [f"read {document.fetched_at[:10]}"] if document.fetched_at else []
    return known + (["the last fetch failed"] if document.stale else [])


def _passage(assistant: Assistant, quoted: Citation, document: Document | None) -> _Shown:
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
    return _Shown(
        where,
        quoted.page,
        before=whole[low:start],
        quote=whole[start:end],
        after=whole[end:high],
        cut=around is not None and low > around.start,
        rest=around is not None and high < around.end,
    )


def _around(assistant: Assistant, quoted: Citation) -> Passage | None:
    for passage in assistant.index.store.passages_of(quoted.entry.id):
        inside = passage.start <= quoted.start < passage.end
        if passage.document_id == quoted.document and inside:
            return passage
    return None
