"""The page: what stands where, and which press starts what."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from accelrag.errors import AccelragError
from accelrag.pipeline import entries_of
from accelrag.serving import LiveIndex
from accelrag.settings import Settings
from accelrag.types import KINDS
from accelrag.ui import library
from accelrag.ui import turn as turns
from accelrag.ui.access import Access
from accelrag.ui.asking import Asking, Conversation, kept_turns
from accelrag.ui.escape import attribute, shorten, text
from accelrag.ui.examples import Examples
from accelrag.ui.explore import Explore
from accelrag.ui.generators import Generators
from accelrag.ui.jobs import Job, Jobs
from accelrag.ui.limits import RateLimit
from accelrag.ui.turn import Asked

__all__ = ["Parts", "page_assets", "page_blocks"]

_HERE = Path(__file__).parent
_BEAT = 0.4
_STATE_SECONDS = 4 * 3600  # a conversation is forgotten when its page was silent for so long
_SESSIONS = 2_000
_PROOF = (
    '<section class="proof" aria-label="Source of the sentence"><div class="proof-bar">'
    '<h2 class="proof-title" tabindex="-1">Where it says so</h2>'
    '<button type="button" class="proof-close" aria-label="Close">×</button></div>'
    '<p class="empty">Each number in an answer opens the text behind it here, with the quote marked.</p>'
    '<div class="proof-body"></div></section>'
)
_CHIP = (
    '<p id="scope-chip" hidden>About: <span></span>'
    '<button type="button" aria-label="Ask the whole list again">×</button></p>'
)
_EXPLORE = (
    '<div class="explore"><div id="explore-main"><p class="hint" role="status">Drawing the map…</p></div>'
    '<aside id="entry" class="entry-box" aria-label="The chosen entry"><p class="hint">'
    "Choose an entry on the map or in the table: its text, its neighbours and a way to ask about it appear here."
    "</p></aside></div>"
)
_EXPLORE_JS = """
window.accelrag.server = server;
let shown = "";
window.accelrag.explore = async () => {
  const now = JSON.parse(await server.explore_overview(shown));
  if (!now.html) return;
  shown = now.generation;
  element.querySelector("#explore-main").innerHTML = now.html;
};
window.accelrag.explore();
"""


@dataclass(frozen=True)
class Parts:
    """What the page is made over."""

    settings: Settings
    live: LiveIndex
    jobs: Jobs
    asking: Asking
    explore: Explore
    generators: Generators
    limit: RateLimit
    examples: Examples
    access: Access

    def is_admin(self, request: gr.Request) -> bool:
        """Whether who sent a request may change the library."""
        return self.access.is_admin(request.request.scope, request.username)


def page_assets() -> dict[str, Any]:
    """Theme, style and script, all from this machine."""
    fonts = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
    theme = gr.themes.Base(
        primary_hue="blue", neutral_hue="slate", font=fonts, font_mono=("ui-monospace", "Consolas", "monospace")
    )
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    return {
        "theme": theme,
        "css": (_HERE / "page.css").read_text(encoding="utf-8"),
        "head": f"<script>{script}</script>",
    }


def page_blocks(parts: Parts) -> gr.Blocks:
    """The page over its parts."""
    with gr.Blocks(title="accelrag", analytics_enabled=False) as page:
        page.state_session_capacity = _SESSIONS
        head = _html(_head(parts), elem_id="head")
        with gr.Tabs(elem_id="tabs"):
            with gr.Tab("Ask", id="ask", elem_id="tab-ask"):
                ask = _ask_tab(parts)
            with gr.Tab("Explore", id="explore", elem_id="tab-explore"):
                _explore_tab(parts)
            with gr.Tab("Library", id="library", elem_id="tab-library", visible=False) as library_tab:
                library_events = _library_tab(parts)
        _wire(parts, page, head, library_tab, ask, library_events)
    return page


def _html(value: str, **kwargs: Any) -> gr.HTML:
    # No script of its own (the default one tells the server of each click), no style of Gradio's for what we style.
    return gr.HTML(value, **{"js_on_load": None, "apply_default_css": False, **kwargs})


def _ask_tab(parts: Parts) -> dict[str, Any]:
    with gr.Row(elem_id="ask-row"):
        with gr.Column(scale=3, min_width=320):
            with gr.Row(elem_id="ask-form"):
                question = gr.Textbox(
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
                send = gr.Button("Ask", elem_id="ask", variant="primary", scale=0, min_width=84)
            _html(_CHIP, elem_id="chip-box")
            chips = _html("", elem_id="filter-chips")
            scope = gr.Textbox(elem_id="scope", label="Scope", show_label=False, container=False)
            with gr.Row(elem_id="controls"):
                stop = gr.Button("Stop", elem_id="stop", size="sm")
                retry = gr.Button("Try again", elem_id="retry", size="sm")
                clear = gr.Button("New conversation", elem_id="clear", size="sm")
            with gr.Row(elem_id="unseen"):  # pressed by buttons inside answers and chips
                whole = gr.Button("Ask the whole list", elem_id="whole")
                unfilter = gr.Button("Search the whole list", elem_id="unfilter")
            with gr.Accordion("Options", open=False, elem_id="options"):
                sections = gr.Dropdown(
                    _sections(parts.settings),
                    value=[],
                    multiselect=True,
                    label="Only these sections",
                    elem_id="sections",
                )
                kinds = gr.Dropdown(
                    list(KINDS), value=[], multiselect=True, label="Only these kinds", elem_id="kinds"
                )
                generator = gr.Dropdown(
                    [(c.label, c.key) for c in parts.generators.known()],
                    value=parts.generators.default,
                    label="Answered by",
                    info="Model servers on this machine appear by themselves. Each sentence is checked either way.",
                    elem_id="generator",
                    filterable=False,
                )
            starter = _html("", elem_id="starter")
            current = _html("", elem_id="current")
            past = _html("", elem_id="past")
            _html('<div id="kept-turns"></div>', elem_id="kept")
        with gr.Column(scale=2, min_width=300, elem_id="proof-column"):
            _html(_PROOF, elem_id="proof")
    address = gr.Textbox(visible=False)
    conversation = gr.State(Conversation(), time_to_live=_STATE_SECONDS)
    return {**locals()}


def _explore_tab(parts: Parts) -> None:
    explore = parts.explore

    def explore_overview(known: Any = "") -> str:
        generation = parts.live.generation
        fresh = known == generation and bool(generation)
        return json.dumps({"generation": generation, "html": "" if fresh else _guarded(explore.overview)})

    def explore_rows(wanted: Any = "") -> str:
        try:
            found = json.loads(str(wanted)[:4000])
        except ValueError:
            found = {}
        return _guarded(lambda: explore.rows(found if isinstance(found, dict) else {}))

    def explore_entry(entry_id: Any = "") -> str:
        return _guarded(lambda: explore.entry(str(entry_id)))

    _html(
        _EXPLORE,
        elem_id="explore",
        js_on_load=_EXPLORE_JS,
        server_functions=[explore_overview, explore_rows, explore_entry],
    )


def _library_tab(parts: Parts) -> dict[str, Any]:
    with gr.Row(elem_id="jobs-row"):
        update = gr.Button("Fetch and index", elem_id="update", variant="primary")
        index = gr.Button("Index again", elem_id="index")
        cancel = gr.Button("Cancel", elem_id="cancel", interactive=False)
    _html(
        '<p class="hint">Fetching reads what is missing or old from the sources and indexes it. The page goes on '
        "answering meanwhile and takes the new index when it is done.</p>"
    )
    job = _html("", elem_id="job")
    state = _html("", elem_id="library", elem_classes=["library"])
    return {**locals()}


def _wire(  # noqa: C901 - Gradio's events are bound where their components are
    parts: Parts, page: gr.Blocks, head: gr.HTML, library_tab: gr.Tab, ask: dict[str, Any], lib: dict[str, Any]
) -> None:
    outputs = [ask["question"], ask["past"], ask["current"], ask["conversation"]]
    quiet = {"show_progress": "hidden", "api_visibility": "private"}
    wide = {**quiet, "concurrency_limit": None}

    async def on_ask(  # noqa: PLR0913 - Gradio hands each component over as an argument
        question: str,
        sections: list[str],
        kinds: list[str],
        generator: str,
        scope: str,
        conversation: Conversation,
        request: gr.Request,
    ) -> AsyncIterator[Any]:
        entry, title = _scope(parts, scope)
        asked = Asked(parts.asking.name(), question, tuple(sections or ()), tuple(kinds or ()), entry, title)
        async for update in _asked(parts, asked, conversation.moved_on(), generator, request):
            yield update

    async def on_retry(generator: str, conversation: Conversation, request: gr.Request) -> AsyncIterator[Any]:
        if conversation.last is None:
            yield [gr.skip()] * 4
            return
        last = conversation.last
        asked = Asked(parts.asking.name(), last.question, last.sections, last.kinds, last.entry, last.entry_title)
        async for update in _asked(parts, asked, conversation.without_last(), generator, request):
            yield update

    async def on_address(address: str, conversation: Conversation, request: gr.Request) -> AsyncIterator[Any]:
        asked = _from_address(parts, address)
        conversation = replace(conversation, history=conversation.history or kept_turns(address))
        if asked is None:
            yield [gr.skip(), gr.skip(), gr.skip(), conversation]
            return
        async for update in _asked(parts, asked, conversation, "", request):
            yield update

    async def on_whole(generator: str, conversation: Conversation, request: gr.Request) -> AsyncIterator[Any]:
        if conversation.last is None:
            return
        asked = Asked(parts.asking.name(), conversation.last.question)
        async for update in _asked(parts, asked, conversation.without_last(), generator, request):
            yield [*update, [], [], ""]

    def on_clear(request: gr.Request) -> list[Any]:
        parts.asking.stop(request.session_hash or "")
        return ["", "", "", Conversation(), [], [], ""]

    def on_stop(request: gr.Request) -> None:
        parts.asking.stop(request.session_hash or "")

    def on_load(request: gr.Request) -> list[Any]:
        admin = parts.is_admin(request)
        sections = gr.update(choices=_sections(parts.settings))
        return [_head(parts), _starter(parts), sections, gr.update(visible=admin)]

    def on_look() -> Any:
        return gr.update(choices=[(c.label, c.key) for c in parts.generators.look()])

    gr.on(
        [ask["send"].click, ask["question"].submit],
        on_ask,
        [ask[name] for name in ("question", "sections", "kinds", "generator", "scope", "conversation")],
        outputs,
        **wide,
    )
    ask["retry"].click(on_retry, [ask["generator"], ask["conversation"]], outputs, **wide)
    filters = [ask["sections"], ask["kinds"], ask["scope"]]
    ask["whole"].click(on_whole, [ask["generator"], ask["conversation"]], [*outputs, *filters], **wide)
    ask["clear"].click(on_clear, None, [*outputs, *filters], **wide)
    ask["unfilter"].click(lambda: [[], []], None, filters[:2], **wide)
    gr.on([box.change for box in filters[:2]], _chips, filters[:2], [ask["chips"]], **wide)
    ask["stop"].click(on_stop, None, None, **wide)
    page.load(on_load, None, [head, ask["starter"], ask["sections"], library_tab], **wide)
    page.load(on_look, None, [ask["generator"]], **wide)
    page.load(
        on_address,
        [ask["address"], ask["conversation"]],
        outputs,
        js="(address, conversation) => [window.accelrag.fromAddress(), conversation]",
        **wide,
    )
    _wire_library(parts, page, library_tab, lib, wide)


def _wire_library(parts: Parts, page: gr.Blocks, tab: gr.Tab, lib: dict[str, Any], wide: dict[str, Any]) -> None:  # noqa: C901 - Gradio's events are bound where their components are
    outputs = [lib["job"], lib["state"], lib["update"], lib["index"], lib["cancel"]]

    async def watch(request: gr.Request) -> AsyncIterator[Any]:
        if not parts.is_admin(request):
            yield ["", "", *[gr.update(interactive=False)] * 3]
            return
        yield [gr.skip(), await asyncio.to_thread(library.status_html, parts.settings), *_buttons(parts.jobs.last)]
        job = parts.jobs.last
        while job is not None:
            running = job.running
            state = gr.skip() if running else await asyncio.to_thread(library.status_html, parts.settings)
            yield [library.job_html(job), state, *_buttons(job)]
            if not running:
                return
            await asyncio.sleep(_BEAT)

    def starting(name: str, work: Callable[[Settings, Job], str]) -> Callable[[gr.Request], AsyncIterator[Any]]:
        async def start(request: gr.Request) -> AsyncIterator[Any]:
            if parts.is_admin(request):
                parts.jobs.start(name, lambda job: work(parts.settings, job))
            async for update in watch(request):
                yield update

        return start

    def cancel(request: gr.Request) -> None:
        if parts.is_admin(request) and parts.jobs.last is not None:
            parts.jobs.last.cancel()

    lib["update"].click(starting("update", library.update_work), None, outputs, **wide)
    lib["index"].click(starting("index", library.build_work), None, outputs, **wide)
    lib["cancel"].click(cancel, None, None, **wide)
    tab.select(watch, None, outputs, **wide)


async def _asked(
    parts: Parts, asked: Asked, conversation: Conversation, generator: str, request: gr.Request
) -> AsyncIterator[Any]:
    client = request.client.host if request.client else "?"
    wait = parts.limit.wait(client)
    past = _past(conversation)
    if wait:
        trouble = turns.failed(asked, "You ask faster than this page allows.", f"Ask again in {wait:.0f} s.")
        yield [gr.skip(), past, trouble, conversation]
        return
    first = True
    session = request.session_hash or ""
    async for shown in parts.asking.ask(asked, conversation, generator=generator, session=session, client=client):
        kept = shown.conversation if shown.done else gr.skip()
        yield ["" if first else gr.skip(), past if first else gr.skip(), shown.turn, kept]
        first = False


def _past(conversation: Conversation) -> str:
    if not conversation.shown:
        return ""
    return '<h2 class="cards-head">Earlier in this conversation</h2>' + "".join(reversed(conversation.shown))


def _scope(parts: Parts, scope: str) -> tuple[str, str]:
    try:
        entry = str(json.loads(scope[:2000])["entry"])
    except (ValueError, KeyError, TypeError):
        return "", ""
    title = parts.explore.title(entry)
    return (entry, title) if title else ("", "")


def _chips(sections: list[str], kinds: list[str]) -> str:
    chosen = [*(sections or ()), *(kinds or ())]
    if not chosen:
        return ""
    shown = "".join(f'<span class="chip">{text(name, 80)}</span>' for name in chosen)
    return (
        f'<p class="chips" role="status">Only in: {shown}<button type="button" class="link" data-press="unfilter">'
        "Search the whole list</button></p>"
    )


def _from_address(parts: Parts, address: str) -> Asked | None:
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
    title = parts.explore.title(entry) if entry else ""
    return Asked(parts.asking.name(), question, sections, kinds, entry if title else "", title)


def _buttons(job: Job | None) -> list[Any]:
    running = job is not None and job.running
    free, busy = gr.update(interactive=not running), gr.update(interactive=running)
    return [free, free, busy]


def _sections(settings: Settings) -> list[tuple[str, str]]:
    try:
        entries, _ = entries_of(settings)
    except AccelragError:
        return []
    names = dict.fromkeys(name for entry in entries for path in entry.sections for name in path)
    return [(shorten(name, 80), name) for name in names]


def _head(parts: Parts) -> str:
    try:
        entries, marks = entries_of(parts.settings)
    except AccelragError as error:
        trouble = f'<p class="trouble">{text(str(error), 300)} {text(error.hint, 300)}</p>'
        return f'<header class="page-head"><h1>accelrag</h1>{trouble}</header>'
    title = " + ".join(str(m.get("title") or m.get("name") or "the list") for m in marks)
    return (
        f'<header class="page-head"><h1>{text(title, 120)}</h1>'
        f"<p>{len(entries):,} resources. Ask, and check every sentence of the answer.</p></header>"
    )


def _starter(parts: Parts) -> str:
    questions: Sequence[str] = ()
    with contextlib.suppress(AccelragError):
        questions = parts.examples.now()
    items = "".join(
        f'<li><button type="button" data-example="{attribute(q, 300)}">{text(q, 120)}</button></li>'
        for q in questions
    )
    hint = "For a start:" if items else "Ask in your own words. The first question builds the index, once."
    return f'<div class="starter"><p>{hint}</p><ul class="examples">{items}</ul></div>'


def _guarded(make: Callable[[], str]) -> str:
    try:
        return make()
    except AccelragError as error:
        return f'<div class="trouble"><p>{text(str(error), 300)}</p><p class="hint">{text(error.hint, 300)}</p></div>'
