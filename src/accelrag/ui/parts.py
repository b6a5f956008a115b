"""What the tabs of the page are made over, and the component in which their HTML stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from accelrag.errors import AccelragError
from accelrag.pipeline import entries_of
from accelrag.serving import LiveIndex
from accelrag.settings import Settings
from accelrag.ui.access import Access
from accelrag.ui.asking import Asking
from accelrag.ui.escape import shorten
from accelrag.ui.examples import Examples
from accelrag.ui.explore import Explore
from accelrag.ui.generators import Generators
from accelrag.ui.jobs import Jobs
from accelrag.ui.limits import RateLimit
from accelrag.ui.rendering import render

__all__ = ["QUIET", "Parts", "guarded", "html_box"]

# How events of the page are listened to: any number at a time, no spinner of Gradio's, no place in an API.
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": None}


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

    def sections(self) -> list[tuple[str, str]]:
        """Every section of the lists as a label and its name; none where a list cannot be read."""
        try:
            entries, _ = entries_of(self.settings)
        except AccelragError:
            return []
        names = dict.fromkeys(name for entry in entries for path in entry.sections for name in path)
        return [(shorten(name, 80), name) for name in names]


def html_box(value: str, **kwargs: Any) -> gr.HTML:
    """A component that shows HTML and nothing of Gradio's."""
    # No script of its own (the default one tells the server of each click), no style of Gradio's for what we style.
    return gr.HTML(value, **{"js_on_load": None, "apply_default_css": False, **kwargs})


def guarded(make: Callable[[], str]) -> str:
    """What ``make`` returns, or the error that kept it from doing so."""
    try:
        return make()
    except AccelragError as error:
        return render("trouble.html", message=str(error), hint=error.hint)
