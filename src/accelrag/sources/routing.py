"""Which source an entry's text comes from, by its address alone."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import urlsplit

from accelrag.sources.arxiv import arxiv_id
from accelrag.sources.identifiers import identifier
from accelrag.sources.targets import github_target
from accelrag.types import Entry

__all__ = ["Route", "route", "why_note_only"]

Route = Literal["note", "arxiv", "github", "scholarly", "page"]

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


def route(entry: Entry) -> Route:
    """The source of an entry's text; ``note`` where none is asked."""
    if arxiv_id(entry.url) is not None or arxiv_id(entry.key) is not None:
        return "arxiv"
    if why_note_only(entry.url):
        return "note"
    if github_target(entry.url) is not None:
        return "github"
    if identifier(entry.url) is not None:
        return "scholarly"
    return "page"


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
