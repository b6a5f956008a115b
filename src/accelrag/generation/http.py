"""HTTP to language model servers: one client, lines of a stream within limits, and each failure in one clear line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from accelrag.errors import GeneratorRefused, GeneratorUnavailable
from accelrag.generation.cancelling import watch_connections
from accelrag.generation.protocol import ContextOverflow
from accelrag.settings import is_loopback

if TYPE_CHECKING:
    import httpx

__all__ = ["body_of", "client", "events", "failure", "lines", "reaching", "with_scheme"]

_LINE_BYTES = 1_000_000
_BODY_BYTES = 4_000_000
_OVERFLOW = re.compile(
    r"exceed_context_size|context_length_exceeded|maximum context length|exceeds? the available context|"
    r"context (?:size|length|window) (?:has been |is |was )?exceeded|prompt is too long|"
    r"input(?:s)? (?:tokens )?(?:\+|is too long)|exceeds? (?:the )?(?:model'?s? )?context",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:context (?:length|size)[^\d]{0,40}|\bn_ctx\D{1,6})(\d{3,7})|\((\d{3,7}) tokens\), try", re.IGNORECASE
)


def with_scheme(address: str) -> str:
    """An address as people write it, ``localhost:8080`` or ``:8080``, as a URL without a trailing slash."""
    address = address.strip().rstrip("/")
    if address.startswith(":"):
        address = f"127.0.0.1{address}"
    if "://" not in address:
        address = f"http://{address}"
    parts = urlsplit(address)
    if parts.hostname == "0.0.0.0":  # noqa: S104 - what a server listens on is not where it answers
        port = f":{parts.port}" if parts.port else ""
        parts = parts._replace(netloc=f"127.0.0.1{port}")
    return urlunsplit(parts).rstrip("/")


def client(url: str, *, timeout: float, headers: dict[str, str] | None = None) -> httpx.Client:
    """A client for one server. ``timeout`` is the longest silence in seconds."""
    import httpx

    limits = httpx.Timeout(timeout, connect=min(timeout, 10.0))
    # A proxy of the environment must not be asked for what is on this machine.
    return httpx.Client(
        timeout=limits,
        headers=headers,
        trust_env=not is_loopback(urlsplit(url).hostname or ""),
        follow_redirects=False,
        event_hooks={"request": [watch_connections]},
    )


@contextmanager
def reaching(server: str, url: str) -> Iterator[None]:
    """Turn what httpx raises into one line and a hint."""
    import httpx

    where = f"{server} at {url}"
    check = "`accelrag doctor` lists the servers that answer"
    try:
        yield
    except (httpx.ConnectTimeout, httpx.ConnectError) as error:
        raise GeneratorUnavailable(
            f"{where} cannot be reached: {_short(error)}", hint=f"start it; {check}"
        ) from error
    except httpx.TimeoutException as error:
        raise GeneratorUnavailable(
            f"{where} did not answer in time", hint="wait for it to load, or raise llm_timeout"
        ) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise GeneratorRefused(f"{url} is no usable address: {_short(error)}", hint=check) from error
    except httpx.HTTPError as error:
        raise GeneratorUnavailable(
            f"{where} broke off: {_short(error)}", hint="ask again; see the server's log"
        ) from error


def lines(response: httpx.Response, *, most: int) -> Iterator[str]:
    """The lines of a stream; bytes that are no UTF-8 become U+FFFD. ``most`` lines are read.

    Raises:
        GeneratorUnavailable: one line is longer than a megabyte.
    """
    pending = b""
    count = 0
    for block in response.iter_bytes():
        pending += block
        *whole, pending = pending.split(b"\n")
        for raw in whole:
            count += 1
            if count > most:
                return
            yield raw.rstrip(b"\r").decode("utf-8", "replace")
        if len(pending) > _LINE_BYTES:
            raise GeneratorUnavailable("the server sent a line without an end", hint="is it a language model server?")
    if pending:
        yield pending.decode("utf-8", "replace")


def events(data: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream. A damaged line costs its own words, not the answer."""
    for line in data:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def body_of(response: httpx.Response) -> Any:
    """The body of a response as JSON, else its text; at most 4 MB are read."""
    raw = b""
    for block in response.iter_bytes():
        raw += block
        if len(raw) > _BODY_BYTES:
            break
    text = raw[:_BODY_BYTES].decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def failure(server: str, status: int, body: Any, *, model: str, url: str) -> Exception:
    """The error for a refusal: by its body first, since some servers answer 200 or 500 for everything."""
    text = message_of(body)
    said = f": {text}" if text else ""
    raw = json.dumps(body) if isinstance(body, dict) else str(body)
    if _OVERFLOW.search(raw):
        limit = _limit(body, raw)
        context = f" of {limit:,} tokens" if limit else ""
        return ContextOverflow(
            f"the prompt is longer than the context{context} of {model}",
            limit=limit,
            hint="set context_tokens to what the server was started with",
        )
    code = _code(body)
    number = status if status >= 400 else int(code) if code.isdigit() else status
    if number in (401, 403) or code in ("invalid_api_key", "authentication_error"):
        return GeneratorRefused(
            f"{server} refuses the key ({number}){said}", hint="set OPENAI_API_KEY for this server"
        )
    if number == 404 or code == "model_not_found":
        return GeneratorRefused(
            f"{server} has no model {model}, or {url} is not its address (404){said}",
            hint="`accelrag doctor` lists the servers that answer and their models",
        )
    if number == 429:
        return GeneratorUnavailable(
            f"{server} is busy or its quota is used up (429){said}", hint="wait, and ask again"
        )
    if 400 <= number < 500:
        return GeneratorRefused(f"{server} refuses the request ({number}){said}", hint="see the server's log")
    return GeneratorUnavailable(f"{server} failed ({number}){said}", hint="see the server's log, and ask again")


def message_of(body: Any) -> str:
    """What an error body says, in one line of at most 200 characters."""
    if isinstance(body, dict):
        error = body.get("error", body)
        if isinstance(error, dict):
            error = error.get("message") or error.get("error") or error.get("type") or ""
        text = str(error or body.get("message") or body.get("detail") or "")
    else:
        text = "" if "<" in str(body)[:200] else str(body)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= 200 else text[:199] + "…"


def _code(body: Any) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        return str(error.get("code") or error.get("type") or "")
    return str(body.get("code") or "") if isinstance(body, dict) else ""


def _limit(body: Any, raw: str) -> int | None:
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict) and isinstance(error.get("n_ctx"), int):
        return int(error["n_ctx"])
    found = _LIMIT.search(raw)
    return int(found[1] or found[2]) if found else None


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:160]
