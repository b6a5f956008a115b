"""Wikipedia: the lead of an article in any language (https://en.wikipedia.org/api/rest_v1/#/Page%20content)."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources.asking import ask_json, text_of
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source, Unchanged, document
from accelrag.transport import Transport
from accelrag.types import Entry

__all__ = ["article_of"]

_HOST = re.compile(r"^([a-z]{2,3}(?:-[a-z-]{2,16})?|simple)(?:\.m)?\.wikipedia\.org$")
_SPECIAL = re.compile(
    r"^(?:special|file|category|talk|user|help|wikipedia|portal|template|draft|module)(?:_talk)?:", re.I
)


def article_of(url: str) -> tuple[str, str] | None:
    """Language and title of the article that a link names; None where it names none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = _HOST.match((parts.hostname or "").lower())
    title = unquote(parts.path.removeprefix("/wiki/")).strip("/ ")
    if not host or not parts.path.startswith("/wiki/") or not title or _SPECIAL.match(title):
        return None
    return host[1], title.replace(" ", "_")


class _Wikipedia:
    def __init__(self, transport: Transport, bases: Bases) -> None:
        self._base = bases.of("wikipedia")
        self._transport = transport

    def read(self, request: Request) -> Outcome:
        named = article_of(request.entry.url) or article_of(request.entry.key)
        if named is None:
            raise FetchFailed(f"{request.entry.url} names no article", reason="malformed-id")
        language, title = named
        base = self._base.replace("{language}", language)
        about = ask_json(self._transport, f"{base}/api/rest_v1/page/summary/{quote(title, safe='')}", spacing=0.1)
        if text_of(about, "type") == "disambiguation":
            raise FetchFailed(f"{request.entry.url} lists several articles", reason="no-abstract")
        revision = text_of(about, "revision")
        known = request.known
        if known and not known.stale and revision and known.revision == revision:
            return Unchanged()
        text = text_of(about, "extract")
        if not text:
            raise FetchFailed(f"{request.entry.url} has no lead", reason="no-abstract")
        return document(
            request, text, "abstract", revision=revision, licence="CC-BY-SA-4.0", title=text_of(about, "title"),
            source=f"https://{language}.wikipedia.org/wiki/{quote(title)}",
            published=text_of(about, "timestamp")[:10],
            metadata={"description": text_of(about, "description"), "abstract_of": "Wikipedia"},
        )  # fmt: skip


def _takes(entry: Entry) -> bool:
    return article_of(entry.url) is not None


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("wikipedia", _Wikipedia(transport, bases).read)


register(Registration("wikipedia", 120, _takes, _build, {"wikipedia": "https://{language}.wikipedia.org"}))
