"""What every request passes before the page sees it: size, rate, closed doors; and what every answer carries.

Plain ASGI (https://asgi.readthedocs.io/en/latest/specs/www.html), so that streamed answers stay streams.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from accelrag.ui.limits import RateLimit

__all__ = ["MAX_BODY", "Guard"]

MAX_BODY = 4 * 1024 * 1024  # a question of a million characters still gets its own clear answer
# The page takes no files and lends its server to nobody.
_CLOSED = ("/gradio_api/upload", "/gradio_api/proxy=", "/gradio_api/stream", "/monitoring", "/gradio_api/deep_link")
_HEADERS = {
    # Gradio's front end compiles its templates in the browser, hence eval; nothing may come from elsewhere.
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
        "form-action 'self'; frame-ancestors 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class _TooLarge(Exception):
    pass


class Guard:
    """Wraps the page's application."""

    def __init__(self, app: App, *, limit: RateLimit, max_body: int = MAX_BODY) -> None:
        self._app = app
        self._limit = limit
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = _own_path(scope)
        if path.startswith(_CLOSED):
            await _plain(send, 404, "not found")
            return
        if scope["method"] == "POST":
            wait = self._limit.wait((scope.get("client") or ("?", 0))[0])
            if wait:
                await _plain(send, 429, "too many requests", retry_after=wait)
                return
        length = dict(scope["headers"]).get(b"content-length", b"")
        if length.isdigit() and int(length) > self._max_body:
            await _plain(send, 413, f"a request may have {self._max_body:,} bytes")
            return
        await self._guarded(scope, receive, send)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken, started = 0, False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._max_body:
                raise _TooLarge
            return message

        async def marked(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                named = {name.lower() for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in _HEADERS.items() if k.encode() not in named]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        try:
            await self._app(scope, counted, marked)
        except _TooLarge:
            if not started:
                await _plain(send, 413, f"a request may have {self._max_body:,} bytes")


def _own_path(scope: Scope) -> str:
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(root) if root else path


async def _plain(send: Send, status: int, text: str, *, retry_after: float = 0.0) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    if retry_after:
        headers.append((b"retry-after", str(math.ceil(retry_after)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode() + b"\n"})
