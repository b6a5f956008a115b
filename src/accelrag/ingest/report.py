"""What a run tells while it goes and when it is over."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from accelrag.types import Failure

__all__ = ["Summary", "Tally"]

Tally = Literal["fetched", "unchanged", "fresh", "stale_kept", "note_only", "failed", "skipped"]


@dataclass(slots=True)
class Summary:
    """How each entry of a run ended: every one in exactly one count.

    fetched: a new or changed text · unchanged: asked, and the same · fresh: known and too young to be asked for ·
    stale_kept: could not be had again, the old text is kept · note_only: nothing is fetched for its kind · failed: no
    text, with the reason · skipped: left for another run (filters, limits, an interruption).
    """

    total: int = 0
    fetched: int = 0
    unchanged: int = 0
    fresh: int = 0
    stale_kept: int = 0
    note_only: int = 0
    skipped: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)  # entry id -> why, those of kept texts included
    by_source: dict[str, Counter[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)  # lines of an import that could not be used
    cancelled: bool = False
    _failed: int = 0

    @property
    def failed(self) -> int:
        """Entries without a text that had one to be fetched."""
        return self._failed

    @property
    def accounted(self) -> int:
        """The sum of all counts: equal to ``total``."""
        return (
            self.fetched + self.unchanged + self.fresh + self.stale_kept + self.note_only + self.failed + self.skipped
        )

    @property
    def reasons(self) -> Counter[str]:
        """How often each reason stands among the failures."""
        return Counter(f.reason for f in self.failures.values())

    def count(self, source: str, tally: Tally, failure: Failure | None = None) -> None:
        """Put one entry into its count."""
        name = "_failed" if tally == "failed" else tally
        setattr(self, name, getattr(self, name) + 1)
        self.by_source.setdefault(source, Counter())[tally] += 1
        if failure is not None and tally != "note_only":
            self.failures[failure.entry_id] = failure

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "total": self.total,
            "fetched": self.fetched,
            "unchanged": self.unchanged,
            "fresh": self.fresh,
            "stale_kept": self.stale_kept,
            "note_only": self.note_only,
            "failed": self.failed,
            "skipped": self.skipped,
            "reasons": dict(self.reasons),
            "by_source": {k: dict(v) for k, v in self.by_source.items()},
            "failures": {k: {"reason": f.reason, "detail": f.detail, "url": f.url} for k, f in self.failures.items()},
            "errors": list(self.errors),
            "cancelled": self.cancelled,
        }
