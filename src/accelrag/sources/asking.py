"""What small sources ask of a host: JSON of a documented interface, or the text of a file."""

from __future__ import annotations

import json
from typing import Any

from accelrag.errors import FetchFailed
from accelrag.sources.charsets import decode
from accelrag.transport import Response, Transport

__all__ = ["ask_json", "ask_text", "decoded", "text_of"]

_LONGEST = 5_000_000


def ask_json(transport: Transport, url: str, *, spacing: float | None = None) -> dict[str, Any]:
    """The object behind an address of a documented interface.

    Raises:
        FetchTransient, FetchRefused, FetchFailed: as by the transport; bad-answer where it is no JSON object.
    """
    response = transport.get(url, accept="application/json", robots=False, spacing=spacing, max_bytes=_LONGEST)
    try:
        answer = json.loads(response.body)
    except (ValueError, RecursionError) as error:
        raise FetchFailed(f"{response.url} answered no JSON", reason="bad-answer") from error
    if not isinstance(answer, dict):
        raise FetchFailed(f"{response.url} answered no JSON object", reason="bad-answer")
    return answer


def ask_text(transport: Transport, url: str, *, revision: str = "") -> Response | None:
    """A raw text file, asked for only where it changed since ``revision``; None where there is no such file."""
    response = transport.get(
        url, accept="text/markdown, text/plain, */*;q=0.5", robots=False, also={404}, revision=revision,
        max_bytes=_LONGEST,
    )  # fmt: skip
    return None if response.status == 404 else response


def text_of(record: dict[str, Any], *path: str) -> str:
    """The string at the end of a path of keys; empty where the record has another shape."""
    here: Any = record
    for key in path:
        here = here.get(key) if isinstance(here, dict) else None
    return here.strip() if isinstance(here, str) else str(here) if isinstance(here, (int, float)) and here else ""


def decoded(response: Response) -> str:
    """The text of an answer."""
    return decode(response.body, response.headers.get("content-type", ""))
