"""The Explore tab: what its script asks the server for."""

from __future__ import annotations

import json
from typing import Any

from accelrag.ui.parts import Parts, guarded, html_box
from accelrag.ui.rendering import render

__all__ = ["explore_tab"]

_SCRIPT = """
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


def explore_tab(parts: Parts) -> None:
    """Put the tab where the page is being built."""
    explore = parts.explore

    def explore_overview(known: Any = "") -> str:
        generation = parts.live.generation
        fresh = known == generation and bool(generation)
        return json.dumps({"generation": generation, "html": "" if fresh else guarded(explore.overview)})

    def explore_rows(wanted: Any = "") -> str:
        try:
            found = json.loads(str(wanted)[:4000])
        except ValueError:
            found = {}
        return guarded(lambda: explore.rows(found if isinstance(found, dict) else {}))

    def explore_entry(entry_id: Any = "") -> str:
        return guarded(lambda: explore.entry(str(entry_id)))

    html_box(
        render("explore_frame.html"),
        elem_id="explore",
        js_on_load=_SCRIPT,
        server_functions=[explore_overview, explore_rows, explore_entry],
    )
