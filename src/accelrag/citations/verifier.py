"""Claims against sources: does what is cited, or anything else that was offered, say this?

A claim passes on one piece of evidence, a sentence or two neighbours of one document, that holds its numbers with
their units, its names and identifiers, denies nothing that it states, and is near enough in meaning and words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelrag.citations.checks import Facts, Miss, facts_of, named, no_claim, problem, same, share
from accelrag.citations.evidence import CheckedClaim, Evidence, OfferedSource, Piece
from accelrag.citations.reading import Fragment, Reading
from accelrag.citations.words import content_stems
from accelrag.types import Claim, Rejection, Verdict

__all__ = ["Calibration", "Verifier"]

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
Entails = Callable[[Sequence[tuple[str, str]]], Sequence[float]]

_CLAUSE = re.compile(r";\s+|,?\s+(?:and|while|whereas|but|though|although)\s+|,\s+(?=\w+ing\b)|\s+[—–]\s+|:\s+")


@dataclass(frozen=True, slots=True)
class Calibration:
    """``support = sigmoid(bias + semantic * cosine + lexical * share)``, share being that of the claim's words.

    Set on evals/verifier-tuning.tsv for the default encoder.
    """

    semantic: float = 5.0
    lexical: float = 8.0
    bias: float = -6.0
    partial: float = 0.6  # below it a claim is unsupported
    supported: float = 0.75
    near: int = 10  # sentences of a source that are looked at, most words in common first
    rival: float = 0.1  # how much nearer the evidence must be than a sentence that says the opposite


class Verifier:
    """Checks one claim after the other. ``zero_based`` is set once a draft has cited source 0."""

    def __init__(
        self,
        encode: Encode,
        documents: Callable[[str], str],
        *,
        entails: Entails | None = None,
        calibration: Calibration = Calibration(),
    ) -> None:
        """Take what is not ours to know.

        ``encode`` gives unit rows, ``documents`` the text by document id, ``entails`` the probability of each pair
        (evidence, claim) that the first entails the second; it takes the place of the support where it is given.
        """
        self._encode = encode
        self._documents = documents
        self._entails = entails
        self._calibration = calibration
        self._readings: dict[Hashable, Reading] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self.zero_based = False
        self.unknown_markers = 0

    def verify(self, claim: Claim, sources: Sequence[OfferedSource]) -> CheckedClaim | Rejection:
        """Find the evidence of a claim: in what it cites, else in another source, else clause by clause."""
        cited, unknown = self._cited(claim, sources)
        reason = no_claim(claim.text)
        if reason:
            return Rejection(claim.text, reason, claim.cited)
        facts = facts_of(claim.text)
        own = [self._best(facts, source) for source in cited]
        good = tuple(e for e in own if isinstance(e, Evidence))
        if good:
            return self._checked(claim, good, unknown=unknown)
        rest = [s for s in sources if s not in cited]
        others = [e for s in rest if isinstance(e := self._best(facts, s), Evidence)]
        if others:
            best = max(others, key=lambda e: e.support)
            return self._checked(claim, (best,), reattributed=bool(cited), unknown=unknown)
        denied = next((m for m in own if isinstance(m, Miss) and m.opposite), None)
        if denied:
            return Rejection(claim.text, denied.reason, claim.cited)
        clauses = self._by_clause(claim.text, [*cited, *rest])
        if clauses:
            numbers = {e.source.n for e in clauses}
            moved = bool(cited) and not numbers <= {s.n for s in cited}
            return self._checked(claim, clauses, reattributed=moved, unknown=unknown)
        misses = [m for m in own or [self._best(facts, s) for s in rest] if isinstance(m, Miss)]
        why = max(misses, key=lambda m: m.support, default=Miss("no source was offered", 0.0))
        return Rejection(claim.text, why.reason, claim.cited)

    def _cited(self, claim: Claim, sources: Sequence[OfferedSource]) -> tuple[list[OfferedSource], tuple[int, ...]]:
        self.zero_based = self.zero_based or (0 in claim.cited and all(s.n > 0 for s in sources))
        numbers = [n + 1 for n in claim.cited] if self.zero_based else list(claim.cited)
        by_number = {s.n: s for s in sources}
        unknown = tuple(n for n in numbers if n not in by_number)
        self.unknown_markers += len(unknown)
        return [by_number[n] for n in dict.fromkeys(numbers) if n in by_number], unknown

    def _checked(
        self,
        claim: Claim,
        evidence: tuple[Evidence, ...],
        *,
        reattributed: bool = False,
        unknown: tuple[int, ...] = (),
    ) -> CheckedClaim | Rejection:
        kept = tuple(
            e for e in evidence if self._documents(e.piece.document_id)[e.piece.start : e.piece.end] == e.piece.text
        )
        if not kept:
            return Rejection(claim.text, "the document changed since it was indexed", claim.cited)
        support = max(e.support for e in kept)
        verdict: Verdict = "supported" if support >= self._calibration.supported else "partial"
        return CheckedClaim(claim, support, verdict, kept, reattributed, unknown)

    def _exact(self, piece: Piece) -> bool:
        return self._documents(piece.document_id)[piece.start : piece.end] == piece.text

    def _by_clause(self, text: str, sources: Sequence[OfferedSource]) -> tuple[Evidence, ...]:
        """A claim that joins what several sources or distant sentences say: each part must hold by itself."""
        parts = [p.strip() for p in _CLAUSE.split(text)]
        clauses = [f for p in parts if len((f := facts_of(p)).stems) >= 3]
        if len(clauses) < 2 or sum(len(c.stems) for c in clauses) < len(content_stems(text)):
            return ()
        evidence: list[Evidence] = []
        for clause in clauses:
            found = [e for s in sources if isinstance(e := self._best(clause, s), Evidence)]
            if not found:
                return ()
            evidence.append(max(found, key=lambda e: e.support))
        # The whole is held no better than its weakest part.
        weakest = min(e.support for e in evidence)
        return tuple(Evidence(e.source, e.piece, weakest) for e in evidence)

    def _best(self, facts: Facts, source: OfferedSource) -> Evidence | Miss:  # noqa: C901 - the search for the best quote, cheapest test first
        """The best evidence of a source, or why there is none."""
        key = (source.entry.id, tuple((p.document_id, p.start, p.end) for p in source.passages))
        if key not in self._readings:
            self._readings[key] = Reading(source)
        reading = self._readings[key]
        missing = next((n for n in facts.names if not reading.holds(n)), None)
        if missing:
            return Miss(f"{missing.text} is not in the source")
        tried = reading.nearest(frozenset(facts.stems), self._calibration.near)
        problems = [problem(facts, reading, f) for f in tried]
        weighed = [
            f for f, miss in zip(tried, problems, strict=True) if not miss or (miss.opposite and f.parts == (f,))
        ]
        support = dict(zip(weighed, self._support(facts, reading, weighed), strict=True))
        best: Evidence | None = None
        chosen = weighed[0] if weighed else None
        misses = [Miss("nothing in the source supports it", 0.5)]
        for fragment, miss in zip(tried, problems, strict=True):
            if miss:
                misses.append(Miss(miss.reason, share(facts, reading, fragment), miss.opposite))
            elif best is None or support[fragment] > best.support + 1e-9:
                best, chosen = Evidence(source, fragment.piece, support[fragment]), fragment
        if best and chosen and self._entails and best.support >= self._calibration.partial / 2:
            best = Evidence(source, best.piece, float(self._entails([(chosen.plain, facts.text)])[0]))
        if not best or not chosen or best.support < self._calibration.partial:
            return max(misses, key=lambda m: m.support)
        for fragment, miss in zip(tried, problems, strict=True):
            # Another sentence that is as near, and about the same names, says the opposite.
            if miss and miss.opposite and fragment in support:
                near = support[fragment] >= best.support - self._calibration.rival
                if near and named(facts, fragment) >= named(facts, chosen):
                    return Miss(miss.reason, 1.0, opposite=True)
        return best

    def _support(self, facts: Facts, reading: Reading, fragments: Sequence[Fragment]) -> list[float]:
        cosines = self._cosines(facts.text, [f.plain for f in fragments])
        # A sentence that says "it" is nearer to the claim behind its title; that is tried where it may matter.
        first = sorted(range(len(fragments)), key=lambda i: -cosines[i])[:4]
        title = reading.source.entry.title
        titled = self._cosines(facts.text, [f"{title}: {fragments[i].plain}" for i in first])
        for i, cosine in zip(first, titled, strict=True):
            cosines[i] = max(cosines[i], cosine)
        c = self._calibration
        found = []
        for fragment, cosine in zip(fragments, cosines, strict=True):
            z = c.bias + c.semantic * cosine + c.lexical * share(facts, reading, fragment)
            found.append(1.0 if same(facts.text, fragment.plain) else 1 / (1 + math.exp(-z)))
        return found

    def _cosines(self, text: str, others: Sequence[str]) -> list[float]:
        new = [k for k in dict.fromkeys([text, *others]) if k not in self._vectors] if others else []
        if new:
            self._vectors.update(zip(new, self._encode(new), strict=True))
        return [float(self._vectors[text] @ self._vectors[other]) for other in others]
