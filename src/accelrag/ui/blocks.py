"""The page: its head, its three tabs, its style and script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from accelrag.errors import AccelragError
from accelrag.pipeline import entries_of
from accelrag.ui.ask_tab import AskTab
from accelrag.ui.explore_tab import explore_tab
from accelrag.ui.library_tab import LibraryTab
from accelrag.ui.parts import QUIET, Parts, html_box
from accelrag.ui.rendering import render

__all__ = ["page_assets", "page_blocks"]

_HERE = Path(__file__).parent
_SESSIONS = 2_000


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
        head = html_box(_head(parts), elem_id="head")
        with gr.Tabs(elem_id="tabs"):
            with gr.Tab("Ask", id="ask", elem_id="tab-ask"):
                ask = AskTab(parts)
            with gr.Tab("Explore", id="explore", elem_id="tab-explore"):
                explore_tab(parts)
            with gr.Tab("Library", id="library", elem_id="tab-library", visible=False) as tab:
                library = LibraryTab(parts)
        ask.wire(page)
        library.wire(tab)

        def on_load(request: gr.Request) -> list[Any]:
            return [_head(parts), gr.update(visible=parts.is_admin(request))]

        page.load(on_load, None, [head, tab], **QUIET)
    return page


def _head(parts: Parts) -> str:
    try:
        entries, marks = entries_of(parts.settings)
    except AccelragError as error:
        return render("head.html", title="accelrag", problem=f"{error} {error.hint}")
    title = " + ".join(str(m.get("title") or m.get("name") or "the list") for m in marks)
    return render("head.html", title=title, entries=len(entries), problem="")
