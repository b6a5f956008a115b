"""The ask loop: one question in, verified sentences out as they come, the Answer last."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from accelrag.answer.gate import THRESHOLD, relevance
from accelrag.answer.text import answer_text
from accelrag.citations import Checked, Evidence, Numbering, Piece, Source
from accelrag.errors import UsageError
from accelrag.generation.extractive import Excerpt, extract
from accelrag.retriever import Filters, Retriever, Search
from accelrag.types import Answer, Claim, Rejection, Result, Sentence

__all__ = ["Answerer", "clean_question"]

MAX_QUESTION = 20_000
_SPOKEN = "extractive"


class Answerer:
    """Answers from one opened index."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def ask(self, question: str, *, limit: int = 8, filters: Filters | None = None) -> Answer:
        """The whole answer at once."""
        for event in self.stream(question, limit=limit, filters=filters):
            if isinstance(event, Answer):
                return event
        raise AssertionError("a stream ends with its answer")

    def stream(self, question: str, *, limit: int = 8, filters: Filters | None = None) -> Iterator[Sentence | Answer]:
        """Each sentence as soon as it is verified, then the Answer.

        Raises:
            UsageError: the question holds nothing that can be searched, or is too long.
        """
        started = time.perf_counter()
        question = clean_question(question)
        search = self._retriever.search(question, limit, filters)
        timings = {"search": time.perf_counter() - started}
        if relevance(search.signals) < THRESHOLD or not search.results:
            yield self._refusal(question, search, _why(search), timings, started)
            return
        numbering = Numbering()
        sentences = []
        for checked in self._extractive(question, search):
            sentence = numbering.cite(checked)
            sentences.append(sentence)
            yield sentence
        yield self._answer(question, search, numbering, sentences, (), _SPOKEN, timings, started)

    def _extractive(self, question: str, search: Search) -> Iterator[Checked]:
        index = self._retriever.index
        excerpts = extract(
            question,
            search.results,
            search.vector,
            index.encoder.encode_queries,
            dict(search.reading.terms),
            index.lexical.stem,
            note_of=index.store.note_passage,
        )
        for n, excerpt in enumerate(excerpts, start=1):
            yield _quoted(n, excerpt)

    def _answer(
        self,
        question: str,
        search: Search,
        numbering: Numbering,
        sentences: Sequence[Sentence],
        rejections: Sequence[Rejection],
        model: str,
        timings: Mapping[str, float],
        started: float,
        notices: Sequence[str] = (),
    ) -> Answer:
        citations = numbering.citations
        cited = {c.entry.id for c in citations}
        bare = [f"[{c.n}]" for c in citations if c.coverage == "note"]
        if bare:
            notices = [
                *notices,
                f"Of {', '.join(bare)} only the list's own words are known: `accelrag fetch` reads the source.",
            ]
        return Answer(
            question=question,
            answer=answer_text(sentences),
            refused=False,
            reason="",
            sentences=tuple(sentences),
            citations=citations,
            rejections=tuple(rejections),
            also=tuple(r for r in search.results if r.entry.id not in cited),
            support=round(sum(s.support for s in sentences) / len(sentences), 4),
            model=model,
            timings={**timings, "total": time.perf_counter() - started},
            notices=tuple(notices),
            query=search.query,
        )

    def _refusal(
        self, question: str, search: Search, reason: str, timings: Mapping[str, float], started: float
    ) -> Answer:
        return Answer(
            question=question,
            answer="",
            refused=True,
            reason=reason,
            sentences=(),
            citations=(),
            rejections=(),
            also=_near(search.results),
            support=0.0,
            model=_SPOKEN,
            timings={**timings, "total": time.perf_counter() - started},
            query=search.query,
        )


def clean_question(question: str) -> str:
    """The question on one line without control characters.

    Raises:
        UsageError: nothing is left, or it is longer than ``MAX_QUESTION`` characters.
    """
    if len(question) > MAX_QUESTION:
        raise UsageError(
            f"the question has {len(question):,} characters, {MAX_QUESTION:,} are read",
            hint="ask one thing at a time; long text goes into the corpus: accelrag import",
        )
    text = "".join(c if c.isprintable() else " " for c in question)
    text = " ".join(text.split())
    if not text:
        raise UsageError("the question is empty", hint='ask something: accelrag ask "What is PagedAttention?"')
    if not any(c.isalnum() for c in text):
        raise UsageError("the question holds no word", hint='ask in words: accelrag ask "What is PagedAttention?"')
    return text


def _quoted(n: int, excerpt: Excerpt) -> Checked:
    """A quote supports itself: it is the document's text at its offsets."""
    result, passage = excerpt.result, excerpt.passage
    source = Source(n, result.entry, result.coverage, (passage,))
    piece = Piece(
        document_id=passage.document_id,
        start=excerpt.start,
        end=excerpt.end,
        text=excerpt.quote,
        page=passage.page,
        heading=" > ".join(passage.heading),
    )
    claim = Claim(excerpt.text, (n,), excerpt.lead)
    return Checked(claim, 1.0, "supported", (Evidence(source, piece, 1.0),))


def _why(search: Search) -> str:
    unknown = search.reading.unknown
    if unknown:
        shown = ", ".join(repr(word) for word in unknown[:4])
        return f"Nothing in the list supports an answer; it does not speak of {shown}."
    return "Nothing in the list supports an answer."


def _near(results: Sequence[Result]) -> tuple[Result, ...]:
    return tuple(results[:3])
