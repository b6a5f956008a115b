"""One question and its answer as HTML: asked, streaming, answered, refused, stopped or failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from urllib.parse import urlencode

from markupsafe import Markup

from accelrag.pipeline import Assistant
from accelrag.types import Answer, Citation, Sentence, Turn
from accelrag.ui.copying import answer_bibtex, answer_markdown
from accelrag.ui.escape import shorten
from accelrag.ui.evidence import COVERAGE, evidence, evidence_id, quotes_of
from accelrag.ui.rendering import render

Placed = tuple[int, Sentence]  # a sentence with its position in the answer

__all__ = ["Asked", "answered", "asking", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: the words, what they were restricted to, and a name for the turn on the page."""

    turn: str
    question: str
    sections: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    entry: str = ""
    entry_title: str = ""

    @property
    def link(self) -> str:
        """What follows the page's address to ask the same again."""
        pairs = [("q", self.question[:2000]), *(("section", s) for s in self.sections)]
        pairs += [("kind", k) for k in self.kinds] + ([("entry", self.entry)] if self.entry else [])
        return "?" + urlencode(pairs)

    @property
    def about(self) -> str:
        """What the question was restricted to, for people; empty where it was not."""
        return ", ".join([*self.sections, *self.kinds, *([self.entry_title] if self.entry else [])])


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, or a list of items, each of them sentences."""

    line: Sequence[Placed] = ()
    items: Sequence[Sequence[Placed]] = ()


@dataclass(frozen=True, slots=True)
class _View:
    """The sentences of a turn as they stand on the page, with the proofs behind their numbers."""

    turn: str
    blocks: Sequence[_Block]
    titles: Mapping[int, str]
    proofs: Sequence[Markup]


def asking(asked: Asked, assistant: Assistant | None, sentences: Sequence[Sentence], note: str = "") -> str:
    """The turn while it is answered: what is verified so far."""
    status = note or ("Checking the next sentence…" if sentences else "Searching the list…")
    return _turn("asking", asked, view=_view(asked, assistant, sentences, _first_quotes(sentences)), status=status)


def answered(asked: Asked, assistant: Assistant, answer: Answer) -> str:
    """The turn with its whole answer or refusal."""
    data = {**_kept(asked, answer), **_place(assistant, answer)}
    if answer.refused:
        head, reason = "No answer in this list", answer.reason
        if asked.about:
            head = f"No answer among: {asked.about}"
            reason = reason.replace("Nothing in the list", "Nothing there")
        return _turn("refused", asked, data, answer=answer, head=head, reason=reason, facts=_facts(answer))
    copies = {
        "Copy as Markdown": answer_markdown(answer),
        "Copy BibTeX": answer_bibtex(answer, assistant.document),
        "Copy link": _standing(asked, answer).link,
    }
    view = _view(asked, assistant, answer.sentences, answer.citations)
    return _turn("answered", asked, data, answer=answer, view=view, copies=copies, facts=_facts(answer))


def stopped(asked: Asked, assistant: Assistant | None, sentences: Sequence[Sentence]) -> str:
    """The turn as it stood when it was stopped."""
    return _turn("stopped", asked, view=_view(asked, assistant, sentences, _first_quotes(sentences)))


def failed(asked: Asked, message: str, hint: str = "") -> str:
    """The turn when no answer came."""
    return _turn("failed", asked, message=message, hint=hint)


def _turn(state: str, asked: Asked, data: Mapping[str, str] | None = None, /, **values: object) -> str:
    return render(f"turn_{state}.html", state=state, asked=asked, data=data or {}, levels=COVERAGE, **values)


def _view(
    asked: Asked, assistant: Assistant | None, sentences: Sequence[Sentence], citations: Sequence[Citation]
) -> _View:
    titles = {c.n: c.entry.title for c in citations}
    titles |= {q.n: q.entry.title for sentence in sentences for q in sentence.quotes}
    proofs = [] if assistant is None else _proofs(asked, assistant, sentences, citations)
    return _View(asked.turn, _blocks(sentences), titles, proofs)


def _blocks(sentences: Sequence[Sentence]) -> list[_Block]:
    lines: list[tuple[bool, list[Placed]]] = []
    for position, sentence in enumerate(sentences):
        lead = sentence.lead
        item = lead.strip().startswith(("-", "*", "•")) or lead.strip().rstrip(".)").isdigit()
        if item or not lines or "\n" in lead:
            lines.append((item, []))
        lines[-1][1].append((position, sentence))
    blocks: list[_Block] = []
    for item, line in lines:
        if not item:
            blocks.append(_Block(line=line))
        elif blocks and blocks[-1].items:
            blocks[-1] = _Block(items=[*blocks[-1].items, line])
        else:
            blocks.append(_Block(items=[line]))
    return blocks


def _proofs(
    asked: Asked, assistant: Assistant, sentences: Sequence[Sentence], citations: Sequence[Citation]
) -> list[Markup]:
    return [
        evidence(assistant, evidence_id(asked.turn, position, n), sentence, quotes)
        for position, sentence in enumerate(sentences)
        for n in sentence.citations
        if (quotes := quotes_of(sentence, n, citations))
    ]


def _first_quotes(sentences: Sequence[Sentence]) -> list[Citation]:
    found: dict[int, Citation] = {}
    for sentence in sentences:
        for quoted in sentence.quotes:
            found.setdefault(quoted.n, quoted)
    return list(found.values())


def _facts(answer: Answer) -> list[str]:
    model = "quotes from the sources, no model" if answer.model == "extractive" else answer.model
    facts = [f"Answered by {shorten(model, 120)}", f"in {_seconds(answer.timings.get('total', 0.0))}"]
    if not answer.refused:
        facts.append(f"support {round(answer.support * 100)}%")
    if answer.query and answer.query.casefold() != answer.question.casefold():
        facts.append(f"searched as “{shorten(answer.query, 300)}”")
    return facts


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _standing(asked: Asked, answer: Answer) -> Asked:
    """The question as it is understood without its conversation: what a link to it asks."""
    return replace(asked, question=answer.query or asked.question)


def _kept(asked: Asked, answer: Answer) -> dict[str, str]:
    """What the browser keeps of a turn: its address, and what a follow-up after a reload needs to know."""
    return {"link": _standing(asked, answer).link, "memory": json.dumps(asdict(Turn.of(answer)))}


def _place(assistant: Assistant, answer: Answer) -> dict[str, str]:
    """Where the question lies on the map: the mean of what it found, weighted by rank."""
    ranked = [*dict.fromkeys(c.entry.id for c in answer.citations), *(r.entry.id for r in answer.also)]
    positions = assistant.index.store.map()
    placed = [(1 / rank, positions[i]) for rank, i in enumerate(ranked[:6], start=1) if i in positions]
    if not placed:
        return {}
    total = sum(weight for weight, _ in placed)
    x = sum(weight * at[0] for weight, at in placed) / total
    y = sum(weight * at[1] for weight, at in placed) / total
    shown = {"x": round(x, 4), "y": round(y, 4), "entries": ranked[:6], "cited": len(answer.citations)}
    return {"place": json.dumps(shown)}
