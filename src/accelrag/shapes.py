"""Values as JSON: the shapes that ``--json``, the web page and MCP share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from accelrag.errors import AccelragError
from accelrag.types import Answer, Citation, Coverage, Document, Entry, Failure, Hit, Result, Sentence

__all__ = [
    "answer_shape",
    "citation_shape",
    "document_shape",
    "entry_shape",
    "error_shape",
    "result_shape",
    "search_shape",
    "shown_shape",
]


def entry_shape(entry: Entry, coverage: Coverage = "note") -> dict[str, Any]:
    """An entry of the list."""
    return {
        "id": entry.id,
        "title": entry.title,
        "url": entry.url,
        "also": list(entry.also),
        "sections": [list(path) for path in entry.sections],
        "note": entry.note,
        "kind": entry.kind,
        "coverage": coverage,
        "lists": [name for name in entry.lists if name],
        "lines": [p.line for p in entry.places if p.line],
    }


def result_shape(result: Result) -> dict[str, Any]:
    """A ranked entry with its best passages."""
    return {
        "rank": result.rank,
        "score": round(result.score, 4),
        "entry": entry_shape(result.entry, result.coverage),
        "passages": [_hit(hit) for hit in result.hits],
        "scores": {
            "dense": round(result.dense, 4),
            "lexical": round(result.lexical, 4),
            "boost": round(result.boost, 4),
        },
        "why": list(result.why),
    }


def search_shape(query: str, results: Sequence[Result], timings: Mapping[str, float]) -> dict[str, Any]:
    """A search."""
    return {"query": query, "results": [result_shape(r) for r in results], "timings": _rounded(timings)}


def citation_shape(citation: Citation) -> dict[str, Any]:
    """A checked quote."""
    return {
        "n": citation.n,
        "entry": entry_shape(citation.entry, citation.coverage),
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "document": citation.document,
        "page": citation.page or None,
        "source": citation.source,
        "fetched_at": citation.fetched_at or None,
    }


def sentence_shape(sentence: Sentence) -> dict[str, Any]:
    """A sentence with the quotes behind it."""
    quotes = [
        {"n": q.n, "quote": q.quote, "start": q.start, "end": q.end, "document": q.document} for q in sentence.quotes
    ]
    return {
        "text": sentence.text,
        "citations": list(sentence.citations),
        "support": sentence.support,
        "verdict": sentence.verdict,
        "quotes": quotes,
    }


def answer_shape(answer: Answer) -> dict[str, Any]:
    """An answer with everything that supports it."""
    return {
        "question": answer.question,
        "answer": answer.answer,
        "refused": answer.refused,
        "reason": answer.reason,
        "sentences": [sentence_shape(s) for s in answer.sentences],
        "citations": [citation_shape(c) for c in answer.citations],
        "rejections": [{"text": r.text, "reason": r.reason, "cited": list(r.cited)} for r in answer.rejections],
        "also": [result_shape(r) for r in answer.also],
        "support": answer.support,
        "model": answer.model,
        "notices": list(answer.notices),
        "query": answer.query,
        "timings": _rounded(answer.timings),
    }


def document_shape(document: Document) -> dict[str, Any]:
    """A document with where it came from."""
    return {
        "id": document.id,
        "entry": document.entry_id,
        "title": document.title,
        "coverage": document.coverage,
        "source": document.source,
        "fetched_at": document.fetched_at or None,
        "revision": document.revision or None,
        "licence": document.licence or None,
        "authors": list(document.authors),
        "published": document.published or None,
        "metadata": dict(document.metadata),
        "stale": document.stale,
        "text": document.text,
    }


def shown_shape(
    entry: Entry, coverage: Coverage, documents: Sequence[Document], failure: Failure | None
) -> dict[str, Any]:
    """An entry with the documents that were read for it, or why there is none."""
    return {
        "entry": entry_shape(entry, coverage),
        "documents": [document_shape(d) for d in documents],
        "failure": failure and {"reason": failure.reason, "detail": failure.detail, "url": failure.url},
    }


def error_shape(error: AccelragError) -> dict[str, Any]:
    """What went wrong and what to do."""
    return {"error": {"type": type(error).__name__, "message": str(error), "hint": error.hint}}


def _hit(hit: Hit) -> dict[str, Any]:
    p = hit.passage
    return {
        "text": p.text,
        "start": p.start,
        "end": p.end,
        "heading": " > ".join(p.heading),
        "score": round(hit.score, 4),
        "document": p.document_id,
        "page": p.page or None,
    }


def _rounded(timings: Mapping[str, float]) -> dict[str, float]:
    return {name: round(seconds, 4) for name, seconds in timings.items()}
