"""The Library tab: the home in numbers, and the runs that change it, for those who may."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import gradio as gr

from accelrag.settings import Settings
from accelrag.ui import library
from accelrag.ui.jobs import Job
from accelrag.ui.parts import QUIET, Parts, html_box

__all__ = ["LibraryTab"]

_BEAT = 0.4
_HINT = (
    '<p class="hint">Fetching reads what is missing or old from the sources and indexes it. The page goes on '
    "answering meanwhile and takes the new index when it is done.</p>"
)


class LibraryTab:
    """The tab, put where the page is being built."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        with gr.Row(elem_id="jobs-row"):
            self._update = gr.Button("Fetch and index", elem_id="update", variant="primary")
            self._index = gr.Button("Index again", elem_id="index")
            self._cancel = gr.Button("Cancel", elem_id="cancel", interactive=False)
        html_box(_HINT)
        self._job = html_box("", elem_id="job")
        self._state = html_box("", elem_id="library", elem_classes=["library"])

    def wire(self, tab: gr.Tab) -> None:
        """Connect the buttons, and the tab's own opening."""
        outputs = [self._job, self._state, self._update, self._index, self._cancel]
        self._update.click(self._starting("update", library.update_work), None, outputs, **QUIET)
        self._index.click(self._starting("index", library.build_work), None, outputs, **QUIET)
        self._cancel.click(self._on_cancel, None, None, **QUIET)
        tab.select(self._watch, None, outputs, **QUIET)

    async def _watch(self, request: gr.Request) -> AsyncIterator[Any]:
        jobs, settings = self._parts.jobs, self._parts.settings
        if not self._parts.is_admin(request):
            yield ["", "", *[gr.update(interactive=False)] * 3]
            return
        yield [gr.skip(), await asyncio.to_thread(library.status_html, settings), *_buttons(jobs.last)]
        job = jobs.last
        while job is not None:
            running = job.running
            state = gr.skip() if running else await asyncio.to_thread(library.status_html, settings)
            yield [library.job_html(job), state, *_buttons(job)]
            if not running:
                return
            await asyncio.sleep(_BEAT)

    def _starting(
        self, name: str, work: Callable[[Settings, Job], str]
    ) -> Callable[[gr.Request], AsyncIterator[Any]]:
        async def start(request: gr.Request) -> AsyncIterator[Any]:
            if self._parts.is_admin(request):
                self._parts.jobs.start(name, lambda job: work(self._parts.settings, job))
            async for update in self._watch(request):
                yield update

        return start

    def _on_cancel(self, request: gr.Request) -> None:
        job = self._parts.jobs.last
        if self._parts.is_admin(request) and job is not None:
            job.cancel()


def _buttons(job: Job | None) -> list[Any]:
    running = job is not None and job.running
    free, busy = gr.update(interactive=not running), gr.update(interactive=running)
    return [free, free, busy]
