"""An assistant over one opened index: what the terminal, the web page and MCP ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from accelrag.answer import Answerer
from accelrag.corpus import Corpus
from accelrag.errors import EntryUnknown, IndexMissing
from accelrag.index import Index
from accelrag.listing.urls import canonical_url
from accelrag.pipeline.lag import quick_lag
from accelrag.retriever import Filters, Fusion, Retriever, Search
from accelrag.settings import Settings
from accelrag.types import Answer, Coverage, Document, Entry, Failure, Progress, Sentence
from accelrag.words import fold

__all__ = ["Assistant", "Shown"]

_WAIT = 600.0  # seconds that a first question waits for another process that builds the same index


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry with the documents that the assistant read for it."""

    entry: Entry
    coverage: Coverage
    documents: tuple[Document, ...]
    failure: Failure | None = None


class Assistant:
    """Answers and searches. It keeps the generation that it opened; ``refresh`` takes a newer one."""

    def __init__(self, settings: Settings, index: Index, *, fusion: Fusion | None = None) -> None:
        self.settings = settings
        self.index = index
        self._fusion = fusion
        self._retriever = Retriever(index, fusion=fusion)
        self._answerer = Answerer(self._retriever)

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        progress: Progress | None = None,
        notice: Callable[[str], None] = lambda _: None,
        build: bool = True,
        fusion: Fusion | None = None,
    ) -> Assistant:
        """Open the index of a home, building it first where there is none and ``build`` allows it.

        Raises:
            IndexMissing, IndexDamaged, IndexStranger, ListError, ModelError, StorageError: as their names say.
        """
        try:
            index = Index.open(settings.index_dir, model=settings.model, threads=settings.threads)
        except IndexMissing:
            if not build:
                raise
            from accelrag.pipeline.work import build_index

            notice("There is no index yet: building one from the list.")
            build_index(settings, progress=progress, notice=notice, wait=_WAIT)
            index = Index.open(settings.index_dir, model=settings.model, threads=settings.threads)
        else:
            for line in quick_lag(settings, index.manifest):
                notice(f"{line}: `accelrag index` brings it up to date.")
        return cls(settings, index, fusion=fusion)

    def search(self, query: str, *, limit: int | None = None, filters: Filters | None = None) -> Search:
        """Ranked entries for a query."""
        from accelrag.answer.loop import clean_question

        return self._retriever.search(clean_question(query), limit or self.settings.top_k, filters)

    def ask(self, question: str, *, limit: int | None = None, filters: Filters | None = None) -> Answer:
        """A cited answer, or a refusal."""
        return self._answerer.ask(question, limit=limit or self.settings.top_k, filters=filters)

    def stream(
        self, question: str, *, limit: int | None = None, filters: Filters | None = None
    ) -> Iterator[Sentence | Answer]:
        """Verified sentences as they come, the Answer last."""
        return self._answerer.stream(question, limit=limit or self.settings.top_k, filters=filters)

    def entries(self) -> list[tuple[Entry, Coverage]]:
        """Every entry with its coverage, in list order."""
        return list(self.index.store.entries())

    def show(self, name: str) -> Shown:
        """An entry by id, URL, title, document id, or the start of an id or title that fits one entry only.

        Raises:
            EntryUnknown: none or several fit; the hint names the nearest.
        """
        entry, coverage = self._find(name)
        documents = [self.index.store.document(f"{side}:{entry.id}") for side in ("note", "text")]
        with Corpus.open(self.settings.corpus_dir, read_only=True) as corpus:
            failure = corpus.failure(entry.id)
        return Shown(entry, coverage, tuple(d for d in documents if d is not None), failure)

    def document(self, document_id: str) -> Document | None:
        """A document of the opened index."""
        return self.index.store.document(document_id)

    def close(self) -> None:
        """Close the index."""
        self.index.close()

    def _find(self, name: str) -> tuple[Entry, Coverage]:
        wanted = name.strip()
        for prefix in ("note:", "text:"):
            wanted = wanted.removeprefix(prefix)
        if found := self.index.store.entry(wanted):
            return found
        key = canonical_url(wanted) if "://" in wanted or "." in wanted else ""
        folded = fold(wanted)
        near: list[tuple[Entry, Coverage]] = []
        for entry, coverage in self.index.store.entries():
            titles = [fold(title) for title in entry.titles]
            if (key and key in (entry.key, *map(canonical_url, entry.also))) or folded in titles:
                return entry, coverage
            if folded and (entry.id.startswith(folded) or any(folded in title for title in titles)):
                near.append((entry, coverage))
        if len(near) == 1:
            return near[0]
        if near:
            some = "; ".join(f"{e.title} ({e.id})" for e, _ in near[:4])
            raise EntryUnknown(f"{name[:80]!r} fits {len(near)} entries", hint=f"name one of them: {some}")
        raise EntryUnknown(f"there is no entry {name[:80]!r}", hint="`accelrag search` finds it by what it is about")
