"""From a pressed button to HTML: one question runs on a thread of its own and its turn grows on the page.

The event loop only waits, so a slow model holds up nobody, and a stop is heard at once whatever the model does.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import secrets
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from accelrag.answer.drafting import Withdrawn
from accelrag.errors import AccelragError, IndexMissing
from accelrag.pipeline import Assistant, Cancellation, build_index
from accelrag.serving import LiveIndex, Shares
from accelrag.settings import Settings
from accelrag.types import Answer, Filters, Sentence, Turn
from accelrag.ui import turn as turns
from accelrag.ui.generators import Choice, Generators
from accelrag.ui.jobs import Job, Jobs
from accelrag.ui.turn import Asked

__all__ = ["Asking", "Conversation", "build_work", "kept_turns"]

_TURNS = 12  # turns that stay on the page and in the history
_QUICK = 16  # questions at a time that need no model
_SLOW = 64
_EACH = 8  # questions of one client that wait for a model at a time
_KEPT = 8_000  # characters of a question or an answer that a browser kept
_BEAT = 0.4  # seconds after which a waiting person is told again what is going on


@dataclass(frozen=True)
class Conversation:
    """What one browser session has asked: for follow-ups, and as shown on the page."""

    history: tuple[Turn, ...] = ()
    shown: tuple[str, ...] = ()
    last: Asked | None = None
    last_shown: str = ""

    def moved_on(self) -> Conversation:
        """The last turn becomes one of the earlier ones."""
        shown = (*self.shown, self.last_shown) if self.last_shown else self.shown
        return replace(self, shown=shown[-_TURNS:], last=None, last_shown="")

    def without_last(self) -> Conversation:
        """As before the last question."""
        ends_with_last = bool(self.last and self.history and self.history[-1].question == self.last.question)
        return replace(self, history=self.history[:-1] if ends_with_last else self.history, last=None, last_shown="")


@dataclass(frozen=True)
class Shown:
    """A state of the page: the earlier turns where they changed, the current turn, the conversation at the end."""

    turn: str
    conversation: Conversation
    done: bool = False


@dataclass
class _Run:
    """What the thread of a question tells the page."""

    loop: asyncio.AbstractEventLoop
    events: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)
    stop: threading.Event = field(default_factory=threading.Event)
    requests: Cancellation = field(default_factory=Cancellation)

    def end(self) -> None:
        """Stop, and close the connections to a model."""
        self.stop.set()
        self.requests.cancel()

    def tell(self, event: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone: the server is being shut down
            self.loop.call_soon_threadsafe(self.events.put_nowait, event)


class Asking:
    """Answers the questions of all sessions."""

    def __init__(self, settings: Settings, live: LiveIndex, jobs: Jobs, generators: Generators) -> None:
        self._settings = settings
        self._live = live
        self._jobs = jobs
        self._generators = generators
        self._quick = ThreadPoolExecutor(_QUICK, thread_name_prefix="accelrag ask")
        self._slow = ThreadPoolExecutor(_SLOW, thread_name_prefix="accelrag ask a model")
        self._shares = Shares(_EACH)
        self._runs: dict[str, _Run] = {}
        self._names = itertools.count(1)

    def name(self) -> str:
        """A name for a turn that no other turn of any page has."""
        return f"{next(self._names)}{secrets.token_hex(3)}"

    def stop(self, session: str) -> None:
        """Stop what the session is asking."""
        run = self._runs.get(session)
        if run is not None:
            run.end()
            run.tell(None)

    async def ask(
        self,
        asked: Asked,
        conversation: Conversation,
        *,
        generator: str = "",
        session: str = "",
        client: str = "",
    ) -> AsyncIterator[Shown]:
        """The turn as it grows; the last one is done and carries the conversation with it.

        ``session`` is what ``stop`` names; questions that wait for a model share the places of their ``client``.
        """
        self.stop(session)
        run = _Run(asyncio.get_running_loop())
        self._runs[session] = run
        try:
            yield Shown(turns.asking(asked, None, ()), conversation)
            async for note in self._built(run):
                yield Shown(turns.asking(asked, None, (), note), conversation)
            choice = self._generators.choice(generator)
            async with AsyncExitStack() as held:
                if choice.spec:
                    if self._shares.full(client):
                        note = "Your other questions come first: this one waits for a model that they use."
                        yield Shown(turns.asking(asked, None, (), note), conversation)
                    await self._place(run, held, client)
                pool = self._slow if choice.spec else self._quick
                pool.submit(self._work, run, asked, conversation.history, choice)
                async for shown in self._shown(run, asked, conversation, choice):
                    yield shown
        except AccelragError as error:
            yield _over(turns.failed(asked, str(error), error.hint), asked, conversation)
        finally:
            run.end()
            if self._runs.get(session) is run:
                del self._runs[session]

    async def _place(self, run: _Run, held: AsyncExitStack, client: str) -> None:
        """Hold one of the client's places, or go on without one where the question is stopped before."""
        place = asyncio.ensure_future(held.enter_async_context(self._shares.of(client)))
        stopped = asyncio.ensure_future(run.events.get())
        try:
            await asyncio.wait({place, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiting in (place, stopped):
                waiting.cancel()
            await asyncio.gather(place, stopped, return_exceptions=True)
        if run.stop.is_set():
            run.tell(None)

    async def _shown(
        self, run: _Run, asked: Asked, conversation: Conversation, choice: Choice
    ) -> AsyncIterator[Shown]:
        waited, last = 0.0, ""
        while True:
            try:
                event = await asyncio.wait_for(run.events.get(), _BEAT)
            except TimeoutError:
                waited += _BEAT
                if choice.spec and not last:
                    note = f"{choice.label} is writing… {waited:.0f} s"
                    yield Shown(turns.asking(asked, None, (), note), conversation)
                continue
            if run.stop.is_set():
                yield _over(last or turns.stopped(asked, None, ()), asked, conversation)
                return
            if isinstance(event, BaseException):
                raise (
                    event
                    if isinstance(event, AccelragError)
                    else AccelragError(
                        f"unexpected error: {type(event).__name__}: {event}"[:300], hint="please report it"
                    )
                )
            html, stopped, turn = event
            last = stopped
            if turn is not None:
                history = (*conversation.history, turn)[-_TURNS:]
                yield _over(html, asked, replace(conversation, history=history))
                return
            yield Shown(html, conversation)

    def _work(self, run: _Run, asked: Asked, history: tuple[Turn, ...], choice: Choice) -> None:
        if run.stop.is_set():
            return
        try:
            with self._live.lease() as lent, run.requests.active():
                assistant = self._generators.using(lent, choice)
                self._answer(run, assistant, asked, history, choice)
        except BaseException as error:  # noqa: BLE001  told to the page, which is on another thread
            run.tell(error)

    def _answer(
        self, run: _Run, assistant: Assistant, asked: Asked, history: tuple[Turn, ...], choice: Choice
    ) -> None:
        sentences: list[Sentence] = []
        entries = (asked.entry,) if asked.entry else ()
        if asked.entry:  # "it" is the entry that the question is about
            about = f"What is {asked.entry_title}?"
            history = (*history, Turn(about, about, asked.entry_title, entries))
        filters = Filters(sections=asked.sections, kinds=asked.kinds, entries=entries)
        events = assistant.events(
            asked.question, filters=None if filters.empty else filters, llm=choice.spec, history=history
        )
        for event in events:
            if run.stop.is_set():
                return
            if isinstance(event, Answer):
                run.tell((turns.answered(asked, assistant, event), "", Turn.of(event)))
                return
            if isinstance(event, Sentence):
                sentences.append(event)
            elif isinstance(event, Withdrawn):
                sentences.clear()
            else:
                continue
            stopped = turns.stopped(asked, assistant, sentences)
            run.tell((turns.asking(asked, assistant, sentences), stopped, None))

    async def _built(self, run: _Run) -> AsyncIterator[str]:
        """Build the index where there is none, telling how far it is."""
        if self._live.generation:
            return
        job = self._jobs.start("index", lambda job: build_work(self._settings, job))
        while job.running:
            if run.stop.is_set():
                return
            yield f"There is no index yet: building it. {_progress(job)}"
            await asyncio.sleep(_BEAT)
        if job.state != "done" and not self._live.generation:
            raise IndexMissing(
                f"the index could not be built: {job.message}", hint="try again, or see the Library tab"
            )


def kept_turns(told: str) -> tuple[Turn, ...]:
    """The turns that a browser kept, the oldest first; none where what it tells is nothing of the kind."""
    try:
        turns = [_turn(kept) for kept in json.loads(told)["earlier"][-_TURNS:]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ()
    return tuple(turns)


def _turn(kept: dict[str, Any]) -> Turn:
    question, query, answer = (str(kept[name])[:_KEPT] for name in ("question", "query", "answer"))
    entries, also = (tuple(str(name)[:300] for name in kept[field][:50]) for field in ("entries", "also"))
    return Turn(question, query, answer, entries, bool(kept["refused"]), also)


def build_work(settings: Settings, job: Job) -> str:
    """Build the index as a job."""
    report = build_index(settings, progress=job, wait=600.0)
    if report.unchanged:
        return f"The index is up to date: {report.entries} entries, {report.passages} passages."
    return f"Indexed {report.entries} entries, {report.passages} passages; {report.encoded} were encoded anew."


def _over(html: str, asked: Asked, conversation: Conversation) -> Shown:
    return Shown(html, replace(conversation, last=asked, last_shown=html), done=True)


def _progress(job: Job) -> str:
    return "; ".join(_task(*item) for item in job.tasks.items())


def _task(name: str, state: tuple[int, int | None]) -> str:
    done, total = state
    return f"{name}: {done} of {total}" if total else f"{name}: {done}"
