"""A language model's draft, claim by claim: each is verified before anyone sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from accelrag.answer.prompt import NOT_IN_SOURCES, Prompt
from accelrag.citations import CheckedClaim, ClaimReader, OfferedSource, Verifier
from accelrag.errors import AccelragError
from accelrag.generation import ContextOverflow, Generator, Retract
from accelrag.types import Claim, Rejection

__all__ = ["Draft", "Withdrawn"]

_MOST = 24  # claims of a draft that are read
_REPEATS = 4  # claims said already after which a draft is going in circles
_ENDED = re.compile(r"[.!?。！？…:`|][\"'”’»)\]）」]*$")
_NOTHING = re.compile(rf"\W*{NOT_IN_SOURCES}\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """All sentences given so far are taken back: they turned out to be a model's reasoning."""


class Draft:
    """One run of a generator. After ``events`` the fields tell how it went."""

    def __init__(self, generator: Generator, verifier: Verifier) -> None:
        self._generator = generator
        self._verifier = verifier
        self.rejections: list[Rejection] = []
        self.held = 0  # claims that hold
        self.failed = 0  # claims that state something and do not hold
        self.declined = False  # the model said that the sources do not answer
        self.reattributed = 0
        self.error: AccelragError | None = None
        self._repeats = 0

    @property
    def unknown_markers(self) -> int:
        """Source numbers that named no source."""
        return self._verifier.unknown_markers

    def events(self, prompt: Prompt) -> Iterator[CheckedClaim | Rejection | Withdrawn]:  # noqa: C901 - the order in which a draft becomes events is read in one place
        """What holds and what does not, as it comes. A failure of the generator ends it and is kept in ``error``."""
        reader = ClaimReader()
        said: set[str] = set()
        lead = ""
        try:
            for delta in self._generator.stream(prompt.messages, max_tokens=prompt.answer_tokens):
                if isinstance(delta, Retract):
                    reader, said, lead = ClaimReader(), set(), ""
                    self.rejections, self.held, self.failed = [], 0, 0
                    yield Withdrawn()
                    continue
                for claim in reader.feed(delta):
                    lead, event = self._judged(claim, prompt.sources, said, lead)
                    if event:
                        yield event
                if self._repeats >= _REPEATS:
                    return
        except ContextOverflow as error:
            self.error = error
            return
        except AccelragError as error:
            self.error = error
            return  # what the reader still holds is a sentence that was broken off
        for claim in reader.close():
            if self._generator.finish == "length" and not _ENDED.search(claim.text):
                self._reject(Rejection(claim.text, "it was cut off", claim.cited), stated=False)
                continue
            lead, event = self._judged(claim, prompt.sources, said, lead)
            if event:
                yield event

    def _judged(
        self, claim: Claim, sources: Sequence[OfferedSource], said: set[str], lead: str
    ) -> tuple[str, CheckedClaim | Rejection | None]:
        """What a claim comes to, and the lead that the next one takes over when this one is dropped."""
        lead = _stronger(lead, claim.lead)
        if len(said) >= _MOST:
            return lead, None  # read on all the same: a closing tag may still take everything back
        key = re.sub(r"\W+", " ", claim.text).strip().lower()
        if key in said:
            self._repeats += 1
            return lead, None
        said.add(key)
        if _NOTHING.fullmatch(claim.text):
            self.declined = True
            return lead, None
        result = self._verifier.verify(claim, sources)
        if isinstance(result, Rejection):
            stated = not result.reason.startswith(("it ", "a question", "an order"))
            self.declined = self.declined or result.reason.startswith("it says that the sources")
            self._reject(result, stated=stated)
            return lead, result
        self.held += 1
        self.reattributed += result.reattributed
        return "", replace(result, claim=replace(claim, lead=lead))

    def _reject(self, rejection: Rejection, *, stated: bool) -> None:
        self.rejections.append(rejection)
        self.failed += stated


def _stronger(first: str, second: str) -> str:
    """The lead that separates more: a new line or list mark of a sentence that was dropped goes to the next."""
    if "\n" in second or not first.strip(" "):
        return "\n\n" + second.lstrip("\n") if first.startswith("\n\n") and second.startswith("\n") else second
    return first
