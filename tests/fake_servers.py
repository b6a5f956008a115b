"""Real HTTP servers on loopback that stand in for arXiv, GitHub, the scholarly catalogues and plain sites.

Each is a small implementation of the documented format. ``Web`` starts one port with all of them under a path each,
keeps a log of what was asked, and gives the settings that point at it.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

__all__ = ["Asked", "Paper", "Reply", "Repository", "Web"]

Handler = Callable[["Asked"], "Reply | None"]


@dataclass(frozen=True)
class Asked:
    method: str
    path: str  # with query
    headers: dict[str, str]
    body: bytes = b""

    @property
    def bare(self) -> str:
        return unquote(urlsplit(self.path).path)

    @property
    def query(self) -> dict[str, str]:
        return {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()}


@dataclass(frozen=True)
class Reply:
    """``stream`` gives the body piece by piece for servers that drip or never end."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    stream: Iterable[bytes] | None = None


@dataclass
class Paper:
    title: str
    abstract: str
    authors: tuple[str, ...] = ("A. Author",)
    published: str = "2020-01-02T03:04:05Z"
    version: int = 1
    primary: str = "cs.LG"
    doi: str = ""
    journal: str = ""


@dataclass
class Repository:
    """``files`` by path. ``moved_to`` is the full name after a rename."""

    files: dict[str, str | bytes] = field(default_factory=dict)
    description: str = ""
    licence: str = "MIT"
    archived: bool = False
    moved_to: str = ""


class Web:
    """All servers behind one port, and its log. A context manager."""

    def __init__(self) -> None:
        self.papers: dict[str, Paper] = {}
        self.malformed: set[str] = set()
        self.name_the_malformed = True
        self.arxiv_replies: list[Reply] = []  # given first, in order
        self.repositories: dict[str, Repository] = {}
        self.gists: dict[str, dict[str, Any]] = {}
        self.github_left: int | None = None  # requests until the limit; None is no limit
        self.raw_up = True
        self.works: dict[str, dict[str, Any]] = {}  # doi -> {"crossref": ..., "s2": ..., "openalex": ...}
        self.sites: dict[str, Handler | Reply | list[Reply]] = {}  # path -> what is there
        self.log: list[Asked] = []
        self._lock = threading.Lock()
        web = self

        class _Requests(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65_536  # one packet for a small answer: two would wait for each other's acknowledgement

            def _serve(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                asked = Asked(
                    self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, self.rfile.read(size)
                )
                with web._lock:
                    web.log.append(asked)
                    reply = web.answer(asked)
                with suppress(ConnectionError, TimeoutError, OSError):
                    self._send(reply)

            def _send(self, reply: Reply) -> None:
                self.send_response_only(reply.status)
                headers = {k.lower(): v for k, v in reply.headers.items()}
                if reply.stream is None and reply.status != 304:
                    headers.setdefault("content-length", str(len(reply.body)))
                if reply.stream is not None:
                    headers["connection"] = "close"
                    self.close_connection = True
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in reply.stream if reply.stream is not None else [reply.body]:
                    self.wfile.write(piece)
                    self.wfile.flush()
                self.wfile.flush()

            do_GET = do_POST = do_HEAD = _serve

            def log_message(self, *_: object) -> None:
                return

        class _Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request: Any, client_address: Any) -> None:
                return  # a client that went away is what many tests are about

        self._server = _Quiet(("127.0.0.1", 0), _Requests)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Web:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that point every catalogue here."""
        return {
            "arxiv_api": f"{self.url}/arxiv/api/query",
            "github_api": f"{self.url}/github",
            "github_raw": f"{self.url}/raw",
            "crossref_api": f"{self.url}/crossref",
            "s2_api": f"{self.url}/s2",
            "openalex_api": f"{self.url}/openalex",
            "allow_private": True,
        }

    @property
    def environment(self) -> dict[str, str]:
        """The same as environment variables."""
        return {f"ACCELRAG_{k.upper()}": "1" if v is True else str(v) for k, v in self.settings.items()}

    def asked(self, prefix: str) -> list[Asked]:
        """What was asked below a path."""
        with self._lock:
            return [a for a in self.log if a.path.startswith(prefix)]

    def answer(self, asked: Asked) -> Reply:
        for prefix, handler in (
            ("/arxiv/api/query", self._arxiv),
            ("/github/", self._github),
            ("/raw/", self._raw),
            ("/crossref/", self._crossref),
            ("/s2/", self._s2),
            ("/openalex/", self._openalex),
        ):
            if asked.bare.startswith(prefix):
                return handler(asked)
        there = self.sites.get(asked.path) or self.sites.get(asked.bare)
        if isinstance(there, list):
            there = there.pop(0) if len(there) > 1 else there[0]
        if callable(there):
            there = there(asked)
        return there or Reply(404, b"nothing here")

    def _arxiv(self, asked: Asked) -> Reply:
        if self.arxiv_replies:
            return self.arxiv_replies.pop(0)
        ids = [i for i in asked.query.get("id_list", "").split(",") if i]
        bad = next((i for i in ids if i in self.malformed), None)
        if bad is not None:
            error = _atom_error(bad if self.name_the_malformed else "")
            return Reply(400, _atom([error]), {"content-type": "application/atom+xml"})
        start, most = int(asked.query.get("start", 0)), int(asked.query.get("max_results", 10))
        found = [(i, self.papers[re.sub(r"v\d+$", "", i)]) for i in ids if re.sub(r"v\d+$", "", i) in self.papers]
        entries = [_atom_entry(i, paper) for i, paper in found[start : start + most]]
        return Reply(200, _atom(entries), {"content-type": "application/atom+xml; charset=utf-8"})

    def _limited(self) -> Reply | None:
        if self.github_left is None:
            return None
        if self.github_left <= 0:
            headers = {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1900000000"}
            return Reply(
                403, b'{"message": "API rate limit exceeded"}', headers | {"content-type": "application/json"}
            )
        self.github_left -= 1
        return None

    def _github(self, asked: Asked) -> Reply:
        limited = self._limited()
        if limited:
            return limited
        steps = asked.bare.removeprefix("/github/").split("/")
        if steps[0] == "gists":
            gist = self.gists.get(steps[1])
            return _json(gist) if gist else _json({"message": "Not Found"}, 404)
        if steps[0] != "repos" or len(steps) < 3:
            return _json({"message": "Not Found"}, 404)
        name, rest = f"{steps[1]}/{steps[2]}", "/".join(steps[3:])
        repository = self._repository(name)
        if repository is None:
            return _json({"message": "Not Found"}, 404)
        if repository.moved_to:
            query = f"?{urlsplit(asked.path).query}" if urlsplit(asked.path).query else ""
            target = f"{self.url}/github/repos/{repository.moved_to}{'/' + rest if rest else ''}{query}"
            return Reply(301, b'{"message": "Moved Permanently"}', {"location": target})
        if not rest:
            return _json(
                {
                    "full_name": self._full(name),
                    "description": repository.description or None,
                    "archived": repository.archived,
                    "license": {"spdx_id": repository.licence} if repository.licence else None,
                    "default_branch": "main",
                    "topics": [],
                }
            )
        if rest == "readme" or rest.startswith("readme/"):
            folder = rest.removeprefix("readme").strip("/")
            path = next((p for p in repository.files if _is_readme(p, folder)), None)
        elif rest.startswith("contents/"):
            path = rest.removeprefix("contents/") if rest.removeprefix("contents/") in repository.files else None
        else:
            path = None
        if path is None:
            return _json({"message": "Not Found"}, 404)
        return _conditional(asked, _bytes(repository.files[path]), "application/vnd.github.raw+json; charset=utf-8")

    def _raw(self, asked: Asked) -> Reply:
        if not self.raw_up:
            return Reply(503, b"")
        steps = asked.bare.removeprefix("/raw/").split("/")
        repository = self._repository("/".join(steps[:2]))
        path = "/".join(steps[3:])
        if repository is not None and repository.moved_to:
            return Reply(301, b"", {"location": f"{self.url}/raw/{repository.moved_to}/{'/'.join(steps[2:])}"})
        if repository is None or path not in repository.files:
            return Reply(404, b"404: Not Found")
        return _conditional(asked, _bytes(repository.files[path]), "text/plain; charset=utf-8")

    def _repository(self, name: str) -> Repository | None:
        return next((r for n, r in self.repositories.items() if n.lower() == name.lower()), None)

    def _full(self, name: str) -> str:
        return next(n for n in self.repositories if n.lower() == name.lower())

    def _crossref(self, asked: Asked) -> Reply:
        doi = asked.bare.removeprefix("/crossref/works").strip("/")
        if not doi:
            items = [w["crossref"] for w in self.works.values() if "crossref" in w]
            return _json({"status": "ok", "message": {"items": items}})
        work = self.works.get(doi, {}).get("crossref")
        return _json({"status": "ok", "message": work}) if work else Reply(404, b"Resource not found.")

    def _s2(self, asked: Asked) -> Reply:
        if asked.method != "POST":
            return Reply(405)
        ids = json.loads(asked.body)["ids"]
        return _json([self.works.get(i.removeprefix("DOI:"), {}).get("s2") for i in ids])

    def _openalex(self, asked: Asked) -> Reply:
        doi = asked.bare.removeprefix("/openalex/works/doi:")
        work = self.works.get(doi, {}).get("openalex")
        return _json(work) if work else _json({"error": "Not Found"}, 404)


def closed_port() -> int:
    """A port on loopback at which nobody listens."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def _is_readme(path: str, folder: str) -> bool:
    head, _, name = path.rpartition("/")
    return head == folder and name.lower().split(".")[0] == "readme"


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _conditional(asked: Asked, body: bytes, content_type: str) -> Reply:
    import hashlib

    etag = f'W/"{hashlib.sha256(body).hexdigest()[:16]}"'
    if asked.headers.get("if-none-match") == etag:
        return Reply(304, b"", {"etag": etag})
    return Reply(200, body, {"etag": etag, "content-type": content_type})


def _json(value: Any, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode(), {"content-type": "application/json; charset=utf-8"})


def _atom(entries: list[str]) -> bytes:
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" '
        'xmlns="http://www.w3.org/2005/Atom">\n  <id>https://arxiv.org/api/x</id>\n  <title>arXiv Query</title>\n'
        f"  <opensearch:totalResults>{len(entries)}</opensearch:totalResults>\n" + "".join(entries) + "</feed>\n"
    ).encode()


def _atom_error(bad: str) -> str:
    about = f"incorrect id format for {escape(bad)}" if bad else "incorrect id format"
    return (
        f"  <entry>\n    <id>https://arxiv.org/api/errors#incorrect_id_format</id>\n    <title>Error</title>\n"
        f"    <summary>{about}</summary>\n    <author><name>arXiv api core</name></author>\n  </entry>\n"
    )


def _atom_entry(id_: str, paper: Paper) -> str:
    bare = re.sub(r"v\d+$", "", id_)
    extra = f"    <arxiv:doi>{escape(paper.doi)}</arxiv:doi>\n" if paper.doi else ""
    extra += f"    <arxiv:journal_ref>{escape(paper.journal)}</arxiv:journal_ref>\n" if paper.journal else ""
    names = "".join(f"    <author>\n      <name>{escape(a)}</name>\n    </author>\n" for a in paper.authors)
    return (
        f"  <entry>\n    <id>http://arxiv.org/abs/{bare}v{paper.version}</id>\n"
        f"    <title>{escape(paper.title)}</title>\n"
        f"    <updated>{paper.published}</updated>\n    <summary>{escape(paper.abstract)}</summary>\n"
        f'    <category term="{paper.primary}" scheme="http://arxiv.org/schemas/atom"/>\n'
        f"    <published>{paper.published}</published>\n"
        f'    <arxiv:primary_category term="{paper.primary}"/>\n{extra}{names}  </entry>\n'
    )
