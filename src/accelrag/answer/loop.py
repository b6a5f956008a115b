"""The ask loop: one question in, verified sentences out as they come, the Answer last."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from accelrag.answer.finding import Found, find
from accelrag.answer.question import clean_question
from accelrag.answer.run import EXTRACTIVE, AnswerInProgress, why_not
from accelrag.citations import CheckedClaim, Evidence, OfferedSource, Piece
from accelrag.errors import AccelragError, GeneratorRefused
from accelrag.generation.extractive import Excerpt, extract
from accelrag.generation.protocol import ContextOverflow, Generator
from accelrag.retriever import Retriever
from accelrag.types import Answer, Claim, Filters, Rejection, Result, Sentence, Turn

if TYPE_CHECKING:
    from accelrag.answer.drafting import Draft, Withdrawn
    from accelrag.answer.prompt import Prompt
    from accelrag.citations.verifier import Entails

__all__ = ["Answerer"]

_SOURCES = 6  # entries that a language model is shown


class Answerer:
    """Answers from one opened index, with a language model where one is given."""

    def __init__(
        self,
        retriever: Retriever,
        generator: Generator | None = None,
        *,
        answer_tokens: int = 512,
        entails: Entails | None = None,
        boundary: Callable[[], str] = lambda: secrets.token_hex(6),
    ) -> None:
        """``answer_tokens`` is the longest draft, ``entails`` an NLI model's judgement, ``boundary`` random text."""
        self._retriever = retriever
        self._generator = generator
        self._answer_tokens = answer_tokens
        self._entails = entails
        self._boundary = boundary

    def ask(
        self,
        question: str,
        *,
        limit: int = 8,
        filters: Filters | None = None,
        history: Sequence[Turn] = (),
    ) -> Answer:
        """The whole answer at once."""
        for event in self.stream(question, limit=limit, filters=filters, history=history):
            if isinstance(event, Answer):
                return event
        raise AssertionError("a stream ends with its answer")

    def stream(
        self,
        question: str,
        *,
        limit: int = 8,
        filters: Filters | None = None,
        history: Sequence[Turn] = (),
    ) -> Iterator[Sentence | Rejection | Withdrawn | Answer]:
        """Each sentence as soon as it is verified, each claim that fell, then the Answer.

        Raises:
            UsageError: the question holds nothing that can be searched, or is too long.
        """
        run = self._search(question, limit, filters, history)
        if not run.found.relevant:
            yield run.refusal(why_not(run.found.search))
            return
        if self._generator is not None and not run.found.ordered:
            yield from self._drafted(run, self._generator)
            if not run.sentences and run.extra.get("refused"):
                yield run.refusal(run.unsupported())
                return
        if self._generator is not None and run.found.ordered:
            run.notices.append(
                f"An order is taken from the list, not from {self._generator.name}: "
                "the answer quotes the sources instead."
            )
        if not run.sentences:
            run.model = EXTRACTIVE
            for checked in self._extractive(run.found):
                yield run.cite(checked)
        yield run.answer()

    def prompt(
        self, question: str, *, limit: int = 8, filters: Filters | None = None, history: Sequence[Turn] = ()
    ) -> Prompt:
        """What a language model would be sent; without one, for a context of 4,096 tokens."""
        run = self._search(question, limit, filters, history)
        return self._prompt(run.found, self._generator)

    def _search(
        self, question: str, limit: int, filters: Filters | None, history: Sequence[Turn]
    ) -> AnswerInProgress:
        started = time.perf_counter()
        question = clean_question(question)
        found = find(
            self._retriever, question, limit=limit, filters=filters, history=history, published=self._published
        )
        return AnswerInProgress(
            question, found, started, {"search": time.perf_counter() - started}, notices=list(found.notices)
        )

    def _published(self, entry_id: str) -> str:
        document = self._retriever.index.store.document(f"text:{entry_id}")
        return document.published if document else ""

    def _drafted(self, run: AnswerInProgress, generator: Generator) -> Iterator[Sentence | Rejection | Withdrawn]:
        """A language model's sentences. Without any, the notices say why, and ``refused`` is set if nothing held."""
        from accelrag.answer.drafting import Draft, Withdrawn
        from accelrag.citations import Verifier

        run.model = generator.name
        context = 0
        texts: dict[str, str] = {}
        for _ in range(2):
            verifier = Verifier(
                self._retriever.index.encoder.encode_passages,
                lambda name: self._text(name, texts),
                entails=self._entails,
            )
            draft = Draft(generator, verifier)
            try:
                prompt = self._prompt(run.found, generator, context)
            except AccelragError as error:
                draft.error = error
                break
            if not prompt.sources:
                draft.error = GeneratorRefused(
                    f"the context of {generator.name} is too small for the question and a source",
                    hint="start its server with a longer context",
                )
                break
            for event in draft.events(prompt):
                if isinstance(event, CheckedClaim):
                    yield run.cite(event)
                    continue
                if isinstance(event, Withdrawn):
                    run.withdraw()
                yield event
            if not isinstance(draft.error, ContextOverflow) or run.sentences:
                break
            # Half of what we took the context for, or of what the server tells: its template costs more than we knew.
            context = (draft.error.limit or generator.context_tokens()) * 6 // 10
        run.timings["generate"] = time.perf_counter() - run.started - run.timings["search"]
        self._conclude(run, draft, generator)

    def _conclude(self, run: AnswerInProgress, draft: Draft, generator: Generator) -> None:
        run.rejections = list(draft.rejections)
        run.extra = {"removed_markers": draft.unknown_markers, "reattributed": draft.reattributed}
        if draft.error is not None:
            said = f"{draft.error} ({draft.error.hint})" if draft.error.hint else str(draft.error)
            if run.sentences:
                run.notices.append(f"{generator.name} broke off; what was verified stands: {said}")
            else:
                run.notices.append(f"{said} The answer below quotes the sources instead.")
        elif not run.sentences:
            if draft.failed or draft.declined:
                run.extra["refused"] = 1
            else:
                run.notices.append(
                    f"{generator.name} wrote nothing that can be checked. "
                    "The answer below quotes the sources instead."
                )

    def _text(self, document_id: str, texts: dict[str, str]) -> str:
        if document_id not in texts:
            document = self._retriever.index.store.document(document_id)
            texts[document_id] = document.text if document else ""
        return texts[document_id]

    def _prompt(self, found: Found, generator: Generator | None, context: int = 0) -> Prompt:
        from accelrag.answer.prompt import build_prompt
        from accelrag.generation.protocol import DEFAULT_CONTEXT, estimate_tokens

        sources = [self._source(n, r) for n, r in enumerate(found.results[: max(_SOURCES, found.asked_for)], start=1)]
        return build_prompt(
            found.query,
            sources,
            context=context or (generator.context_tokens() if generator else DEFAULT_CONTEXT),
            answer_tokens=self._answer_tokens,
            count=generator.count_tokens if generator else estimate_tokens,
            boundary=self._boundary(),
        )

    def _source(self, n: int, result: Result) -> OfferedSource:
        store = self._retriever.index.store
        note = store.note_passage(result.entry.id)
        passages = [note, *(hit.passage for hit in result.hits if not hit.passage.is_note)]
        document = store.document(f"text:{result.entry.id}")
        about = "\n".join([document.title, *document.authors]) if document else ""
        return OfferedSource(n, result.entry, result.coverage, tuple(passages), about=about)

    def _extractive(self, found: Found) -> Iterator[CheckedClaim]:
        index = self._retriever.index
        search = found.search
        excerpts = extract(
            search.query,
            found.results,
            search.vector,
            index.encoder.encode_queries,
            dict(search.reading.terms),
            index.lexical.stem,
            note_of=index.store.note_passage,
            asked_for=found.asked_for,
        )
        for n, excerpt in enumerate(excerpts, start=1):
            yield _quoted(n, excerpt)


def _quoted(n: int, excerpt: Excerpt) -> CheckedClaim:
    """A quote supports itself: it is the document's text at its offsets."""
    result, passage = excerpt.result, excerpt.passage
    source = OfferedSource(n, result.entry, result.coverage, (passage,))
    piece = Piece(
        document_id=passage.document_id,
        start=excerpt.start,
        end=excerpt.end,
        text=excerpt.quote,
        page=passage.page,
        heading=" > ".join(passage.heading),
    )
    claim = Claim(excerpt.text, (n,), excerpt.lead)
    return CheckedClaim(claim, 1.0, "supported", (Evidence(source, piece, 1.0),))
