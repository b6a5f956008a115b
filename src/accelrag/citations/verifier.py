"""Claims against sources: does what is cited, or anything else that was offered, say this?

A claim passes on one piece of evidence, a sentence or two neighbours of one document, that holds its numbers with
their units, its names and identifiers, denies nothing that it states, and is near enough in meaning and words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from accelrag.citations.bindings import misbound
from accelrag.citations.evidence import Evidence, Piece, Source, joined, pieces, plain
from accelrag.citations.names import Name, found_in, names, substituted
from accelrag.citations.polarity import contradiction, not_denied
from accelrag.citations.quantities import Quantity, matches, quantities
from accelrag.citations.words import content_stems
from accelrag.types import Claim, Rejection, Verdict

__all__ = ["Calibration", "Checked", "Verifier"]

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
Entails = Callable[[Sequence[tuple[str, str]]], Sequence[float]]

_IGNORANCE = re.compile(
    r"\b(?:i (?:do not|don't|cannot|can't|could not|am not)|not in (?:the )?sources|"
    r"(?:sources?|context|documents?|passages?|information|text)\b.{0,40}"
    r"\b(?:do(?:es)? not|don't|doesn't|cannot|no)\b.{0,30}"
    r"\b(?:mention|say|state|contain|provide|include|cover|answer|discuss|specif|information|list)|"
    r"no (?:information|mention|answer)|(?:is|are) not (?:mentioned|stated|provided|specified|covered|given)|"
    r"as an ai\b|i'm sorry|i apologi[sz]e)",
    re.IGNORECASE,
)
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


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim that holds, with its evidence: the first is the best of the first source cited."""

    claim: Claim
    support: float
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    reattributed: bool = False
    unknown: tuple[int, ...] = ()  # numbers that name no source


@dataclass(frozen=True)
class _Facts:
    """What a claim states that can be looked up."""

    text: str
    stems: tuple[str, ...]
    names: tuple[Name, ...]
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class _Miss:
    """Why a source does not support a claim. ``opposite``: it speaks of the same and says otherwise."""

    reason: str
    support: float
    opposite: bool = False


@dataclass(frozen=True, slots=True)
class _Trial:
    """A piece that may be the evidence, and the single sentences that it is made of."""

    piece: Piece
    parts: tuple[Piece, ...]


@dataclass
class _Memory:
    """Sentences and vectors of sources that were seen, so that each is cut and encoded once an answer."""

    pieces: dict[Hashable, tuple[list[Piece], list[tuple[int, int]]]] = field(default_factory=dict)
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)


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
        self._memory = _Memory()
        self.zero_based = False
        self.unknown_markers = 0

    def verify(self, claim: Claim, sources: Sequence[Source]) -> Checked | Rejection:
        """Find the evidence of a claim: in what it cites, else in another source, else clause by clause."""
        cited, unknown = self._cited(claim, sources)
        reason = _no_claim(claim.text)
        if reason:
            return Rejection(claim.text, reason, claim.cited)
        facts = _facts(claim.text)
        own = [self._best(facts, source) for source in cited]
        good = tuple(e for e in own if isinstance(e, Evidence))
        if good:
            return self._checked(claim, good, unknown=unknown)
        rest = [s for s in sources if s not in cited]
        others = [e for s in rest if isinstance(e := self._best(facts, s), Evidence)]
        if others:
            best = max(others, key=lambda e: e.support)
            return self._checked(claim, (best,), reattributed=bool(cited), unknown=unknown)
        denied = next((m for m in own if isinstance(m, _Miss) and m.opposite), None)
        if denied:
            return Rejection(claim.text, denied.reason, claim.cited)
        clauses = self._by_clause(claim.text, [*cited, *rest])
        if clauses:
            numbers = {e.source.n for e in clauses}
            moved = bool(cited) and not numbers <= {s.n for s in cited}
            return self._checked(claim, clauses, reattributed=moved, unknown=unknown)
        misses = [m for m in own or [self._best(facts, s) for s in rest] if isinstance(m, _Miss)]
        why = max(misses, key=lambda m: m.support, default=_Miss("no source was offered", 0.0))
        return Rejection(claim.text, why.reason, claim.cited)

    def _cited(self, claim: Claim, sources: Sequence[Source]) -> tuple[list[Source], tuple[int, ...]]:
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
    ) -> Checked | Rejection:
        kept = tuple(
            e for e in evidence if self._documents(e.piece.document_id)[e.piece.start : e.piece.end] == e.piece.text
        )
        if not kept:
            return Rejection(claim.text, "the document changed since it was indexed", claim.cited)
        support = max(e.support for e in kept)
        verdict: Verdict = "supported" if support >= self._calibration.supported else "partial"
        return Checked(claim, support, verdict, kept, reattributed, unknown)

    def _exact(self, piece: Piece) -> bool:
        return self._documents(piece.document_id)[piece.start : piece.end] == piece.text

    def _by_clause(self, text: str, sources: Sequence[Source]) -> tuple[Evidence, ...]:
        """A claim that joins what several sources or distant sentences say: each part must hold by itself."""
        parts = [p.strip() for p in _CLAUSE.split(text)]
        clauses = [f for p in parts if len((f := _facts(p)).stems) >= 3]
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

    def _best(self, facts: _Facts, source: Source) -> Evidence | _Miss:
        """The best evidence of a source, or why there is none."""
        missing = next((n for n in facts.names if not source.holds(n)), None)
        if missing:
            return _Miss(f"{missing.text} is not in the source", 0.0)
        key = (source.entry.id, tuple((p.document_id, p.start, p.end) for p in source.passages))
        if key not in self._memory.pieces:
            self._memory.pieces[key] = pieces(source)
        singles, pairs = self._memory.pieces[key]
        wanted = frozenset(facts.stems)
        order = sorted(range(len(singles)), key=lambda i: (-len(wanted & singles[i].stems), i))[
            : self._calibration.near
        ]
        double = {
            (a, b): j for a, b in pairs if (a in order[:4] or b in order[:4]) and (j := _both(singles, a, b, source))
        }
        tried = [_Trial(singles[i], (singles[i],)) for i in order]
        tried += [_Trial(piece, (singles[a], singles[b])) for (a, b), piece in double.items()]
        return self._judge(facts, source, tried, singles)

    def _judge(
        self, facts: _Facts, source: Source, tried: Sequence[_Trial], singles: Sequence[Piece]
    ) -> Evidence | _Miss:
        problems = [_problem(facts, source, trial, singles) for trial in tried]
        open_ = [t for t, p in zip(tried, problems, strict=True) if not p or (p.opposite and len(t.parts) == 1)]
        support = dict(zip(map(id, open_), self._support(facts, source, open_), strict=True))
        best: Evidence | None = None
        misses = [_Miss("nothing in the source supports it", 0.5)]
        for trial, problem in zip(tried, problems, strict=True):
            if problem:
                misses.append(_Miss(problem.reason, _share(facts, source, trial.piece), problem.opposite))
            elif best is None or support[id(trial)] > best.support + 1e-9:
                best = Evidence(source, trial.piece, support[id(trial)])
        if best and self._entails and best.support >= self._calibration.partial / 2:
            best = Evidence(source, best.piece, float(self._entails([(best.piece.plain, facts.text)])[0]))
        if not best or best.support < self._calibration.partial:
            return max(misses, key=lambda m: m.support)
        for trial, problem in zip(tried, problems, strict=True):
            # Another sentence that is as near, and about the same names, says the opposite.
            if problem and problem.opposite and id(trial) in support:
                near = support[id(trial)] >= best.support - self._calibration.rival
                if near and _named(facts, trial.piece) >= _named(facts, best.piece):
                    return _Miss(problem.reason, 1.0, opposite=True)
        return best

    def _support(self, facts: _Facts, source: Source, trials: Sequence[_Trial]) -> list[float]:
        bare = self._cosines(facts.text, [t.piece.plain for t in trials])
        # A sentence that says "it" is nearer to the claim behind its title; that is tried where it may matter.
        first = sorted(range(len(trials)), key=lambda i: -bare[i])[:4]
        titled = self._cosines(facts.text, [f"{source.entry.title}: {trials[i].piece.plain}" for i in first])
        for i, cosine in zip(first, titled, strict=True):
            bare[i] = max(bare[i], cosine)
        c = self._calibration
        found = []
        for trial, cosine in zip(trials, bare, strict=True):
            z = c.bias + c.semantic * cosine + c.lexical * _share(facts, source, trial.piece)
            found.append(1.0 if _same(facts.text, trial.piece.plain) else 1 / (1 + math.exp(-z)))
        return found

    def _cosines(self, text: str, others: Sequence[str]) -> list[float]:
        vectors = self._memory.vectors
        new = [k for k in dict.fromkeys([text, *others]) if k not in vectors] if others else []
        if new:
            vectors.update(zip(new, self._encode(new), strict=True))
        return [float(vectors[text] @ vectors[other]) for other in others]


def _both(singles: Sequence[Piece], a: int, b: int, source: Source) -> Piece | None:
    return joined(singles[a], singles[b], source.passages)


def _share(facts: _Facts, source: Source, piece: Piece) -> float:
    wanted = set(facts.stems)
    here = wanted & (piece.stems | source.title_stems)
    return len(here) / len(wanted) if wanted else 0.0


def _problem(facts: _Facts, source: Source, trial: _Trial, singles: Sequence[Piece]) -> _Miss | None:
    piece = trial.piece
    beside = [(p.plain, p.quantities) for p in _neighbours(piece, singles)] if facts.quantities else []
    for q in facts.quantities:
        if not any(matches(q, given) for given in piece.quantities):
            return _Miss(f"the source does not say {q.text}", 0.0)
        other = misbound(q, facts.text, piece.plain, piece.quantities, facts.quantities, beside)
        if other:
            return _Miss(f"the source says {other}, not {q.text} of this", 0.0)
    near = piece.words | source.title_words
    for name in facts.names:
        if found_in(name, near, piece.stems):
            continue
        if not found_in(name, near | _around(piece, singles), frozenset()):
            return _Miss(f"{name.text} is not where the source says this", 0.0)
        other = substituted(name, facts.text, piece.plain)
        if not other and facts.quantities:
            other = _stranger(facts, source, piece)
        if other:
            return _Miss(f"the source says {other}, not {name.text}", 0.0)
    for part in dict.fromkeys([piece, *trial.parts]):
        reason = contradiction(facts.text, part.plain)
        if reason:
            return _Miss(reason, 0.0, opposite=True)
    reason = not_denied(facts.text, piece.plain)
    return _Miss(reason, 0.0) if reason else None


def _stranger(facts: _Facts, source: Source, piece: Piece) -> str:
    """A name that the evidence speaks of and the claim does not: then its numbers may be that one's."""
    ours = frozenset(form for n in facts.names for form in n.forms)
    for name in names(piece.plain):
        if not name.first and not found_in(name, ours | source.title_words, frozenset()):
            return name.text
    return ""


def _named(facts: _Facts, piece: Piece) -> int:
    return sum(found_in(n, piece.words, piece.stems) for n in facts.names)


def _facts(text: str) -> _Facts:
    found = names(text)
    inside = {q for n in found if n.exact for q in re.findall(r"\d+(?:\.\d+)?", n.text)}
    numbers = [q for q in quantities(text) if q.slack != "format" and not (q.text in inside and not q.unit)]
    return _Facts(text, tuple(content_stems(text)), tuple(found), tuple(numbers))


def _no_claim(text: str) -> str:
    if _IGNORANCE.search(text):
        return "it says that the sources do not tell"
    if text.rstrip().endswith("?"):
        return "a question states nothing"
    if text.rstrip().endswith(":"):
        return "it introduces something and states nothing"
    if len(content_stems(text)) < 2:
        return "it states nothing that can be checked"
    return ""


def _same(claim: str, evidence: str) -> bool:
    """Whether a claim is the evidence word for word; a part of it is not, since it may leave a "not" out."""
    ours, theirs = (re.sub(r"[\W_]+", " ", t).strip().lower() for t in (plain(claim), evidence))
    return bool(ours) and ours == theirs


def _neighbours(piece: Piece, singles: Sequence[Piece]) -> list[Piece]:
    """The sentences next to a piece."""
    here = [p for p in singles if p.document_id == piece.document_id]
    return [p for p in here if 0 <= piece.start - p.end < 8 or 0 <= p.start - piece.end < 8]


def _around(piece: Piece, singles: Sequence[Piece]) -> frozenset[str]:
    """Forms of names in the sentences next to a piece: a writer names the machine once."""
    return frozenset(form for other in _neighbours(piece, singles) for form in other.words)
