"""One question on its way: what was found, the sentences that hold so far, and the Answer that they make."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from accelrag.answer.finding import Found
from accelrag.citations import CheckedClaim, Numbering
from accelrag.retriever import Search
from accelrag.types import Answer, Rejection, Sentence
from accelrag.types.rendering import answer_text

__all__ = ["EXTRACTIVE", "AnswerInProgress", "why_not"]

EXTRACTIVE = "extractive"
_NEAR = 3  # entries that a refusal offers


@dataclass
class AnswerInProgress:
    """What one question has come to so far."""

    question: str
    found: Found
    started: float
    timings: dict[str, float]
    numbering: Numbering = field(default_factory=Numbering)
    sentences: list[Sentence] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    extra: dict[str, int] = field(default_factory=dict)
    model: str = EXTRACTIVE

    def cite(self, checked: CheckedClaim) -> Sentence:
        """Number a claim that holds and keep it."""
        if not self.sentences:
            self.timings["first"] = time.perf_counter() - self.started
        sentence = self.numbering.cite(checked)
        self.sentences.append(sentence)
        return sentence

    def withdraw(self) -> None:
        """Take back all sentences so far."""
        self.numbering, self.sentences, self.rejections = Numbering(), [], []

    def answer(self) -> Answer:
        """The answer that has come of it."""
        citations = self.numbering.citations
        cited = {c.entry.id for c in citations}
        bare = [f"[{c.n}]" for c in citations if c.coverage == "note"]
        notices = list(self.notices)
        if bare:
            notices.append(
                f"Of {', '.join(bare)} only the list's own words are known: `accelrag fetch` reads the source."
            )
        return Answer(
            question=self.question,
            answer=answer_text(self.sentences),
            refused=False,
            reason="",
            sentences=tuple(self.sentences),
            citations=citations,
            rejections=tuple(self.rejections),
            also=tuple(r for r in self.found.results if r.entry.id not in cited),
            support=round(sum(s.support for s in self.sentences) / len(self.sentences), 4),
            model=self.model,
            timings=self._timings(),
            notices=tuple(notices),
            query=self.found.query,
            extra=self.extra,
        )

    def refusal(self, reason: str) -> Answer:
        """No answer, and why; the nearest entries are offered."""
        return Answer(
            question=self.question,
            answer="",
            refused=True,
            reason=reason,
            sentences=(),
            citations=(),
            rejections=tuple(self.rejections),
            also=self.found.results[:_NEAR],
            support=0.0,
            model=self.model,
            timings=self._timings(),
            notices=tuple(self.notices),
            query=self.found.query,
            extra=self.extra,
        )

    def _timings(self) -> Mapping[str, float]:
        return {**self.timings, "total": time.perf_counter() - self.started}

    def unsupported(self) -> str:
        """Why nothing that a model wrote is shown."""
        count = len(self.rejections)
        if not count:
            return f"{self.model} found no answer in the sources."
        what = "The one sentence" if count == 1 else f"None of the {count} sentences"
        return f"{what} that {self.model} wrote is {'not ' if count == 1 else ''}supported by the sources."


def why_not(search: Search) -> str:
    """Why nothing was found that answers."""
    unknown = search.reading.unknown
    if unknown:
        shown = ", ".join(repr(word) for word in unknown[:4])
        return f"Nothing in the list supports an answer; it does not speak of {shown}."
    return "Nothing in the list supports an answer."
