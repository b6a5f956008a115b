"""``doctor``: each damaged state of a home with the command that fixes it. It fixes nothing itself but leftovers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accelrag.checking import Severity
from accelrag.corpus import Corpus
from accelrag.embedding.models import find_model
from accelrag.errors import (
    AccelragError,
    IndexDamaged,
    IndexMismatch,
    IndexMissing,
    ModelError,
    StorageError,
)
from accelrag.index import Index, Manifest
from accelrag.index.bundle import current_generation
from accelrag.pipeline.gc import holder_of, index_folders, is_alive, left_behind, swept
from accelrag.pipeline.lists import entries_of, index_dir_of, staleness
from accelrag.pipeline.registry import home_lists, is_remote
from accelrag.settings import Settings

if TYPE_CHECKING:
    from accelrag.generation import LocalServer

__all__ = ["Diagnosis", "Symptom", "examine"]


_NEARLY_FULL = 300_000_000  # bytes: an exported encoder, a generation beside the one that answers, and some air
_ANSWER_WITHIN = 30.0
_GENERATOR_HINT = "`accelrag ask` answers without a language model meanwhile"


@dataclass(frozen=True, slots=True)
class Symptom:
    """One state with what fixes it. ``about`` is a word: home, settings, list, corpus, index, model, llm."""

    about: str
    severity: Severity
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings. ``exit_code`` is 1 where one of them is more than information."""

    home: str
    findings: tuple[Symptom, ...]
    fixed: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 or 1."""
        return int(any(f.severity != "info" for f in self.findings))

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return {
            "home": self.home,
            "healthy": self.exit_code == 0,
            "findings": [
                {"about": f.about, "severity": f.severity, "message": f.message, "fix": f.fix} for f in self.findings
            ],
            "fixed": list(self.fixed),
        }


def examine(
    settings: Settings,
    *,
    fix: bool = False,
    servers: Callable[[], Sequence[LocalServer]] | None = None,
    free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Diagnosis:
    """Look at everything in a home. ``fix`` removes what killed runs left behind, nothing else."""
    fixed = list(swept(settings)) if fix else []
    findings = [
        *_home(settings, free),
        *_lists(settings),
        *_corpus(settings, now()),
        *_index(settings),
        *_model(settings),
        *_leftovers(settings),
        *_language_models(settings, servers),
    ]
    return Diagnosis(str(settings.home), tuple(findings), tuple(fixed))


def _home(settings: Settings, free: Callable[[Path], int]) -> Iterator[Symptom]:
    for folder in (settings.corpus_dir, settings.index_dir):
        standing = folder
        while not standing.exists() and standing != standing.parent:
            standing = standing.parent
        if not os.access(standing, os.W_OK | os.X_OK):
            yield Symptom(
                "home",
                "warning",
                f"{standing} cannot be written: questions are answered, updates are not possible",
                f"chmod u+rwX {standing}, or give another --home",
            )
    standing = settings.home
    while not standing.exists() and standing != standing.parent:
        standing = standing.parent
    with suppress(OSError):
        left = free(standing)
        if left < _NEARLY_FULL:
            yield Symptom(
                "home",
                "error",
                f"the disk of {standing} is nearly full: {left / 1e6:.0f} MB are free",
                "accelrag gc, or make room",
            )


def _lists(settings: Settings) -> Iterator[Symptom]:
    try:
        entries_of(settings)
        for item in home_lists(settings):
            if item.source and not is_remote(item.source) and not Path(item.source).exists():
                name = item.name or item.path.stem
                yield Symptom(
                    "list",
                    "warning",
                    f"the source of {name} is gone: {item.source}",
                    f"accelrag update --list NEW_SOURCE --name {name}",
                )
    except AccelragError as error:
        yield _said("list", error, "accelrag list --skipped")
    except OSError as error:
        yield Symptom("list", "error", f"the list cannot be read: {error}", "check its permissions")


def _corpus(settings: Settings, now: datetime) -> Iterator[Symptom]:
    path = settings.corpus_dir / "corpus.db"
    if not path.exists():
        return
    aside = f"mv {path} {path}.damaged && accelrag fetch"
    try:
        with Corpus.open(settings.corpus_dir, read_only=True) as corpus:
            for problem in corpus.problems():
                yield Symptom("corpus", "error", problem, aside)
            latest = max((d.fetched_at for d in corpus.documents()), default="")
    except StorageError as error:
        newer = "newer accelrag" in str(error)
        yield Symptom("corpus", "error", str(error), error.hint if newer else aside)
        return
    except (ValueError, TypeError) as error:
        yield Symptom("corpus", "error", f"{path} holds rows that cannot be read: {error}", aside)
        return
    with suppress(ValueError):
        if latest and datetime.fromisoformat(latest) > now.replace(microsecond=0):
            yield Symptom(
                "corpus",
                "warning",
                f"a text was fetched in the future, {latest}: this machine's clock was or is wrong",
                "set the clock; `accelrag fetch` asks for those texts again",
            )


def _index(settings: Settings) -> Iterator[Symptom]:
    for folder in _answering(settings):
        try:
            index = Index.open(folder, model=_model_of(folder, settings), threads=settings.threads)
        except (IndexMissing, IndexDamaged, IndexMismatch, ModelError, StorageError) as error:
            yield _said("index", error, "accelrag index --rebuild")
            continue
        with closing(index):
            try:
                index.check()
                index.load()
                if folder == index_dir_of(settings):
                    yield from _behind(settings, index)
            except AccelragError as error:
                yield _said("index", error, "accelrag index --rebuild")
    main = index_dir_of(settings)
    with suppress(AccelragError):
        built = Manifest.read(current_generation(main))
        if built.model != settings.model:
            wanted = settings.model or "the default model"
            flag = f" --model {settings.model}" if settings.model else ""
            yield Symptom(
                "model",
                "error",
                f"the index was built with {built.encoder['name']}, the settings name {wanted}",
                f"accelrag index{flag}",
            )


def _answering(settings: Settings) -> list[Path]:
    main = index_dir_of(settings)
    return list(dict.fromkeys([main, *index_folders(settings)]))


def _model_of(folder: Path, settings: Settings) -> str:
    """The model that an index was built with: that it is another one than the settings name is told apart."""
    try:
        return Manifest.read(current_generation(folder)).model
    except AccelragError:
        return settings.model


def _behind(settings: Settings, index: Index) -> Iterator[Symptom]:
    for line in staleness(settings, index.manifest):
        yield Symptom("index", "warning", line, "accelrag index")
    with Corpus.open(settings.corpus_dir, read_only=True) as corpus:
        texts = {i: digest for i, (digest, _, _) in corpus.digests().items()}
    other = 0
    for entry, _ in index.store.entries():
        document = index.store.document(f"text:{entry.id}")
        other += (document.digest if document else "") != texts.get(entry.id, "")
    if other:
        yield Symptom(
            "index", "warning", f"the corpus is newer than the index: {other} texts differ", "accelrag index"
        )


def _model(settings: Settings) -> Iterator[Symptom]:
    try:
        given = Path(settings.model).expanduser() / "encoder.json" if settings.model else None
        if given is not None and given.is_file():
            return
        source = find_model(settings.model)
    except ModelError as error:
        yield _said("model", error, "accelrag index --model MODEL")
        return
    with suppress(AccelragError, KeyError):
        built = Manifest.read(current_generation(index_dir_of(settings)))
        weights = str(built.encoder.get("weights_sha256") or "")
        if built.model == settings.model and source.weights_sha256 and weights != source.weights_sha256:
            yield Symptom(
                "model",
                "error",
                f"the weights of {source.name} are not those that the index was built with",
                "accelrag index",
            )


def _leftovers(settings: Settings) -> Iterator[Symptom]:
    for path in left_behind(settings):
        yield Symptom("home", "warning", f"{path} was left behind by a run that was killed", "accelrag doctor --fix")
    note = settings.corpus_dir / ".lock.json"
    if holder := holder_of(note):
        alive = is_alive(holder[0])
        if not alive:
            message = f"{note} names process {holder[0]} ({holder[1]}), which is gone; the lock itself is free"
            yield Symptom("home", "warning", message, "accelrag doctor --fix")
        else:
            yield Symptom("home", "info", f"process {holder[0]} writes into this home: {holder[1]}")


def _language_models(settings: Settings, servers: Callable[[], Sequence[LocalServer]] | None) -> Iterator[Symptom]:
    from accelrag.generation import discover_servers

    for server in (servers or discover_servers)():
        if server.problem:
            yield Symptom("llm", "info", f"{server.name} at {server.url}: {server.problem}", server.command)
            continue
        kind, address = ("ollama", "ollama_host") if server.name == "Ollama" else ("openai", "openai_base_url")
        # A key is for the server that it was given for, not for whatever listens on this machine.
        asked = replace(settings, openai_api_key="", **{address: server.url})  # type: ignore[arg-type]
        problem = _asked(f"{kind}:{server.models[0]}", asked)
        if problem is None:
            yield Symptom(
                "llm", "info", f"{server.name} at {server.url} answers with {server.models[0]}", server.command
            )
        else:
            message = f"{server.name} at {server.url} answers wrongly: {problem}"
            yield Symptom("llm", "warning", message, problem.hint or _GENERATOR_HINT)
    if settings.llm:
        problem = _asked(settings.llm, settings)
        if problem is not None:
            message = f"the language model {settings.llm} does not answer as it should: {problem}"
            yield Symptom("llm", "error", message, problem.hint or _GENERATOR_HINT)


def _asked(spec: str, settings: Settings) -> AccelragError | None:
    """Ask for one word; the error where none comes."""
    from accelrag.errors import GeneratorUnavailable
    from accelrag.generation import Message, make_generator

    try:
        model = make_generator(spec, replace(settings, llm_timeout=_ANSWER_WITHIN))
        said = "".join(model.stream([Message("user", "Answer with one word: yes.")], max_tokens=32))
    except AccelragError as error:
        return error
    return None if said.strip() else GeneratorUnavailable("it says nothing", hint="load another model in it")


def _said(about: str, error: AccelragError, advice: str) -> Symptom:
    return Symptom(about, "error", str(error), error.hint or advice)
