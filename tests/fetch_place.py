"""One entry read by the source that the registry gives it to, over real HTTP on loopback."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from accelrag.settings import Settings
from accelrag.sources import Request, registered
from accelrag.transport import Transport
from accelrag.types import Document
from fake_entries import entries
from fake_servers import Reply, Web
from fake_time import FakeTime


def fetch_place(
    web: Web, place: str, url: str, bases: Mapping[str, str] | None = None, known: Document | None = None
) -> Any:
    """The outcome for ``url`` of the source ``place``, whose bases all are ``web``; an error is raised."""
    fake = FakeTime()
    chosen = bases if bases is not None else dict.fromkeys(registered()[place].bases, web.url)
    settings = Settings(**web.settings, bases=chosen)
    with Transport(
        settings, clock=fake.clock, sleep=fake.sleep, resolve=lambda host, port: ["127.0.0.1"], spacing=0.0
    ) as transport:
        (request,) = [Request(e, known) for e in entries(url)]
        assert registered().route(request.entry) == place
        source = registered().build(settings, transport)[place]
        ((_, outcome),) = next(iter(source.fetch([request])))
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def json_reply(value: Any, status: int = 200) -> Reply:
    """An answer of an interface that speaks JSON."""
    return Reply(status, json.dumps(value).encode(), {"content-type": "application/json; charset=utf-8"})


def html_reply(body: str) -> Reply:
    """A web page."""
    return Reply(200, body.encode(), {"content-type": "text/html; charset=utf-8"})
