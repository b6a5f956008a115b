"""Figures on a question file: retrieval, refusal, citations and latency, with floors that fail a run.

A question file has one question a line, tab separated: id, ``answer`` or ``none``, question, right URLs (comma
separated), and optionally a fragment that a quote of the answer must hold. nDCG is that of Järvelin and Kekäläinen
(https://doi.org/10.1145/582415.582418) with binary gains.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from accelrag.errors import UsageError
from accelrag.listing.urls import canonical_url
from accelrag.types import Answer, Document, Result

__all__ = ["Evaluation", "Question", "evaluate", "floors_of", "ndcg", "read_questions"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what should come of it. ``urls`` is empty for one that must be refused."""

    id: str
    text: str
    urls: frozenset[str]
    fragment: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the list answers it."""
        return bool(self.urls)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Figures by name, and the questions that went wrong with why."""

    figures: Mapping[str, float]
    misses: tuple[tuple[str, str, str], ...]

    def below(self, floors: Mapping[str, float]) -> list[str]:
        """The figures under their floors, in words.

        Raises:
            UsageError: a floor names no figure.
        """
        for name in floors:
            if name not in self.figures:
                raise UsageError(f"there is no figure {name!r}", hint=f"figures are {', '.join(self.figures)}")
        return [
            f"{name} is {self.figures[name]:.3f}, the floor is {floor:.3f}"
            for name, floor in floors.items()
            if self.figures[name] < floor
        ]


def read_questions(path: Path) -> list[Question]:
    """Read a question file.

    Raises:
        UsageError: it cannot be read, or a line is not of the form; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint="give a tab-separated question file") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [*line.split("\t"), "", ""]
        if len(fields) < 5 or fields[1] not in {"answer", "none"} or not fields[2].strip():
            raise UsageError(
                f"{path}, line {number} is no question",
                hint="expected: id, answer or none, question, URLs; tab-separated",
            )
        urls = frozenset(canonical_url(u.strip()) or u.strip() for u in fields[3].split(",") if u.strip())
        if (fields[1] == "answer") != bool(urls):
            raise UsageError(
                f"{path}, line {number}: a question is answered by URLs, and one without an answer has none",
                hint="give the right URLs in the fourth column, or `none` in the second",
            )
        found.append(Question(fields[0], fields[2].strip(), urls, fields[4].strip()))
    if not found:
        raise UsageError(f"{path} holds no question", hint="give a tab-separated question file")
    return found


def evaluate(
    questions: Sequence[Question],
    search: Callable[[str], Sequence[Result]],
    ask: Callable[[str], Answer],
    document: Callable[[str], Document | None],
    on_done: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Ask every question and count. ``search`` gives at least ten results where there are that many."""
    ranks: list[int] = []
    gains: list[float] = []
    seconds: list[float] = []
    misses: list[tuple[str, str, str]] = []
    tally = dict.fromkeys(("sentences", "cited", "quotes", "exact", "right", "answered", "fragments", "held"), 0)
    refused = {True: 0, False: 0}  # by whether it should have been
    for question in questions:
        started = time.perf_counter()
        answer = ask(question.text)
        seconds.append(time.perf_counter() - started)
        if question.answerable:
            keys = [result.entry.key for result in search(question.text)]
            hits = [key in question.urls for key in keys]
            rank = hits.index(True) + 1 if True in hits else 0
            ranks.append(rank)
            gains.append(ndcg(hits, len(question.urls)))
            if rank != 1:
                misses.append((question.id, question.text, f"right entry at rank {rank}" if rank else "not found"))
        if answer.refused:
            refused[not question.answerable] += 1
        if answer.refused == question.answerable:
            misses.append((question.id, question.text, "refused" if answer.refused else "not refused"))
        _count(question, answer, document, tally, misses)
        on_done()
    return Evaluation(_figures(questions, ranks, gains, seconds, refused, tally), tuple(misses))


def ndcg(hits: Sequence[bool], relevant: int, depth: int = 10) -> float:
    """Normalised discounted cumulative gain at ``depth``, 0 to 1, of a ranking with binary gains."""
    gained = sum(1 / math.log2(i + 2) for i, hit in enumerate(hits[:depth]) if hit)
    ideal = sum(1 / math.log2(i + 2) for i in range(min(depth, relevant)))
    return gained / ideal if ideal else 0.0


def floors_of(texts: Iterable[str]) -> dict[str, float]:
    """``hit@1=0.9`` -> {"hit@1": 0.9}.

    Raises:
        UsageError: a text is not of the form.
    """
    floors = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            floors[name] = float(value)
        except ValueError as error:
            raise UsageError(f"{text!r} is no floor", hint="give one like hit@1=0.9") from error
    return floors


def _count(
    question: Question,
    answer: Answer,
    document: Callable[[str], Document | None],
    tally: dict[str, int],
    misses: list[tuple[str, str, str]],
) -> None:
    numbers = {citation.n for citation in answer.citations}
    for sentence in answer.sentences:
        tally["sentences"] += 1
        tally["cited"] += bool(sentence.citations) and set(sentence.citations) <= numbers
    quotes = [*answer.citations, *(quote for sentence in answer.sentences for quote in sentence.quotes)]
    for quote in quotes:
        source = document(quote.document)
        tally["quotes"] += 1
        tally["exact"] += source is not None and source.text[quote.start : quote.end] == quote.quote
    if question.answerable and not answer.refused:
        tally["answered"] += 1
        tally["right"] += bool(answer.citations) and answer.citations[0].entry.key in question.urls
    if question.fragment:
        tally["fragments"] += 1
        wanted = _squeezed(question.fragment)
        held = any(wanted in _squeezed(q.quote) and q.entry.key in question.urls for q in quotes)
        tally["held"] += held
        if not held:
            misses.append((question.id, question.text, f"no quote holds {question.fragment!r}"))


def _figures(
    questions: Sequence[Question],
    ranks: Sequence[int],
    gains: Sequence[float],
    seconds: Sequence[float],
    refused: Mapping[bool, int],
    tally: Mapping[str, int],
) -> dict[str, float]:
    unanswerable = sum(not q.answerable for q in questions)
    figures: dict[str, float] = {"questions": float(len(questions))}
    if ranks:
        figures["hit@1"] = sum(r == 1 for r in ranks) / len(ranks)
        figures["hit@5"] = sum(0 < r <= 5 for r in ranks) / len(ranks)
        figures["mrr"] = sum(1 / r for r in ranks if r) / len(ranks)
        figures["ndcg@10"] = sum(gains) / len(gains)
    precision = refused[True] / max(1, refused[True] + refused[False])
    recall = refused[True] / max(1, unanswerable)
    if unanswerable:
        figures["refusal-precision"] = precision
        figures["refusal-recall"] = recall
        figures["refusal-f1"] = 2 * precision * recall / max(1e-9, precision + recall)
    figures["wrongly-refused"] = float(refused[False])
    figures["cited"] = tally["cited"] / max(1, tally["sentences"])
    figures["exact-quotes"] = tally["exact"] / max(1, tally["quotes"])
    figures["first-citation-right"] = tally["right"] / max(1, tally["answered"])
    if tally["fragments"]:
        figures["fragment-quoted"] = tally["held"] / tally["fragments"]
    ordered = sorted(seconds)
    figures["seconds-p50"] = ordered[len(ordered) // 2]
    figures["seconds-p95"] = ordered[min(len(ordered) - 1, math.ceil(0.95 * len(ordered)) - 1)]
    return figures


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()
