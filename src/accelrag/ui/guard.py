"""What every request passes before the page sees it: known routes, own origin, logins, rate, size.

Plain ASGI (https://asgi.readthedocs.io/en/latest/specs/www.html), so that streamed answers stay streams.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from accelrag.ui.access import Access, headers_of
from accelrag.ui.limits import RateLimit
from accelrag.ui.logins import Attempts

__all__ = ["MAX_BODY", "Guard"]

MAX_BODY = 4 * 1024 * 1024  # a question of a million characters still gets its own clear answer
# What the page needs of Gradio, and what is ours; all else of Gradio (uploads, proxies, files, runs) is closed.
_READ = frozenset(
    {
        *("/", "/config", "/theme.css", "/favicon.ico", "/robots.txt", "/manifest.json", "/login", "/logout"),
        *("/gradio_api/info", "/gradio_api/app_id", "/gradio_api/startup-events", "/gradio_api/theme.css"),
        *("/gradio_api/queue/data", "/gradio_api/queue/status", "/gradio_api/user", "/gradio_api/login_check"),
        *("/healthz", "/v1/models"),
    }
)
_READ_BELOW = ("/assets/", "/static/", "/svelte/", "/gradio_api/heartbeat/")
_CHANGE = frozenset(
    {
        *("/login", "/gradio_api/queue/join", "/gradio_api/cancel", "/gradio_api/reset"),
        *("/gradio_api/component_server", "/v1/chat/completions"),
    }
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
# Gradio's front end compiles its templates in the browser, hence eval; nothing may come from elsewhere.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors "
)

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class _TooLarge(Exception):
    pass


class Guard:
    """Wraps the page's application."""

    def __init__(self, app: App, *, access: Access, limit: RateLimit, max_body: int = MAX_BODY) -> None:
        self._app = app
        self._access = access
        self._limit = limit
        self._attempts = Attempts()
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # the page uses none
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif refused := self._refused(scope):
            status, text, wait = refused
            await _plain(send, status, text, retry_after=wait)
        else:
            await self._guarded(scope, receive, send)

    def _refused(self, scope: Scope) -> tuple[int, str, float] | None:
        path, method = _own_path(scope), scope["method"]
        if not _known(path, method):
            return 404, "not found", 0.0
        refusal = "" if path == "/healthz" else self._access.refusal(scope)
        if refusal:
            return 403, refusal, 0.0
        if method == "POST":
            client = _client(scope)
            wait = self._limit.wait(client)
            if wait:
                return 429, "too many requests", wait
            wait = self._attempts.wait(client) if path == "/login" else 0.0
            if wait:
                return 429, f"too many wrong passwords: try again in {math.ceil(wait)} s", wait
        length = headers_of(scope).get("content-length", "")
        if length.isdigit() and int(length) > self._max_body:
            return 413, f"a request may have {self._max_body:,} bytes", 0.0
        return None

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken, started = 0, False
        login = scope["method"] == "POST" and _own_path(scope) == "/login"

        async def counted() -> Event:
            nonlocal taken
            event = await receive()
            taken += len(event.get("body", b""))
            if taken > self._max_body:
                raise _TooLarge
            return event

        async def marked(event: Event) -> None:
            nonlocal started
            if event["type"] == "http.response.start":
                started = True
                if login:
                    self._count(scope, event["status"])
                event = {**event, "headers": self._headers(event["headers"])}
            await send(event)

        try:
            await self._app(scope, counted, marked)
        except _TooLarge:
            if not started:
                await _plain(send, 413, f"a request may have {self._max_body:,} bytes")

    def _count(self, scope: Scope, status: int) -> None:
        if status < 400:
            self._attempts.succeeded(_client(scope))
        else:
            self._attempts.failed(_client(scope))

    def _headers(self, given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Ours added; no origin is granted anything, and cookies are not sent along with other sites' requests."""
        kept = [
            (name, _same_site(value) if name.lower() == b"set-cookie" else value)
            for name, value in given
            if not name.lower().startswith(b"access-control-")
        ]
        named = {name.lower() for name, _ in kept}
        own = {**_HEADERS, "content-security-policy": _POLICY + self._access.frame_ancestors()}
        return kept + [(k.encode(), v.encode()) for k, v in own.items() if k.encode() not in named]


def _same_site(cookie: bytes) -> bytes:
    parts = [part for part in cookie.split(b";") if not part.strip().lower().startswith(b"samesite")]
    return b";".join([*parts, b" SameSite=Lax"])


def _known(path: str, method: str) -> bool:
    path = path.rstrip("/") or "/"
    if method in ("GET", "HEAD"):
        return path in _READ or path.startswith(_READ_BELOW)
    return method == "POST" and path in _CHANGE


def _client(scope: Scope) -> str:
    return str((scope.get("client") or ("?", 0))[0])


def _own_path(scope: Scope) -> str:
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(root) if root else path


async def _plain(send: Send, status: int, text: str, *, retry_after: float = 0.0) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    if retry_after:
        headers.append((b"retry-after", str(math.ceil(retry_after)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode() + b"\n"})
