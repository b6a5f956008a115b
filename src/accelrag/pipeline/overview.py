"""What is in a home, in numbers, without loading a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from accelrag.corpus import Corpus
from accelrag.errors import AccelragError, IndexMissing
from accelrag.index import Manifest, current_generation
from accelrag.pipeline.lists import entries_of, index_dir_of, staleness
from accelrag.settings import Settings

__all__ = ["Status", "status"]


@dataclass(frozen=True, slots=True)
class Status:
    """A home at a glance. ``index`` is empty where nothing was built; ``newer`` names what changed since."""

    home: str
    lists: tuple[Mapping[str, Any], ...]
    entries: int
    places: int
    documents: int
    failures: Mapping[str, int]
    coverage: Mapping[str, int]
    stale: int
    index: Mapping[str, Any] = field(default_factory=dict)
    newer: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The status as JSON."""
        return {
            "home": self.home,
            "lists": [dict(item) for item in self.lists],
            "entries": self.entries,
            "places": self.places,
            "documents": self.documents,
            "failures": dict(self.failures),
            "coverage": dict(self.coverage),
            "stale": self.stale,
            "index": dict(self.index) or None,
            "newer": list(self.newer),
        }


def status(settings: Settings) -> Status:
    """Read the status of a home.

    Raises:
        ListError, StorageError: the list or the corpus cannot be read.
    """
    with Corpus.open(settings.corpus_dir, read_only=True) as corpus:
        entries, marks = entries_of(settings, corpus)
        known = {entry.id for entry in entries}
        digests = {i: row for i, row in corpus.digests().items() if i in known}
        failures = [f for i, f in corpus.failures().items() if i in known]
    coverage: dict[str, int] = {}
    for entry in entries:
        level = digests[entry.id][1] if entry.id in digests else "note"
        coverage[level] = coverage.get(level, 0) + 1
    reasons: dict[str, int] = {}
    for failure in failures:
        reasons[failure.reason] = reasons.get(failure.reason, 0) + 1
    index, newer = _index(settings)
    return Status(
        home=str(settings.home),
        lists=tuple(marks),
        entries=len(entries),
        places=sum(len(e.places) for e in entries),
        documents=len(digests),
        failures=reasons,
        coverage=coverage,
        stale=sum(stale for _, _, stale in digests.values()),
        index=index,
        newer=newer,
    )


def _index(settings: Settings) -> tuple[dict[str, Any], tuple[str, ...]]:
    try:
        folder = current_generation(index_dir_of(settings))
        manifest = Manifest.read(folder)
        manifest.check(folder)
    except IndexMissing:
        return {}, ()
    except AccelragError as error:
        return {"problem": str(error), "hint": error.hint}, ()
    created = datetime.fromisoformat(manifest.created)
    built = {
        "generation": folder.name,
        "created": manifest.created,
        "age_seconds": round((datetime.now(UTC) - created).total_seconds()),
        "model": manifest.encoder["name"],
        "fingerprint": manifest.fingerprint,
        "coverage": dict(manifest.coverage),
        **manifest.counts,
        "bytes": sum(mark.size for mark in manifest.files.values()),
    }
    return built, tuple(staleness(settings, manifest))
