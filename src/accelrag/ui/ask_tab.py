"""The Ask tab: what stands where, and which press starts what."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import gradio as gr
from markupsafe import Markup

from accelrag.errors import AccelragError
from accelrag.types import KINDS
from accelrag.ui import turn as turns
from accelrag.ui.asking import Conversation, kept_turns
from accelrag.ui.parts import QUIET, Parts, html_box
from accelrag.ui.rendering import render
from accelrag.ui.turn import Asked

__all__ = ["AskTab"]

_STATE_SECONDS = 4 * 3600  # a conversation is forgotten when its page was silent for so long


class AskTab:
    """The tab, put where the page is being built."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        with gr.Row(elem_id="ask-row"):
            with gr.Column(scale=3, min_width=320):
                self._form()
                self._options()
                self._starter = html_box("", elem_id="starter")
                self._current = html_box("", elem_id="current")
                self._past = html_box("", elem_id="past")
                html_box('<div id="kept-turns"></div>', elem_id="kept")
            with gr.Column(scale=2, min_width=300, elem_id="proof-column"):
                html_box(render("proof.html"), elem_id="proof")
        self._address = gr.Textbox(visible=False)
        self._conversation = gr.State(Conversation(), time_to_live=_STATE_SECONDS)

    def _form(self) -> None:
        with gr.Row(elem_id="ask-form"):
            self._question = gr.Textbox(
                elem_id="question",
                label="Question",
                show_label=False,
                container=False,
                placeholder="Ask the list…",
                lines=1,
                max_lines=6,
                scale=6,
                autofocus=True,
                html_attributes=gr.InputHTMLAttributes(enterkeyhint="send"),
            )
            self._send = gr.Button("Ask", elem_id="ask", variant="primary", scale=0, min_width=84)
        html_box(render("scope.html"), elem_id="chip-box")
        self._chips = html_box("", elem_id="filter-chips")
        self._scope = gr.Textbox(elem_id="scope", label="Scope", show_label=False, container=False)
        with gr.Row(elem_id="controls"):
            self._stop = gr.Button("Stop", elem_id="stop", size="sm")
            self._retry = gr.Button("Try again", elem_id="retry", size="sm")
            self._clear = gr.Button("New conversation", elem_id="clear", size="sm")
        with gr.Row(elem_id="unseen"):  # pressed by buttons inside answers and chips
            self._whole = gr.Button("Ask the whole list", elem_id="whole")
            self._unfilter = gr.Button("Search the whole list", elem_id="unfilter")

    def _options(self) -> None:
        generators = self._parts.generators
        with gr.Accordion("Options", open=False, elem_id="options"):
            self._sections = gr.Dropdown(
                self._parts.sections(),
                value=[],
                multiselect=True,
                label="Only these sections",
                elem_id="sections",
            )
            self._kinds = gr.Dropdown(
                list(KINDS), value=[], multiselect=True, label="Only these kinds", elem_id="kinds"
            )
            self._generator = gr.Dropdown(
                [(c.label, c.key) for c in generators.known()],
                value=generators.default,
                label="Answered by",
                info="Model servers on this machine appear by themselves. Each sentence is checked either way.",
                elem_id="generator",
                filterable=False,
            )

    def wire(self, page: gr.Blocks) -> None:
        """Connect the buttons, and what happens when the page is opened."""
        outputs = [self._question, self._past, self._current, self._conversation]
        filters = [self._sections, self._kinds, self._scope]
        asking = [self._question, *filters[:2], self._generator, self._scope, self._conversation]
        gr.on([self._send.click, self._question.submit], self._on_ask, asking, outputs, **QUIET)
        again = [self._generator, self._conversation]
        self._retry.click(self._on_retry, again, outputs, **QUIET)
        self._whole.click(self._on_whole, again, [*outputs, *filters], **QUIET)
        self._clear.click(self._on_clear, None, [*outputs, *filters], **QUIET)
        self._unfilter.click(lambda: [[], []], None, filters[:2], **QUIET)
        gr.on([box.change for box in filters[:2]], _chips, filters[:2], [self._chips], **QUIET)
        self._stop.click(self._on_stop, None, None, **QUIET)
        page.load(self._on_load, None, [self._starter, self._sections], **QUIET)
        page.load(self._on_look, None, [self._generator], **QUIET)
        page.load(
            self._on_address,
            [self._address, self._conversation],
            outputs,
            js="(address, conversation) => [window.accelrag.fromAddress(), conversation]",
            **QUIET,
        )

    async def _on_ask(  # noqa: PLR0913  one argument for each component
        self,
        question: str,
        sections: list[str],
        kinds: list[str],
        generator: str,
        scope: str,
        conversation: Conversation,
        request: gr.Request,
    ) -> AsyncIterator[Any]:
        entry, title = self._entry_of(scope)
        name = self._parts.asking.name()
        asked = Asked(name, question, tuple(sections or ()), tuple(kinds or ()), entry, title)
        async for update in self._asked(asked, conversation.moved_on(), generator, request):
            yield update

    async def _on_retry(self, generator: str, conversation: Conversation, request: gr.Request) -> AsyncIterator[Any]:
        if conversation.last is None:
            yield [gr.skip()] * 4
            return
        asked = replace(conversation.last, turn=self._parts.asking.name())
        async for update in self._asked(asked, conversation.without_last(), generator, request):
            yield update

    async def _on_whole(self, generator: str, conversation: Conversation, request: gr.Request) -> AsyncIterator[Any]:
        if conversation.last is None:
            return
        asked = Asked(self._parts.asking.name(), conversation.last.question)
        async for update in self._asked(asked, conversation.without_last(), generator, request):
            yield [*update, [], [], ""]

    async def _on_address(self, address: str, conversation: Conversation, request: gr.Request) -> AsyncIterator[Any]:
        asked = self._from_address(address)
        conversation = replace(conversation, history=conversation.history or kept_turns(address))
        if asked is None:
            yield [gr.skip(), gr.skip(), gr.skip(), conversation]
            return
        async for update in self._asked(asked, conversation, "", request):
            yield update

    def _on_clear(self, request: gr.Request) -> list[Any]:
        self._on_stop(request)
        return ["", "", "", Conversation(), [], [], ""]

    def _on_stop(self, request: gr.Request) -> None:
        self._parts.asking.stop(request.session_hash or "")

    def _on_load(self) -> list[Any]:
        questions: Sequence[str] = ()
        with contextlib.suppress(AccelragError):
            questions = self._parts.examples.now()
        return [render("starter.html", questions=questions), gr.update(choices=self._parts.sections())]

    def _on_look(self) -> Any:
        return gr.update(choices=[(c.label, c.key) for c in self._parts.generators.look()])

    async def _asked(
        self, asked: Asked, conversation: Conversation, generator: str, request: gr.Request
    ) -> AsyncIterator[Any]:
        client = request.client.host if request.client else "?"
        wait = self._parts.limit.wait(client)
        past = render("past.html", turns=[Markup(turn) for turn in conversation.shown])  # noqa: S704  made here
        if wait:
            trouble = turns.failed(asked, "You ask faster than this page allows.", f"Ask again in {wait:.0f} s.")
            yield [gr.skip(), past, trouble, conversation]
            return
        first = True
        session = request.session_hash or ""
        running = self._parts.asking.ask(asked, conversation, generator=generator, session=session, client=client)
        async for shown in running:
            kept = shown.conversation if shown.done else gr.skip()
            yield ["" if first else gr.skip(), past if first else gr.skip(), shown.turn, kept]
            first = False

    def _entry_of(self, scope: str) -> tuple[str, str]:
        try:
            entry = str(json.loads(scope[:2000])["entry"])
        except (ValueError, KeyError, TypeError):
            return "", ""
        title = self._parts.explore.title(entry)
        return (entry, title) if title else ("", "")

    def _from_address(self, address: str) -> Asked | None:
        try:
            wanted = json.loads(address or "{}")
            question = str(wanted["q"])
            sections = tuple(str(s) for s in wanted["sections"])[:10]
            kinds = tuple(str(k) for k in wanted["kinds"])[:10]
            entry = str(wanted["entry"])[:300]
        except (ValueError, KeyError, TypeError):
            return None
        if not question.strip():
            return None
        title = self._parts.explore.title(entry) if entry else ""
        return Asked(self._parts.asking.name(), question, sections, kinds, entry if title else "", title)


def _chips(sections: list[str], kinds: list[str]) -> str:
    return render("chips.html", chosen=[*(sections or ()), *(kinds or ())])
