"""An answer as text that a person reads: plain for `print`, Markdown for a notebook.

Both say what the terminal says: the sentences with their numbers, then each source with its place in the list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accelrag.types.answers import Answer, Citation, Sentence

__all__ = ["answer_as_markdown", "answer_as_text", "answer_text", "citation_place"]

_MARKUP = re.compile(r"([\\`*_\[\]<>#|])")


def answer_text(sentences: Sequence[Sentence]) -> str:
    """The sentences with what leads them in, as one text, with ``[n]`` behind each sentence."""
    parts = []
    for position, sentence in enumerate(sentences):
        lead = sentence.lead if position else sentence.lead.lstrip()
        parts.append((lead if lead or not position else " ") + str(sentence))
    return "".join(parts).strip()


def citation_place(citation: Citation) -> str:
    """Where a source is listed, what kind it is and how much of it was read, on one line."""
    level = "note only" if citation.coverage == "note" else citation.coverage
    return f"{' > '.join(citation.entry.sections[0])} · {citation.entry.kind} · {level}"


def answer_as_text(answer: Answer) -> str:
    """The answer, its sources and what else was found, as plain text."""
    if answer.refused:
        lines = [answer.reason]
        if answer.also:
            lines.append("Not an answer, but near:")
            lines += [f"- {r.entry.title}  {r.entry.url}" for r in answer.also]
        return "\n".join(lines)
    lines = [answer_text(answer.sentences), ""]
    for citation in answer.citations:
        lines += [
            f"[{citation.n}] {citation.entry.title}",
            f"    {citation.entry.url}",
            f"    {citation_place(citation)}",
        ]
    if answer.also:
        lines.append(f"Also found: {', '.join(r.entry.title for r in answer.also[:3])}")
    return "\n".join(lines)


def answer_as_markdown(answer: Answer) -> str:
    """The answer as Markdown, each source with its quote; text of others is escaped."""
    if answer.refused:
        lines = [f"*{_escaped(answer.reason)}*", ""]
        if answer.also:
            lines += ["Not an answer, but near:", ""]
        return "\n".join(
            [*lines, *(f"- [{_escaped(r.entry.title)}](<{_address(r.entry.url)}>)" for r in answer.also)]
        )
    parts = []
    for position, sentence in enumerate(answer.sentences):
        lead = sentence.lead if position else sentence.lead.lstrip()
        markers = "".join(f"<sup>[{n}]</sup>" for n in sentence.citations)
        parts.append((lead if lead or not position else " ") + _escaped(sentence.text) + markers)
    lines = ["".join(parts).strip(), ""]
    for citation in answer.citations:
        title = f"[{_escaped(citation.entry.title)}](<{_address(citation.entry.url)}>)"
        lines += [f"**[{citation.n}]** {title} · {_escaped(citation_place(citation))}", ""]
        lines += [f"> {_escaped(' '.join(citation.quote.split()))}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _address(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E")
