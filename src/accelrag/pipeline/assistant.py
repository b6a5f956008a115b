"""An assistant over one opened index: what the terminal, the web page and MCP ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from accelrag.corpus import Corpus
from accelrag.errors import EntryUnknown, IndexDamaged, IndexMissing, ModelError
from accelrag.index import Index, current_generation
from accelrag.listing.urls import canonical_url
from accelrag.pipeline.judges import Judges
from accelrag.pipeline.lists import index_dir_of, staleness
from accelrag.pipeline.registry import named_lists
from accelrag.settings import Settings
from accelrag.text.words import fold
from accelrag.types import Answer, Coverage, Document, Entry, Failure, Filters, Progress, Rejection, Sentence, Turn

if TYPE_CHECKING:
    from accelrag.answer import Answerer
    from accelrag.answer.drafting import Withdrawn
    from accelrag.generation import Generator
    from accelrag.retriever import Fusion, Search

__all__ = ["Assistant", "EntryDetail"]

_WAIT = 600.0  # seconds that a first question waits for another process that builds the same index


@dataclass(frozen=True, slots=True)
class EntryDetail:
    """An entry with the documents that the assistant read for it."""

    entry: Entry
    coverage: Coverage
    documents: tuple[Document, ...]
    failure: Failure | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry as JSON, with what was read for it or why nothing was."""
        return {
            "entry": self.entry.to_dict(self.coverage),
            "documents": [document.to_dict() for document in self.documents],
            "failure": self.failure.to_dict() if self.failure else None,
        }


class Assistant:
    """Answers and searches. It keeps the generation that it opened; ``refresh`` takes a newer one.

    Where ``settings.list`` names one of several lists of the home, only entries of that list are found.
    """

    def __init__(self, settings: Settings, index: Index, *, fusion: Fusion | None = None) -> None:
        self.settings = settings
        self._fusion = fusion
        self._judges = Judges(settings)
        self._models: dict[str, Generator | None] = {"": None}
        self._lists = _names_of(settings, index)
        self._take(index)

    def _take(self, index: Index) -> None:
        self.index = index
        index.warm()  # the modules below load beside it
        from accelrag.retriever import Retriever

        self._retriever = Retriever(index, fusion=self._fusion, rerank=self._judges.rerank)

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
            IndexMissing, IndexDamaged, IndexMismatch, ListError, ModelError, StorageError: as their names say.
        """
        folder = index_dir_of(settings)
        try:
            index = Index.open(folder, model=settings.model, threads=settings.threads)
        except IndexMissing:
            if not build:
                raise
            from accelrag.pipeline.writing import build_index

            notice("There is no index yet: building one from the list.")
            build_index(settings, progress=progress, notice=notice, wait=_WAIT)
            index = Index.open(folder, model=settings.model, threads=settings.threads)
        else:
            for line in staleness(settings, index.manifest):
                notice(f"{line}: `accelrag index` brings it up to date.")
        return cls(settings, index, fusion=fusion)

    def search(self, query: str, *, limit: int | None = None, filters: Filters | None = None) -> Search:
        """Ranked entries for a query."""
        from accelrag.answer import clean_question

        self._load()
        return self._retriever.search(clean_question(query), limit or self.settings.top_k, self._within(filters))

    def ask(
        self,
        question: str,
        *,
        limit: int | None = None,
        filters: Filters | None = None,
        history: Sequence[Turn] = (),
        llm: str | None = None,
    ) -> Answer:
        """A cited answer, or a refusal.

        ``history`` are the earlier turns of a conversation. ``llm`` is a spec such as ``openai:qwen3`` in place of
        the settings' own; empty means none.
        """
        limit = limit or self.settings.top_k
        return self._answerer(llm).ask(question, limit=limit, filters=self._within(filters), history=history)

    def stream(
        self,
        question: str,
        *,
        limit: int | None = None,
        filters: Filters | None = None,
        history: Sequence[Turn] = (),
        llm: str | None = None,
    ) -> Iterator[Sentence | Answer]:
        """Verified sentences as they come, the Answer last. The Answer's sentences are the ones that stand."""
        for event in self.events(question, limit=limit, filters=filters, history=history, llm=llm):
            if isinstance(event, (Sentence, Answer)):
                yield event

    def events(
        self,
        question: str,
        *,
        limit: int | None = None,
        filters: Filters | None = None,
        history: Sequence[Turn] = (),
        llm: str | None = None,
    ) -> Iterator[Sentence | Rejection | Withdrawn | Answer]:
        """As ``stream``, with each claim that fell, and word when all sentences before are taken back."""
        limit = limit or self.settings.top_k
        return self._answerer(llm).stream(question, limit=limit, filters=self._within(filters), history=history)

    def prompt(
        self,
        question: str,
        *,
        limit: int | None = None,
        filters: Filters | None = None,
        history: Sequence[Turn] = (),
        llm: str | None = None,
    ) -> str:
        """What a language model would be sent for a question."""
        from accelrag.answer.prompt import render

        limit = limit or self.settings.top_k
        within = self._within(filters)
        prompt = self._answerer(llm).prompt(question, limit=limit, filters=within, history=history)
        return render(prompt.messages)

    def entries(self) -> list[tuple[Entry, Coverage]]:
        """Every entry with its coverage, in list order."""
        every = self.index.store.entries()
        return [(e, c) for e, c in every if not self._lists or set(self._lists) & set(e.lists)]

    def show(self, name: str) -> EntryDetail:
        """An entry by id, URL, title, document id, or the start of an id or title that fits one entry only.

        Raises:
            EntryUnknown: none or several fit; the hint names the nearest.
        """
        entry, coverage = self._find(name)
        documents = [self.index.store.document(f"{side}:{entry.id}") for side in ("note", "text")]
        with Corpus.open(self.settings.corpus_dir, read_only=True) as corpus:
            failure = corpus.failure(entry.id)
        return EntryDetail(entry, coverage, tuple(d for d in documents if d is not None), failure)

    def document(self, document_id: str) -> Document | None:
        """A document of the opened index."""
        return self.index.store.document(document_id)

    def close(self) -> None:
        """Close the index."""
        self.index.close()

    def refresh(self) -> bool:
        """Take the generation that is published now; whether it is another one.

        Raises:
            IndexMissing, IndexDamaged, IndexMismatch: as by ``open``; the old one goes on answering.
        """
        folder = index_dir_of(self.settings)
        if current_generation(folder) == self.index.folder:
            return False
        self._take(Index.open(folder, model=self.settings.model, threads=self.settings.threads))
        return True

    def _load(self) -> None:
        """Open every part before the first question, so that no later sweep takes one away.

        Where a sweep came first, the generation that replaced ours is taken.
        """
        for attempt in (1, 2, 3):
            try:
                self.index.load()
                return
            except (IndexDamaged, ModelError):
                if attempt == 3 or not self.refresh():
                    raise

    def _answerer(self, llm: str | None) -> Answerer:
        """An answerer with the language model that is asked for.

        Raises:
            UsageError, SettingsError: the spec names no model that can be asked.
        """
        self._load()
        spec = self.settings.llm if llm is None else llm
        if spec not in self._models:
            from accelrag.generation import make_generator

            self._models[spec] = make_generator(spec, self.settings)
        from accelrag.answer import Answerer

        return Answerer(
            self._retriever,
            self._models[spec],
            answer_tokens=self.settings.max_answer_tokens,
            entails=self._judges.entails,
        )

    def _within(self, filters: Filters | None) -> Filters | None:
        if not self._lists:
            return filters
        return replace(filters or Filters(), lists=self._lists)

    def _find(self, name: str) -> tuple[Entry, Coverage]:
        wanted = name.strip()
        for prefix in ("note:", "text:"):
            wanted = wanted.removeprefix(prefix)
        if found := self.index.store.entry(wanted):
            return found
        address = wanted if "://" in wanted else f"https://{wanted}" if "." in wanted.split("/")[0] else ""
        key = canonical_url(address) if address else ""
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


def _names_of(settings: Settings, index: Index) -> tuple[str, ...]:
    named = [known.name for known in named_lists(settings)]
    return tuple(named) if named and len(index.manifest.lists) > 1 else ()
