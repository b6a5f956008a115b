"""YouTube: title and channel by oEmbed (https://oembed.com, section 7.1), the description from the page's own data.

Captions are behind an address that robots.txt closes to programs, so they are not asked for.
"""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs, urlencode, urlsplit

from accelrag.errors import AccelragError, FetchFailed
from accelrag.settings import Settings
from accelrag.sources.asking import ask_json, decoded, text_of
from accelrag.sources.html import read_head
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source, document
from accelrag.transport import Transport
from accelrag.types import Entry

__all__ = ["video_of"]

_HOSTS = {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "www.youtube-nocookie.com"}
_VIDEO = re.compile(r"[\w-]{11}")
_DESCRIPTION = re.compile(r'"shortDescription":("(?:[^"\\]|\\.){0,20000}")')
_LONGEST = 4_000_000


def video_of(url: str) -> tuple[str, str] | None:
    """``("video", id)`` or ``("playlist", id)`` as a link names it; None for channels, searches and other hosts."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host, steps, query = (parts.hostname or "").lower(), parts.path.strip("/").split("/"), parse_qs(parts.query)
    if host == "youtu.be":
        name = steps[0]
    elif host not in _HOSTS:
        return None
    elif steps[0] in {"embed", "shorts", "live", "v"} and len(steps) > 1:
        name = steps[1]
    else:
        name = query.get("v", [""])[0]
    if _VIDEO.fullmatch(name):
        return "video", name
    listed = query.get("list", [""])[0]
    return ("playlist", listed) if re.fullmatch(r"[\w-]{12,80}", listed) else None


class _YouTube:
    def __init__(self, transport: Transport, bases: Bases) -> None:
        self._base = bases.of("youtube")
        self._transport = transport

    def read(self, request: Request) -> Outcome:
        named = video_of(request.entry.url) or video_of(request.entry.key)
        if named is None:
            raise FetchFailed(f"{request.entry.url} names no video", reason="note-only")
        path = f"/watch?v={named[1]}" if named[0] == "video" else f"/playlist?list={named[1]}"
        query = urlencode({"url": f"https://www.youtube.com{path}", "format": "json"})
        about = ask_json(self._transport, f"{self._base}/oembed?{query}", spacing=1.0)
        title, channel = text_of(about, "title"), text_of(about, "author_name")
        if not title:
            raise FetchFailed(f"{request.entry.url} has no title", reason="bad-answer")
        description, published = self._said(path)
        lines = [f"{title} ({channel})" if channel else title, description]
        return document(
            request, "\n\n".join(line for line in lines if line), "page", source=f"https://www.youtube.com{path}",
            title=title, authors=[channel], published=published, metadata={"channel": channel, "type": named[0]},
        )  # fmt: skip

    def _said(self, path: str) -> tuple[str, str]:
        """Description and day of publication; empty where the page asks for consent first or cannot be had."""
        try:
            response = self._transport.get(f"{self._base}{path}", accept="text/html", max_bytes=_LONGEST)
        except AccelragError:
            return "", ""
        text = decoded(response)
        match = _DESCRIPTION.search(text)
        page = read_head(text)
        published = page.first("datepublished", "uploaddate")[:10]
        if match:
            return str(json.loads(match[1], strict=False)).strip(), published
        return (page.first("og:description") if page.first("og:title") else ""), published


def _takes(entry: Entry) -> bool:
    return video_of(entry.url) is not None


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("youtube", _YouTube(transport, bases).read)


register(Registration("youtube", 45, _takes, _build, {"youtube": "https://www.youtube.com"}))
