"""One client for all hosts. Every outside exception is translated here (``_once``) and nowhere else."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpcore

from accelrag.errors import FetchFailed, FetchRefused, FetchTransient
from accelrag.settings import Settings
from accelrag.transport.addresses import PinnedBackend, Resolver, checked_url, resolve_by_system, vet_address
from accelrag.transport.decoding import ACCEPT_ENCODING, decoder_for
from accelrag.transport.politeness import LONGEST_WAIT, Host, backoff, retry_after
from accelrag.transport.response import Response
from accelrag.transport.robots import LONGEST as ROBOTS_BYTES
from accelrag.transport.robots import Robots
from accelrag.version import __version__

__all__ = ["Transport"]

_REDIRECTS = {301, 302, 303, 307, 308}
_PERMANENT = {301, 308}
_MOST_REDIRECTS = 8
_ATTEMPTS = 4
_FOR_GOOD = {401: "login", 402: "blocked", 403: "blocked", 404: "not-found", 405: "blocked", 406: "unsupported-type"}
_FOR_GOOD |= {407: "blocked", 410: "gone", 418: "blocked", 451: "blocked", 999: "blocked"}
_RETRIED = {"rate-limited", "server-error", "timeout"}


@dataclass
class _Deadline(threading.local):
    at: float = field(default=float("inf"))


@dataclass(frozen=True, slots=True)
class _Request:
    """One request with the limits that hold for it; ``spacing`` in seconds, ``limit`` in bytes."""

    method: str
    url: str
    headers: Mapping[str, str]
    limit: int
    spacing: float
    content: bytes | None = None
    also: frozenset[int] = frozenset()


class Transport:
    """Fetches politely and safely. Safe to share between threads.

    ``clock`` is the time of day in seconds (spacing, Retry-After dates, circuits), ``sleep`` and ``random`` serve the
    waits, ``resolve`` turns a name into addresses. Time on the wire is real and measured by ``time.monotonic``.
    """

    def __init__(  # noqa: PLR0913 - clock, sleep, random and resolver are handed in, so that tests need no patching
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] | None = None,
        resolve: Resolver = resolve_by_system,
        spacing: float = 1.0,
        attempts: int = _ATTEMPTS,
    ) -> None:
        import random as chance

        self.settings = settings
        self.agent = f"accelrag/{__version__} (+{settings.contact})"
        self._clock, self._sleep, self._random = clock, sleep, random or chance.random
        self._spacing, self._attempts = spacing, max(1, attempts)
        self._deadline = _Deadline()
        backend = PinnedBackend(resolve, self._left, allow_private=settings.allow_private)
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl.create_default_context(),
            max_connections=64,
            max_keepalive_connections=16,
            keepalive_expiry=15.0,
            network_backend=backend,
        )
        self._hosts: dict[str, Host] = {}
        self._lock = threading.Lock()
        self._robots = Robots("accelrag", self._read_robots)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def __enter__(self) -> Transport:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def get(  # noqa: PLR0913 - the options of one request, each by its name
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int | None = None,
        accept: str = "*/*",
        revision: str = "",
        robots: bool = True,
        spacing: float | None = None,
        also: Collection[int] = (),
    ) -> Response:
        """Fetch a URL.

        ``revision`` is one of an earlier ``Response`` and makes the request conditional. ``also`` names statuses that
        are given back rather than raised. ``robots=False`` is for documented APIs. ``spacing`` is in seconds.

        Raises:
            FetchTransient: busy, slow, out of reach (after the retries that are due).
            FetchRefused: an address, size or coding that is not fetched, or closed by robots.txt.
            FetchFailed: the server said no for good.
        """
        wanted = {"accept": accept, **{name.lower(): value for name, value in (headers or {}).items()}}
        if revision.startswith("etag:"):
            wanted["if-none-match"] = revision[5:]
        elif revision.startswith("date:"):
            wanted["if-modified-since"] = revision[5:]
        return self._follow(self._request("GET", url, wanted, max_bytes, spacing, also), robots=robots)

    def post_json(
        self,
        url: str,
        payload: Any,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int | None = None,
        spacing: float | None = None,
        also: Collection[int] = (),
    ) -> Response:
        """Send JSON to a documented API. Raises what ``get`` raises; redirects are not followed."""
        wanted = {"accept": "application/json", "content-type": "application/json"}
        wanted |= {name.lower(): value for name, value in (headers or {}).items()}
        body = json.dumps(payload).encode()
        request = self._request("POST", url, wanted, max_bytes, spacing, also)
        return self._follow(replace(request, content=body), robots=False)

    def _request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        max_bytes: int | None,
        spacing: float | None,
        also: Collection[int],
    ) -> _Request:
        limit = self.settings.fetch_bytes if max_bytes is None else max_bytes
        pause = self._spacing if spacing is None else spacing
        return _Request(method, checked_url(url), headers, limit, pause, also=frozenset(also))

    def _follow(self, request: _Request, *, robots: bool) -> Response:
        requested = here = request.url
        seen, permanent = {here}, True
        for _ in range(_MOST_REDIRECTS + 1):
            delay = self._robots.check(here) if robots else 0.0
            response = self._attempt(replace(request, url=here, spacing=max(request.spacing, delay)))
            if response.status not in _REDIRECTS:
                moved = here if here != requested and permanent else ""
                return Response(here, response.status, response.headers, response.body, moved, requested)
            target = response.headers.get("location", "")
            if not target or request.method != "GET":
                raise FetchFailed(f"{here} redirects to nowhere", reason="redirect-loop")
            permanent = permanent and response.status in _PERMANENT
            there = checked_url(urljoin(here, target))
            if urlsplit(there)[:2] != urlsplit(here)[:2]:
                # Credentials are for the origin that they were meant for.
                public = {k: v for k, v in request.headers.items() if k not in {"authorization", "cookie"}}
                request = replace(request, headers=public)
            if there in seen:
                raise FetchFailed(f"{requested} redirects in a circle", reason="redirect-loop")
            seen.add(there)
            here = there
        raise FetchFailed(f"{requested} redirects more than {_MOST_REDIRECTS} times", reason="redirect-loop")

    def _attempt(self, request: _Request) -> Response:
        host = self._host(request.url)
        with host.turn:
            for attempt in range(1, self._attempts + 1):
                host.check(self._clock())
                host.wait_for_turn(request.spacing, self._clock, self._sleep)
                try:
                    response = self._once(request)
                except FetchTransient as error:
                    asked = error.retry_after
                    long = asked is not None and asked > LONGEST_WAIT
                    if error.reason not in _RETRIED or attempt == self._attempts or long:
                        host.failed(self._clock(), asked)
                        raise
                    self._sleep(backoff(attempt, asked, self._random))
                    continue
                except (FetchFailed, FetchRefused):
                    host.worked()
                    raise
                host.worked()
                return response
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _once(self, request: _Request) -> Response:
        url, content = request.url, request.content
        parts = urlsplit(url)
        if parts.hostname and ":" in parts.hostname:
            vet_address(parts.hostname, allow_private=self.settings.allow_private)
        sent = {"user-agent": self.agent, "accept-encoding": ACCEPT_ENCODING, **request.headers}
        if content is not None:
            sent["content-length"] = str(len(content))
        wait = self.settings.fetch_timeout
        self._deadline.at = time.monotonic() + wait
        timeouts = {"connect": min(wait, 10.0), "read": wait, "write": wait, "pool": wait}
        raw_headers = [("host", parts.netloc), *sent.items()]
        try:
            with self._pool.stream(
                request.method, url, headers=raw_headers, content=content, extensions={"timeout": timeouts}
            ) as raw:
                names = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in raw.headers}
                self._refuse_status(raw.status, names, url, request.also)
                if raw.status in _REDIRECTS or raw.status == 304:
                    return Response(url, raw.status, names)
                return Response(url, raw.status, names, self._read(raw, names, request.limit, url))
        except httpcore.TimeoutException as error:
            raise FetchTransient(f"{parts.hostname} is too slow", reason="timeout") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, OSError) as error:
            raise FetchTransient(f"{parts.hostname} cannot be reached: {error}", reason="unreachable") from error
        except (httpcore.UnsupportedProtocol, ValueError) as error:
            raise FetchRefused(f"{url} cannot be fetched: {error}", reason="refused-address") from error
        finally:
            self._deadline.at = float("inf")

    def _read(self, raw: httpcore.Response, headers: Mapping[str, str], limit: int, url: str) -> bytes:
        too_large = FetchRefused(
            f"{url} is larger than {limit:,} bytes", reason="too-large", hint="the setting fetch_bytes is the limit"
        )
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > limit:
            raise too_large
        decoder = decoder_for(headers.get("content-encoding", ""))
        body, wire = bytearray(), 0
        for chunk in raw.iter_stream():
            wire += len(chunk)
            if wire > limit:
                raise too_large
            for piece in decoder.feed(chunk):
                body += piece
                if len(body) > limit:
                    raise too_large
            if self._left() <= 0:
                raise FetchTransient(f"{urlsplit(url).hostname} is too slow", reason="timeout")
        decoder.finish()
        return bytes(body)

    def _refuse_status(self, status: int, headers: Mapping[str, str], url: str, also: frozenset[int]) -> None:
        if status in also or status in _REDIRECTS or status == 304 or 200 <= status < 300:
            return
        asked = retry_after(headers.get("retry-after", ""), self._clock())
        where = urlsplit(url).hostname
        if status == 429:
            raise FetchTransient(f"{where} says: too many requests", reason="rate-limited", retry_after=asked)
        if status in {408, 425}:
            raise FetchTransient(f"{where} answered {status}", reason="timeout", retry_after=asked)
        if 500 <= status < 600:
            raise FetchTransient(f"{where} answered {status}", reason="server-error", retry_after=asked)
        if status == 403 and asked is not None:
            raise FetchTransient(f"{where} says: too many requests", reason="rate-limited", retry_after=asked)
        raise FetchFailed(f"{where} answered {status} for {url}", reason=_FOR_GOOD.get(status, "bad-answer"))

    def _read_robots(self, url: str) -> bytes:
        headers = {"accept": "text/plain, */*;q=0.1"}
        return self._follow(self._request("GET", url, headers, ROBOTS_BYTES, 0.0, ()), robots=False).body

    def _host(self, url: str) -> Host:
        name = urlsplit(url).netloc
        with self._lock:
            return self._hosts.setdefault(name, Host(name))

    def _left(self) -> float:
        return self._deadline.at - time.monotonic()
