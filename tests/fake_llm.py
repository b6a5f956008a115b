"""A language model server on loopback that says what a test scripts: OpenAI's API, llama.cpp's extras and Ollama's."""  # noqa: E501

from __future__ import annotations

import json
import select
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def chunk(content: Any = None, *, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One event of a streamed chat completion."""
    if content is not None:
        delta["content"] = content
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def sse(events: Iterable[Any], *, done: bool = True) -> bytes:
    """Events as server-sent events; bytes and strings go out as they are."""
    out = b""
    for event in events:
        if isinstance(event, bytes):
            out += event
        else:
            out += b"data: " + json.dumps(event).encode() + b"\n\n"
    return out + (b"data: [DONE]\n\n" if done else b"")


def say(text: str, *, size: int = 7, finish: str = "stop", **last: Any) -> Reply:
    """A well-behaved streamed answer."""
    pieces = [chunk(text[i : i + size]) for i in range(0, len(text), size)]
    return Reply(body=sse([chunk(role="assistant"), *pieces, chunk(finish=finish, **last)]))


def events(*items: Any, done: bool = True) -> Reply:
    """A stream of these very events."""
    return Reply(body=sse(items, done=done))


def answer_json(value: Any, status: int = 200) -> Reply:
    """One JSON body in place of a stream."""
    return Reply(status=status, body=json.dumps(value).encode(), kind="application/json")


def error(status: int, message: str, *, sent_as: int | None = None, **extra: Any) -> Reply:
    """An error body in OpenAI's shape; ``sent_as`` is the status it travels under."""
    return answer_json({"error": {"message": message, "code": status, **extra}}, sent_as or status)


@dataclass(frozen=True)
class Reply:
    """What the server sends. ``then``: ``close``, ``reset`` in mid-body, ``hang``, or ``repeat`` the body for ever."""  # noqa: E501

    status: int = 200
    body: bytes = b""
    kind: str = "text/event-stream"
    then: str = "close"


@dataclass
class FakeLLM:
    """Use as a context manager. Replies are taken in turn, the last one again and again."""

    replies: list[Reply | Callable[[dict[str, Any]], Reply]] = field(default_factory=list)
    pages: dict[str, Any] = field(default_factory=dict)  # GET path -> JSON
    posts: dict[str, Callable[[dict[str, Any]], Any]] = field(default_factory=dict)  # POST path -> JSON
    chat_paths: tuple[str, ...] = ("/v1/chat/completions", "/api/chat")
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closed: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))  # hanging ones that were left

    def __enter__(self) -> FakeLLM:
        self._stop = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def patience(self) -> float:
        """Seconds to wait for it: few where the script hangs, plenty where a busy machine may be slow."""
        return 1.0 if any(getattr(reply, "then", "") == "hang" for reply in self.replies) else 60.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def prompt(self) -> str:
        """All messages of the last chat request, as one text."""
        return "\n".join(m["content"] for m in self.requests[-1]["messages"])

    def next(self, payload: dict[str, Any]) -> Reply:
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        return reply(payload) if callable(reply) else reply


def _handler(fake: FakeLLM) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            page = fake.pages.get(self.path)
            if page is None:
                self._send(answer_json({"error": "not found"}, 404))
            else:
                self._send(page if isinstance(page, Reply) else answer_json(page))

        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path in fake.posts:
                self._send(answer_json(fake.posts[self.path](payload)))
            elif self.path in fake.chat_paths:
                fake.requests.append(payload)
                fake.headers.append({k.lower(): v for k, v in self.headers.items()})
                self._send(fake.next(payload))
            else:
                self._send(answer_json({"error": {"message": "File Not Found", "code": 404}}, 404))

        def _send(self, reply: Reply) -> None:
            self.close_connection = True
            try:
                if reply.then == "hang" and not reply.body:
                    self._hang()
                    return
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.kind)
                if reply.then == "reset":
                    self.send_header("Content-Length", str(len(reply.body) + 1000))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(reply.body)
                self.wfile.flush()
                while reply.then == "repeat" and not fake._stop.is_set():
                    self.wfile.write(reply.body)
                if reply.then == "hang":
                    self._hang()
            except (BrokenPipeError, ConnectionResetError):
                pass

        def _hang(self) -> None:
            """Say nothing more until the test ends or the other side closes the connection."""
            while not fake._stop.is_set():
                if select.select([self.connection], [], [], 0.02)[0] and not self.connection.recv(1):
                    fake.closed.release()
                    return

    return Handler
