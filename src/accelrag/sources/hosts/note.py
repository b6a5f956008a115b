"""Links behind which no text is looked for: videos, social networks, what is sold, media files."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source
from accelrag.transport import Transport

__all__ = ["why_note_only"]

_VIDEO = re.compile(
    r"(^|\.)(youtube\.com|youtu\.be|youtube-nocookie\.com|vimeo\.com|bilibili\.com|twitch\.tv|nicovideo\.jp|"
    r"dailymotion\.com|tiktok\.com|rumble\.com)$"
)
_SOCIAL = re.compile(
    r"(^|\.)(twitter\.com|x\.com|linkedin\.com|facebook\.com|instagram\.com|discord\.gg|discord\.com|t\.me|slack\.com)$"
)
_SHOP = re.compile(
    r"(^|\.)(amazon\.[a-z.]+|elsevier\.com|oreilly\.com|packtpub\.com|manning\.com|udemy\.com|routledge\.com|"
    r"taylorfrancis\.com|crcpress\.com|wiley\.com|barnesandnoble\.com)$"
)
_SHOP_PATH = re.compile(r"^/(books?|library|dp|gp|product|course|[\w-]+/dp)(/|$)|97[89][\d-]{10,}", re.IGNORECASE)
_MEDIA = re.compile(
    r"\.(mp4|mp3|webm|mov|avi|zip|tar|gz|tgz|7z|exe|dmg|iso|png|jpe?g|gif|svg|webp|pptx?|xlsx?)$", re.I
)


def why_note_only(url: str) -> str:
    """In words, why nothing is fetched for an address; empty where something is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host, path = (parts.hostname or "").lower(), parts.path
    if _VIDEO.search(host):
        return "a video or a channel"
    if _SOCIAL.search(host):
        return "a social network behind a login"
    if _SHOP.search(host) and _SHOP_PATH.search(path):
        return "a book or course that is sold"
    if _MEDIA.search(path) and host not in {"github.com", "raw.githubusercontent.com"}:
        return "a file that is no text"
    return ""


def _read(request: Request) -> Outcome:
    raise FetchFailed(why_note_only(request.entry.url), reason="note-only")


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("note", _read)


register(Registration("note", 50, lambda entry: bool(why_note_only(entry.url)), _build))
