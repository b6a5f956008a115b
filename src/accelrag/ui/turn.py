"""One question and its answer as HTML: asked, streaming, answered, refused, stopped or failed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from urllib.parse import urlencode

from accelrag.pipeline import Assistant
from accelrag.types import Answer, Citation, Result, Sentence, Turn
from accelrag.ui.copying import answer_bibtex, answer_markdown
from accelrag.ui.escape import attribute, prose, text
from accelrag.ui.evidence import badges, evidence, evidence_id, path_of, quotes_of
from accelrag.ui.links import anchor

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


def asking(asked: Asked, assistant: Assistant | None, sentences: Sequence[Sentence], note: str = "") -> str:
    """The turn while it is answered: what is verified so far."""
    citations = _first_quotes(sentences)
    body = _sentences(asked, sentences, citations) if sentences else ""
    proofs = _proofs(asked, assistant, sentences, citations) if assistant is not None else ""
    status = text(note or ("Checking the next sentence…" if sentences else "Searching the list…"))
    working = f'<p class="working"><span class="dots" aria-hidden="true"></span>{status}</p>'
    return _frame(asked, "asking", f'<div class="answer">{body}</div>{working}{proofs}')


def answered(asked: Asked, assistant: Assistant, answer: Answer) -> str:
    """The turn with its whole answer or refusal."""
    body = _refusal(asked, answer) if answer.refused else _answer(asked, assistant, answer)
    proofs = "" if answer.refused else _proofs(asked, assistant, answer.sentences, answer.citations)
    return _frame(
        asked,
        "refused" if answer.refused else "answered",
        body + proofs,
        _kept(asked, answer) + _place(assistant, answer),
    )


def stopped(asked: Asked, assistant: Assistant | None, sentences: Sequence[Sentence]) -> str:
    """The turn as it stood when it was stopped."""
    citations = _first_quotes(sentences)
    body = f'<div class="answer">{_sentences(asked, sentences, citations)}</div>' if sentences else ""
    proofs = _proofs(asked, assistant, sentences, citations) if assistant is not None else ""
    kept = "What stands above was verified." if sentences else "Nothing had been verified yet."
    return _frame(asked, "stopped", f'{body}<p class="meta">Stopped. {kept}</p>{proofs}')


def failed(asked: Asked, message: str, hint: str = "") -> str:
    """The turn when no answer came."""
    more = f'<p class="hint">{text(hint, 600)}</p>' if hint else ""
    return _frame(asked, "failed", f'<div class="trouble" role="alert"><p>{text(message, 600)}</p>{more}</div>')


def _frame(asked: Asked, state: str, body: str, data: str = "") -> str:
    only = f'<p class="only">only in: {text(asked.about, 300)}</p>' if asked.about else ""
    return (
        f'<article class="turn {state}" data-turn="{asked.turn}" data-state="{state}" {data}>'
        f'<h2 class="question" dir="auto">{text(asked.question, 2000)}</h2>{only}{body}</article>'
    )


def _answer(asked: Asked, assistant: Assistant, answer: Answer) -> str:
    return (
        f'<div class="answer">{_sentences(asked, answer.sentences, answer.citations)}</div>'
        f"{_meta(answer)}{_notices(answer)}{_rejections(answer)}{_actions(asked, assistant, answer)}"
        f"{_sources(answer)}{_also(answer.also[:6], 'Also found, not cited')}"
    )


def _refusal(asked: Asked, answer: Answer) -> str:
    head, whole = "No answer in this list", ""
    reason = answer.reason
    if asked.about:
        head = f"No answer among: {asked.about}"
        reason = reason.replace("Nothing in the list", "Nothing there")
        whole = '<p><button type="button" class="small" data-press="whole">Ask the whole list</button></p>'
    return (
        f'<div class="refusal"><p class="refusal-head">{text(head, 300)}</p>'
        f"<p>{text(reason, 600)}</p>{whole}</div>{_notices(answer)}{_rejections(answer)}"
        f"{_also(answer.also, 'Not an answer, but near')}{_meta(answer)}"
    )


def _sentences(asked: Asked, sentences: Sequence[Sentence], citations: Sequence[Citation]) -> str:
    blocks: list[tuple[str, list[str]]] = []
    for position, sentence in enumerate(sentences):
        lead = sentence.lead
        item = lead.strip().startswith(("-", "*", "•")) or lead.strip().rstrip(".)").isdigit()
        shown = _sentence(asked, position, sentence, citations)
        if item or not blocks or "\n" in lead:
            blocks.append(("li" if item else "p", [shown]))
        else:
            blocks[-1][1].append(shown)
    parts: list[str] = []
    inside = False
    for tag, spans in blocks:
        if (tag == "li") != inside:
            parts.append("</ul>" if inside else "<ul>")
            inside = not inside
        parts.append(f'<{tag} dir="auto">{" ".join(spans)}</{tag}>')
    return "".join(parts) + ("</ul>" if inside else "")


def _sentence(asked: Asked, position: int, sentence: Sentence, citations: Sequence[Citation]) -> str:
    titles = {c.n: c.entry.title for c in citations} | {q.n: q.entry.title for q in sentence.quotes}
    buttons = "".join(
        f'<button type="button" class="cite" data-ev="{evidence_id(asked.turn, position, n)}" aria-pressed="false" '
        f'aria-label="Source {n}: {attribute(titles.get(n, ""), 120)}">{n}</button>'
        for n in sentence.citations
    )
    words = prose(sentence.text)
    if sentence.verdict == "unsupported":
        words = f"<s>{words}</s>"
    return f'<span class="sentence {attribute(sentence.verdict)}">{words}<span class="cites">{buttons}</span></span>'


def _proofs(asked: Asked, assistant: Assistant, sentences: Sequence[Sentence], citations: Sequence[Citation]) -> str:
    parts = []
    for position, sentence in enumerate(sentences):
        for n in sentence.citations:
            quotes = quotes_of(sentence, n, citations)
            if quotes:
                parts.append(evidence(assistant, asked.turn, position, n, sentence, quotes))
    return f'<div class="proofs" hidden>{"".join(parts)}</div>'


def _first_quotes(sentences: Sequence[Sentence]) -> list[Citation]:
    found: dict[int, Citation] = {}
    for sentence in sentences:
        for quoted in sentence.quotes:
            found.setdefault(quoted.n, quoted)
    return list(found.values())


def _meta(answer: Answer) -> str:
    model = "quotes from the sources, no model" if answer.model == "extractive" else answer.model
    facts = [f"Answered by {text(model, 120)}", f"in {_seconds(answer.timings.get('total', 0.0))}"]
    if not answer.refused:
        facts.append(f"support {round(answer.support * 100)}%")
    if answer.query and answer.query.casefold() != answer.question.casefold():
        facts.append(f"searched as “{text(answer.query, 300)}”")
    return f'<p class="meta" role="status">{" · ".join(facts)}</p>'


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _notices(answer: Answer) -> str:
    return "".join(f'<p class="notice">{text(line, 600)}</p>' for line in answer.notices)


def _rejections(answer: Answer) -> str:
    if not answer.rejections:
        return ""
    lines = "".join(
        f'<li dir="auto"><s>{text(r.text, 600)}</s> <span>{text(r.reason, 300)}</span></li>'
        for r in answer.rejections
    )
    count = len(answer.rejections)
    what = "1 sentence of the draft was" if count == 1 else f"{count} sentences of the draft were"
    return f'<details class="rejected"><summary>{what} not supported and left out</summary><ul>{lines}</ul></details>'


def _actions(asked: Asked, assistant: Assistant, answer: Answer) -> str:
    copies = (
        ("Copy as Markdown", answer_markdown(answer)),
        ("Copy BibTeX", answer_bibtex(answer, assistant.document)),
        ("Copy link", _standing(asked, answer).link),
    )
    buttons = "".join(
        f'<button type="button" class="small" data-copy="{attribute(value, 1_000_000)}"'
        f"{' data-link' if name == 'Copy link' else ''}>{name}</button>"
        for name, value in copies
    )
    return f'<p class="actions">{buttons}</p>'


def _sources(answer: Answer) -> str:
    cards = "".join(
        f'<li class="card cited" data-n="{c.n}"><p class="card-head"><span class="num">{c.n}</span>'
        f"{anchor(c.entry.url, c.entry.title, css='card-title')}</p>"
        f'<p class="path">{path_of(c.entry.sections[0] if c.entry.sections else ())}</p>'
        f'<p class="card-note" dir="auto">{text(c.entry.note, 220)}</p>'
        f'<p class="badges">{badges(c.entry.kind, c.coverage)}'
        f'<button type="button" class="link" data-entry="{attribute(c.entry.id, 300)}">Details</button></p></li>'
        for c in answer.citations
    )
    return f'<h3 class="cards-head">Sources</h3><ul class="cards">{cards}</ul>'


def _also(results: Sequence[Result], heading: str) -> str:
    if not results:
        return ""
    cards = "".join(
        f'<li class="card near"><p class="card-head">{anchor(r.entry.url, r.entry.title, css="card-title")}</p>'
        f'<p class="path">{path_of(r.entry.sections[0] if r.entry.sections else ())}</p>'
        f'<p class="badges">{badges(r.entry.kind, r.coverage)}'
        f'<button type="button" class="link" data-entry="{attribute(r.entry.id, 300)}">Details</button></p></li>'
        for r in results
    )
    return f'<h3 class="cards-head">{text(heading)}</h3><ul class="cards also">{cards}</ul>'


def _standing(asked: Asked, answer: Answer) -> Asked:
    """The question as it is understood without its conversation: what a link to it asks."""
    return replace(asked, question=answer.query or asked.question)


def _kept(asked: Asked, answer: Answer) -> str:
    """What the browser keeps of a turn: its address, and what a follow-up after a reload needs to know."""
    memory = json.dumps(asdict(Turn.of(answer)))
    link = _standing(asked, answer).link
    return f'data-link="{attribute(link, 6000)}" data-memory="{attribute(memory, 100_000)}" '


def _place(assistant: Assistant, answer: Answer) -> str:
    """Where the question lies on the map: the mean of what it found, weighted by rank."""
    ranked = [*dict.fromkeys(c.entry.id for c in answer.citations), *(r.entry.id for r in answer.also)]
    positions = assistant.index.store.map()
    placed = [(1 / rank, positions[i]) for rank, i in enumerate(ranked[:6], start=1) if i in positions]
    if not placed:
        return ""
    total = sum(weight for weight, _ in placed)
    x = sum(weight * at[0] for weight, at in placed) / total
    y = sum(weight * at[1] for weight, at in placed) / total
    shown = {"x": round(x, 4), "y": round(y, 4), "entries": ranked[:6], "cited": len(answer.citations)}
    return f'data-place="{attribute(json.dumps(shown))}"'
