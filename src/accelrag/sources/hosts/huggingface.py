"""Hugging Face: the cards of models, datasets and Spaces, and the abstracts of paper pages.

https://huggingface.co/docs/hub/api (``/api/models/…``, ``/api/papers/…``); cards are README files with a YAML head
(https://huggingface.co/docs/hub/model-cards). Blog posts and documentation are ordinary pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from accelrag.errors import AccelragError, FetchFailed
from accelrag.settings import Settings
from accelrag.sources.asking import ask_json, ask_text, decoded, text_of
from accelrag.sources.markup import readable
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source, Unchanged, document
from accelrag.transport import Transport
from accelrag.types import Entry

__all__ = ["HubTarget", "hub_target"]

_HOSTS = {"huggingface.co", "www.huggingface.co", "hf.co"}
_PAGES = {
    "blog", "docs", "learn", "tasks", "collections", "posts", "chat", "join", "login", "pricing", "models",
    "organizations", "settings", "terms-of-service", "privacy", "support", "enterprise", "inference", "new", "search",
}  # fmt: skip
_NAME = re.compile(r"[\w.-]+")
_HEAD = re.compile(r"\A---\s*\n.*?\n---\s*(?:\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class HubTarget:
    """What a link names. ``kind`` is models, datasets, spaces or papers; ``name`` as the interface takes it."""

    kind: str
    name: str


def hub_target(url: str) -> HubTarget | None:
    """What a Hugging Face link names, or None where it is an ordinary page or another host's."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    steps = [unquote(s) for s in parts.path.split("/") if s]
    if (parts.hostname or "").lower() not in _HOSTS or not steps or not all(_NAME.fullmatch(s) for s in steps[:3]):
        return None
    kind = steps[0] if steps[0] in {"datasets", "spaces", "papers"} else "models"
    rest = steps if kind == "models" else steps[1:]
    if kind == "models" and (rest[0].lower() in _PAGES or len(rest) < 2):
        return None  # an organisation's page, or one of the site's own
    if kind == "papers":
        return HubTarget(kind, rest[0]) if len(rest) == 1 and rest[0][0].isdigit() else None
    if not rest or (len(rest) == 1 and kind == "spaces"):
        return None
    return HubTarget(kind, "/".join(rest[:2]))


class _Hub:
    def __init__(self, settings: Settings, transport: Transport, bases: Bases) -> None:
        self._base = bases.of("huggingface")
        self._transport = transport

    def read(self, request: Request) -> Outcome:
        target = hub_target(request.entry.url) or hub_target(request.entry.key)
        if target is None:
            raise FetchFailed(f"{request.entry.url} names nothing of the hub", reason="malformed-id")
        return self._paper(request, target) if target.kind == "papers" else self._card(request, target)

    def _card(self, request: Request, target: HubTarget) -> Outcome:
        folder = "" if target.kind == "models" else f"{target.kind}/"
        page = f"{self._base}/{folder}{quote(target.name)}"
        found = ask_text(self._transport, f"{page}/raw/main/README.md", revision=request.revision)
        if found is not None and found.unchanged:
            return Unchanged()
        try:
            about = ask_json(self._transport, f"{self._base}/api/{target.kind}/{quote(target.name)}")
        except AccelragError:
            if found is None:
                raise
            about = {}  # the card alone is worth having
        text, markdown = "", False
        if found is not None:
            text, markdown = readable(_HEAD.sub("", decoded(found)), name="README.md", base=f"{page}/blob/main/")
        if not text.strip():
            text = text_of(about, "description") or text_of(about, "cardData", "short_description")
        if not text.strip():
            raise FetchFailed(f"{request.entry.url} has no card", reason="no-readme")
        return document(
            request, text, "readme", source=f"https://huggingface.co/{folder}{target.name}", title=target.name,
            revision=found.revision if found is not None else "", markdown=markdown,
            licence=text_of(about, "cardData", "license"), authors=[text_of(about, "author")],
            published=text_of(about, "createdAt")[:10], metadata=_metadata(about),
        )  # fmt: skip

    def _paper(self, request: Request, target: HubTarget) -> Outcome:
        about = ask_json(self._transport, f"{self._base}/api/papers/{quote(target.name)}")
        names = [text_of(a, "name") for a in about.get("authors") or [] if isinstance(a, dict)]
        return document(
            request, text_of(about, "summary"), "abstract", source=f"https://huggingface.co/papers/{target.name}",
            title=text_of(about, "title"), authors=names, published=text_of(about, "publishedAt")[:10],
            metadata={"eprint": target.name, "archive": "arXiv"},
        )  # fmt: skip


def _metadata(about: dict[str, Any]) -> dict[str, str]:
    tags = about.get("tags")
    return {
        "task": text_of(about, "pipeline_tag"),
        "library": text_of(about, "library_name"),
        "downloads": text_of(about, "downloads"),
        "likes": text_of(about, "likes"),
        "updated": text_of(about, "lastModified")[:10],
        "tags": ", ".join(str(t) for t in tags[:20]) if isinstance(tags, list) else "",
    }


def _takes(entry: Entry) -> bool:
    return hub_target(entry.url) is not None


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("huggingface", _Hub(settings, transport, bases).read)


register(Registration("huggingface", 100, _takes, _build, {"huggingface": "https://huggingface.co"}))
