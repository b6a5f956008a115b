"""The page's HTML from its templates: every value is text unless a template's own macro made it.

Autoescape is on, and characters that would turn the reading direction are shown as U+FFFD in each value.
"""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from accelrag.ui.escape import prose, shorten, visible
from accelrag.ui.links import web_link

__all__ = ["render"]


def _shown(value: object) -> object:
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_TEMPLATES.filters.update(
    short=shorten,
    prose=lambda value, limit=20_000: Markup(prose(value, limit)),  # noqa: S704  prose escapes what it is given
    web_link=web_link,
    thousands=lambda number: f"{number:,}",
)


def render(template: str, /, **values: object) -> Markup:
    """A template with values.

    Raises:
        jinja2.UndefinedError: the template names a value that was not given.
    """
    return Markup(_TEMPLATES.get_template(template).render(values))  # noqa: S704  autoescape made it
