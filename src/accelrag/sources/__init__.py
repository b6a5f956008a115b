"""One module for each kind of host that entries point at: a Want in, a Document, Unchanged or an error out.

``REASONS`` is the closed set of reasons that a Failure can have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from accelrag.sources.cleaning import clean_line, clean_text
from accelrag.sources.reasons import REASONS
from accelrag.sources.routing import Route, route, why_note_only
from accelrag.sources.work import Answer, Outcome, Source, Unchanged, Want

if TYPE_CHECKING:
    from accelrag.settings import Settings
    from accelrag.transport import Transport

__all__ = [
    "REASONS",
    "Answer",
    "Outcome",
    "Route",
    "Source",
    "Unchanged",
    "Want",
    "build_sources",
    "clean_line",
    "clean_text",
    "route",
    "why_note_only",
]


def build_sources(settings: Settings, transport: Transport) -> Mapping[str, Source]:
    """The sources by the names that ``route`` gives."""
    from accelrag.sources.arxiv import ArxivSource
    from accelrag.sources.github import GithubSource
    from accelrag.sources.page import PageSource
    from accelrag.sources.scholarly import ScholarlySource

    page = PageSource(settings, transport)
    return {
        "arxiv": ArxivSource(settings, transport),
        "github": GithubSource(settings, transport),
        "scholarly": ScholarlySource(settings, transport, page),
        "page": page,
    }
