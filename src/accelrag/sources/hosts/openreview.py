"""OpenReview: title, authors, abstract and venue of a paper from its interface, the newer one first.

https://docs.openreview.net/reference/api-v2 wraps each field of a note's content in ``{"value": ...}``;
https://docs.openreview.net/reference/api-v1, for older venues, does not. The site itself checks browsers.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from accelrag.errors import AccelragError, FetchFailed
from accelrag.settings import Settings
from accelrag.sources.asking import ask_json, text_of
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source, Unchanged, document
from accelrag.transport import Transport
from accelrag.types import Entry

__all__ = ["openreview_id"]

_BASES = {"openreview": "https://api2.openreview.net", "openreview1": "https://api.openreview.net"}
_ID = re.compile(r"[\w-]{6,40}")
_SITE = "https://openreview.net"


def openreview_id(url: str) -> str | None:
    """The id of the note that a forum, PDF or attachment link names; None where it names none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if (parts.hostname or "").lower() not in {"openreview.net", "www.openreview.net"}:
        return None
    if parts.path.rstrip("/") not in {"/forum", "/pdf", "/attachment", "/references/pdf"}:
        return None
    found = parse_qs(parts.query).get("id", [""])[0]
    return found if _ID.fullmatch(found) else None


class _OpenReview:
    def __init__(self, transport: Transport, bases: Bases) -> None:
        self._bases = [bases.of(name) for name in _BASES]
        self._transport = transport

    def read(self, request: Request) -> Outcome:
        id_ = openreview_id(request.entry.url) or openreview_id(request.entry.key)
        if id_ is None:
            raise FetchFailed(f"{request.entry.url} names no paper", reason="malformed-id")
        note, content = self._note(id_)
        abstract = text_of(content, "abstract") or text_of(content, "TL;DR")
        if not abstract:
            raise FetchFailed(f"OpenReview has no abstract of {id_}", reason="no-abstract")
        names = content.get("authors")
        pdf = text_of(content, "pdf")
        made = document(
            request, abstract, "abstract", source=f"{_SITE}/forum?id={id_}", title=text_of(content, "title"),
            authors=[str(n) for n in names] if isinstance(names, list) else (), published=_day(note),
            licence=text_of(note, "license"), revision=text_of(note, "tmdate"),
            metadata={"venue": text_of(content, "venue"), "pdf": f"{_SITE}{pdf}" if pdf.startswith("/") else pdf,
                      "keywords": ", ".join(map(str, content.get("keywords") or [])), "abstract_of": "OpenReview"},
        )  # fmt: skip
        known = request.known
        same = known and not known.stale and (known.revision, known.digest) == (made.revision, made.digest)
        return Unchanged() if same else made

    def _note(self, id_: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The note and its content, plain. What one interface does not know or keeps closed the other may have."""
        problem: AccelragError = FetchFailed(f"OpenReview knows no {id_}", reason="unknown-id")
        for base in self._bases:
            try:
                notes = ask_json(self._transport, f"{base}/notes?id={quote(id_)}", spacing=1.0).get("notes")
            except AccelragError as error:
                problem = error
                continue
            if isinstance(notes, list) and notes and isinstance(notes[0], dict):
                content = notes[0].get("content")
                if isinstance(content, dict):
                    return notes[0], {k: v.get("value") if isinstance(v, dict) else v for k, v in content.items()}
        raise problem


def _day(note: dict[str, Any]) -> str:
    """The day of publication, else of creation: milliseconds since 1970."""
    for name in ("pdate", "odate", "cdate", "tcdate"):
        moment = note.get(name)
        if isinstance(moment, int) and 0 < moment < 32_503_680_000_000:
            return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%d")
    return ""


def _takes(entry: Entry) -> bool:
    return openreview_id(entry.url) is not None


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("openreview", _OpenReview(transport, bases).read)


register(Registration("openreview", 40, _takes, _build, _BASES))
