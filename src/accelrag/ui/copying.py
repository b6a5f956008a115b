"""An answer to take along: Markdown with footnotes, BibTeX of what it cites."""

from __future__ import annotations

import re
from collections.abc import Callable

from accelrag.pipeline.exports import bibtex
from accelrag.types import Answer, Document
from accelrag.ui.links import web_link

__all__ = ["answer_bibtex", "answer_markdown"]

_MARKER = re.compile(r"\[(\d+)\]")


def answer_markdown(answer: Answer) -> str:
    """Question, answer and quotes as Markdown; footnotes as GitHub writes them."""
    known = {c.n for c in answer.citations}
    body = _MARKER.sub(lambda m: f"[^{m[1]}]" if int(m[1]) in known else m[0], answer.answer)
    body = re.sub(r" (?=\[\^\d+\])", "", body)
    notes = []
    for citation in answer.citations:
        title = re.sub(r"([\[\]\\])", r"\\\1", " ".join(citation.entry.title.split()))
        link = f"[{title}](<{web_link(citation.entry.url)}>)" if web_link(citation.entry.url) else title
        quote = " ".join(citation.quote.split())
        notes.append(f"[^{citation.n}]: {link}: “{quote}”")
    question = " ".join(answer.question.split())
    return f"**{question}**\n\n{body}\n\n" + "\n".join(notes) + "\n"


def answer_bibtex(answer: Answer, document: Callable[[str], Document | None]) -> str:
    """A record for each entry that is cited, from what the list and the source themselves state."""
    entries = {c.entry.id: c.entry for c in answer.citations}
    return bibtex((entry, document(f"text:{entry.id}")) for entry in entries.values())
