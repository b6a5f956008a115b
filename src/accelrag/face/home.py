"""A home as an object: ask it, search it, add texts to it, bring it up to date."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from accelrag import pipeline
from accelrag.errors import UsageError
from accelrag.face.progress import ProgressLike, progress_for
from accelrag.serving import LiveIndex
from accelrag.settings import Settings
from accelrag.types import Answer, Document, Entry, Filters, Rejection, Sentence, Turn

if TYPE_CHECKING:
    from accelrag.answer.drafting import Withdrawn
    from accelrag.index import BuildReport
    from accelrag.ingest import Summary
    from accelrag.pipeline import Diagnosis, EntryDetail, ListCheck, Status, UpdateReport
    from accelrag.retriever import Search

__all__ = ["Home", "open_home"]

Said = Callable[[str], None]
History = Sequence[Turn | Answer]


def open_home(
    source: str | os.PathLike[str] | None = None,
    *,
    progress: ProgressLike = None,
    notice: Said | None = None,
    **settings: Any,
) -> Home:
    """Open a home: the default list, a home's folder, a list's path, an address or a GitHub ``owner/name``.

    ``settings`` are those of ``accelrag config`` (``home``, ``llm``, ``model``, ``top_k``, ...); they win over
    environment and file. The index is opened, and where there is none built, by the first call that needs it.
    ``progress`` is True, False, a ``Progress`` or a function of (task, done, total); ``notice`` hears of what a
    person should know, one line a time.

    Raises:
        SettingsError: a setting is unknown or has a bad value.
        ListError: ``source`` is no list and no folder, or a folder's registry of lists cannot be read.
    """
    if source is not None:
        place = Path(os.path.expanduser(os.fspath(source)))
        settings["home" if place.is_dir() else "list"] = str(place.absolute() if place.exists() else source)
    home = Home(Settings.load(settings), progress=progress, notice=notice)
    home.lists  # noqa: B018 - a list that cannot be read is said here, not at the first question
    return home


class Home:
    """A folder with its lists, their texts and one index. Safe to use from several threads; a context manager."""

    def __init__(self, settings: Settings, *, progress: ProgressLike = None, notice: Said | None = None) -> None:
        self.settings = settings
        self._progress = progress
        self._notice = notice or (lambda _: None)
        self._live = LiveIndex(settings, build=True, notice=self._notice, progress=self._shown)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        names = ", ".join(self.lists)
        return f"<accelrag.Home {str(self.settings.home)!r}: {names}>"

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists; a single list without a name is called by its file.

        Raises:
            ListError: the registry of lists cannot be read.
        """
        found = pipeline.home_lists(self.settings)
        for item in found:
            if not item.url and not item.path.is_file():
                pipeline.read_named_list(item)  # says what is wrong with it
        return tuple(item.name or item.path.name for item in found)

    def ask(
        self,
        question: str,
        *,
        llm: str | None = None,
        history: History = (),
        filters: Filters | None = None,
        limit: int | None = None,
    ) -> Answer:
        """A cited answer, or a refusal (``answer.refused``), which is an answer too.

        ``llm`` is a spec such as ``"ollama:llama3.2"``; None takes the settings' own, empty quotes the sources.
        ``history`` are the earlier answers or turns of a conversation, oldest first.

        Raises:
            UsageError: the question is empty or too long, or a filter names what does not exist.
            IndexDamaged, IndexMismatch, ModelError, GeneratorUnavailable, GeneratorRefused: as their names say.
        """
        with self._live.lease() as assistant:
            return assistant.ask(question, llm=llm, history=_turns(history), filters=filters, limit=limit)

    def stream(
        self,
        question: str,
        *,
        llm: str | None = None,
        history: History = (),
        filters: Filters | None = None,
        limit: int | None = None,
    ) -> Iterator[Sentence | Rejection | Withdrawn | Answer]:
        """The events of an answer as they come: verified sentences, rejected claims, the ``Answer`` last.

        A ``Withdrawn`` takes back all sentences before it. The answer's own sentences are the ones that stand.
        Raises as ``ask``.
        """
        with self._live.lease() as assistant:
            yield from assistant.events(question, llm=llm, history=_turns(history), filters=filters, limit=limit)

    def search(self, query: str, *, filters: Filters | None = None, limit: int | None = None) -> Search:
        """Ranked entries for a query, to be iterated over. Raises as ``ask``."""
        with self._live.lease() as assistant:
            return assistant.search(query, filters=filters, limit=limit)

    def entries(self, *, section: str | None = None, kind: str | None = None) -> list[Entry]:
        """The entries in list order, of one section at any depth, of one kind.

        Raises:
            UsageError: there is no such section or kind; the hint names the nearest.
        """
        sections, kinds = (section,) if section else (), (kind,) if kind else ()
        with self._live.lease() as assistant:
            return [entry for entry, _ in pipeline.narrowed(assistant.entries(), sections, kinds)]

    def show(self, name: str) -> EntryDetail:
        """An entry by id, URL or title, with the documents that were read for it.

        Raises:
            EntryUnknown: none or several fit; the hint names the nearest.
        """
        with self._live.lease() as assistant:
            return assistant.show(name)

    def document(self, document_id: str) -> Document | None:
        """The document behind a citation: ``home.document(citation.document).text[citation.start:citation.end]``."""
        with self._live.lease() as assistant:
            return assistant.document(document_id)

    def export(
        self,
        form: Literal["bibtex", "markdown", "jsonl"] = "bibtex",
        *,
        answer: Answer | None = None,
        section: str | None = None,
        kind: str | None = None,
    ) -> str:
        """Entries as text: those that ``answer`` cites, else all of the section and kind.

        Raises:
            UsageError: there is no such form, section or kind.
        """
        with self._live.lease() as assistant:
            if answer is not None:
                rows = [(c.entry, c.coverage) for c in answer.citations]
            else:
                sections, kinds = (section,) if section else (), (kind,) if kind else ()
                rows = pipeline.narrowed(assistant.entries(), sections, kinds)
            return pipeline.exported(form, [(e, c, assistant.document(f"text:{e.id}")) for e, c in rows])

    def add(self, texts: str | os.PathLike[str] | Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> Summary:
        """Take texts of one's own, then index them.

        ``texts`` is a file as ``accelrag import`` takes it, or one or more mappings with ``title`` and ``text``, and
        where known ``url``, ``authors``, ``section``, ``note``, ``year`` and ``id``. What cannot be used is told in
        ``errors`` of what is returned, with its position and the reason.

        Raises:
            UsageError: the file cannot be read or nothing in it can be used.
            Busy, StorageError: another accelrag writes into this home, or it cannot be written.
        """
        if isinstance(texts, (str, os.PathLike)):
            summary = pipeline.import_texts(self.settings, Path(texts), progress=self._shown())
        else:
            records = [texts] if isinstance(texts, Mapping) else list(texts)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "added.jsonl"
                path.write_text("".join(f"{_line(record)}\n" for record in records), encoding="utf-8")
                summary = pipeline.import_texts(self.settings, path, progress=self._shown())
        self.index()
        return summary

    def update(self, *, offline: bool = False, dry_run: bool = False, force: bool = False) -> UpdateReport:
        """Refresh the lists, fetch what is new or stale, index it. ``offline`` opens no connection.

        Raises:
            ListError, FetchTransient, FetchRefused, FetchFailed: the only list cannot be had or is none.
            Busy, StorageError, ModelError: as their names say; the published index is left as it was.
        """
        return pipeline.update_home(
            self.settings,
            offline=offline,
            dry_run=dry_run,
            force=force,
            progress=self._shown(),
            notice=self._notice,
        )

    def fetch(self, *, limit: int | None = None, offline: bool = False) -> Summary:
        """Fetch what the entries point at into the corpus; ``index`` takes it into the index.

        Raises:
            ListError, StorageError, Busy: as their names say. What was stored stays.
        """
        return pipeline.fetch_texts(self.settings, limit=limit, offline=offline, progress=self._shown())

    def index(self, *, rebuild: bool = False) -> BuildReport:
        """Build the index from lists and corpus; only new text is encoded.

        Raises:
            ListError, ModelError, StorageError, Busy: as their names say. The published index is left as it was.
        """
        return pipeline.build_index(self.settings, progress=self._shown(), notice=self._notice, rebuild=rebuild)

    def check(self, *, offline: bool = False) -> list[ListCheck]:
        """What is wrong with the lists: dead and moved links, duplicates, titles. ``offline`` looks at no link.

        Raises:
            ListError, FetchTransient, FetchRefused, FetchFailed: a list cannot be had or is none.
        """
        return pipeline.check_lists(self.settings, offline=offline, progress=self._shown(), notice=self._notice)

    def doctor(self) -> Diagnosis:
        """What is wrong with the home, each with the command that fixes it."""
        return pipeline.examine(self.settings)

    def status(self) -> Status:
        """What is here, in numbers, without loading a model.

        Raises:
            ListError, StorageError: the list or the corpus cannot be read.
        """
        return pipeline.status(self.settings)

    def close(self) -> None:
        """Close the index. A later call opens it again."""
        self._live.close()

    def _shown(self) -> Any:
        return progress_for(self._progress)


def _turns(history: History) -> list[Turn]:
    return [Turn.of(item) if isinstance(item, Answer) else item for item in history]


def _line(record: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(record), ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"a text cannot be used: {error}", hint="give title and text as strings") from error
