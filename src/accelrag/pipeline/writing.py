"""What writes into a home: building, fetching, importing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from accelrag.corpus import Corpus
from accelrag.index import BuildReport, build, writing
from accelrag.pipeline.lists import entries_of, index_dir_of
from accelrag.pipeline.registry import named_lists
from accelrag.settings import Settings
from accelrag.types import Progress

if TYPE_CHECKING:
    from accelrag.ingest import Summary
    from accelrag.transport import Transport

__all__ = ["build_index", "fetch_texts", "import_texts"]


def build_index(
    settings: Settings,
    *,
    progress: Progress | None = None,
    notice: Callable[[str], None] = lambda _: None,
    rebuild: bool = False,
    wait: float = 0.0,
) -> BuildReport:
    """Build the index of a home from its lists and its corpus; nothing is encoded twice.

    Raises:
        ListError, ModelError, StorageError, Busy: as their names say. The published index is left as it was.
    """
    folder = index_dir_of(settings)
    apart = folder != settings.index_dir
    if named_lists(settings):  # one list of several: they are all in one index
        settings = replace(settings, list="")
    # Read what is to be built under the lock: who waited for another writer must not publish what is older.
    with writing(folder, wait=wait), Corpus.open(settings.corpus_dir, read_only=True) as corpus:
        entries, marks = entries_of(settings, None if apart else corpus)
        return build(
            folder,
            entries,
            corpus.document,
            model=settings.model,
            lists=marks,
            cache_dir=settings.index_dir / "cache",
            threads=settings.threads,
            progress=progress,
            notice=notice,
            rebuild=rebuild,
        )


def fetch_texts(  # noqa: PLR0913 - the options of one run, each by its name
    settings: Settings,
    *,
    progress: Progress | None = None,
    only: str | Collection[str] | None = None,
    limit: int | None = None,
    offline: bool = False,
    retry_failed: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    wait: float = 0.0,
    transport: Transport | None = None,
) -> Summary:
    """Fetch what the entries point at into the corpus.

    Raises:
        ListError, StorageError, Busy: as their names say. What was stored stays.
    """
    from accelrag.ingest import fetch
    from accelrag.transport import Transport

    with Corpus.open(settings.corpus_dir) as corpus, transport or Transport(settings) as client:
        entries, _ = entries_of(settings, None if settings.list else corpus)
        return fetch(
            entries,
            corpus,
            settings,
            transport=client,
            progress=progress,
            only=only,
            limit=limit,
            offline=offline,
            retry_failed=retry_failed,
            cancelled=cancelled,
            wait=wait,
        )


def import_texts(settings: Settings, path: Path, *, progress: Progress | None = None) -> Summary:
    """Take texts that a person has already, one JSON object a line, into the corpus.

    Raises:
        UsageError, StorageError, Busy: the file or the home cannot be used.
    """
    from accelrag.ingest import import_jsonl

    with Corpus.open(settings.corpus_dir) as corpus:
        return import_jsonl(path, corpus, progress=progress)
