"""GitHub: the README of a repository or folder, a file, a gist (https://docs.github.com/rest/repos/contents).

The API is asked first: it knows a README of any name and follows renames. Where it is out of reach or its limit is
used up (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api), the raw host answers for it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from accelrag.errors import FetchFailed, FetchTransient
from accelrag.settings import Settings
from accelrag.sources.charsets import decode
from accelrag.sources.markup import readable
from accelrag.sources.registry import Registration, register
from accelrag.sources.requests import Outcomes, Request, Unchanged, document
from accelrag.sources.targets import Target, github_target
from accelrag.transport import Response, Transport
from accelrag.types import Document

__all__ = ["GithubSource"]

_RAW = "application/vnd.github.raw+json"
_JSON = "application/vnd.github+json"
_LONGEST = 5_000_000
_NAMES = (
    "README.md",
    "README.rst",
    "readme.md",
    "README",
    "README.txt",
    "README.adoc",
    "Readme.md",
    "README.markdown",
)
_TEXTS = re.compile(r"\.(md|markdown|mdx|rst|rest|adoc|asciidoc|txt|text)$|(^|/)[A-Z_]+$", re.IGNORECASE)
_CODE = re.compile(
    r"\.(py|c|cc|cpp|cu|cuh|h|hpp|rs|go|js|ts|java|jl|lua|sh|sv|v|vhd|vhdl|scala|mlir|td|toml|ya?ml|json|cmake|ll|metal)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Text:
    body: bytes
    content_type: str
    name: str
    revision: str


class GithubSource:
    """READMEs, one at a time."""

    name = "github"
    batch = 1

    def __init__(self, settings: Settings, transport: Transport) -> None:
        self._api = settings.github_api.rstrip("/")
        self._raw = settings.github_raw.rstrip("/")
        self._token = settings.github_token
        self._pdf_pages = settings.pdf_pages
        self._transport = transport
        self._api_closed = False

    def fetch(self, requests: Sequence[Request]) -> Iterator[Outcomes]:
        for request in requests:
            target = github_target(request.entry.url) or github_target(request.entry.key)
            if target is None:
                raise FetchFailed(f"{request.entry.url} names no repository", reason="malformed-id")
            yield [(request, self._gist(request, target) if target.kind == "gist" else self._one(request, target))]

    def _one(self, request: Request, target: Target) -> Document | Unchanged:
        found = self._by_api(request, target)
        if found is None:
            found = self._by_raw(request, target)
        if isinstance(found, Unchanged):
            return found
        about = self._about(target) if found is None or target.kind != "file" else {}
        if found is None:
            return self._description(request, target, about)
        return self._document(request, target, found, about)

    def _by_api(self, request: Request, target: Target) -> _Text | Unchanged | None:
        """None when the API cannot tell."""
        root = f"{self._api}/repos/{quote(target.owner)}/{quote(target.repo)}"
        tail = {
            "repository": "/readme",
            "folder": f"/readme/{quote(target.path)}",
            "file": f"/contents/{quote(target.path)}",
        }[target.kind]
        query = f"?ref={quote(target.ref, safe='')}" if target.ref else ""
        response = self._ask(f"{root}{tail}{query}", _RAW, revision=_own(request.revision, "api"))
        if response is None or response.status == 404:
            return None
        if response.unchanged:
            return Unchanged()
        body, name = response.body, ""
        if "json" in response.content_type and "raw" not in response.content_type:
            body, name = _unpacked(response)
        return _Text(body, response.headers.get("content-type", ""), target.path if target.kind == "file" else name,
                     f"api {response.revision}" if response.revision else "")  # fmt: skip

    def _by_raw(self, request: Request, target: Target) -> _Text | Unchanged | None:
        """None when the raw host has no such file."""
        ref = quote(target.ref or "HEAD", safe="")
        root = f"{self._raw}/{quote(target.owner)}/{quote(target.repo)}/{ref}/"
        folder = f"{target.path}/" if target.kind == "folder" else ""
        names = (target.path,) if target.kind == "file" else tuple(folder + name for name in _NAMES)
        if self._knows_missing(target):
            names = names[:1]
        for name in names:
            response = self._transport.get(
                root + quote(name), max_bytes=_LONGEST, robots=False, spacing=0.0, also={404},
                revision=_own(request.revision, f"raw:{name}"),
            )  # fmt: skip
            if response.status == 404:
                continue
            if response.unchanged:
                return Unchanged()
            revision = f"raw:{name} {response.revision}" if response.revision else ""
            return _Text(response.body, response.headers.get("content-type", ""), name, revision)
        return None

    def _knows_missing(self, target: Target) -> bool:
        """An API that answers and finds no README is believed but for the commonest name."""
        return not self._api_closed

    def _about(self, target: Target) -> Mapping[str, Any]:
        """The repository's record; empty where the API cannot tell, ``missing`` set where there is no repository."""
        url = f"{self._api}/repos/{quote(target.owner)}/{quote(target.repo)}"
        try:
            response = self._ask(url, _JSON)
        except FetchFailed as error:
            return {"missing": error.reason}
        if response is None:
            return {}
        if response.status == 404:
            return {"missing": "not-found"}
        try:
            record = json.loads(response.body)
        except ValueError:
            return {}
        return record if isinstance(record, dict) else {}

    def _ask(self, url: str, accept: str, *, revision: str = "") -> Response | None:
        """The API's answer, 404 included; None when it is closed to us for this run or out of reach."""
        if self._api_closed:
            return None
        headers = {"x-github-api-version": "2022-11-28"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        try:
            response = self._transport.get(
                url, headers=headers, accept=accept, max_bytes=_LONGEST, robots=False, spacing=0.0,
                revision=revision, also={401, 403, 404, 429},
            )  # fmt: skip
        except FetchTransient:
            return None
        if response.status in {401, 403, 429}:
            self._api_closed = True
            return None
        return response

    def _document(self, request: Request, target: Target, found: _Text, about: Mapping[str, Any]) -> Document:
        full = str(about.get("full_name") or f"{target.owner}/{target.repo}")
        folder = target.path if target.kind == "folder" else found.name.rpartition("/")[0]
        ref = target.ref or "HEAD"
        base = f"https://github.com/{full}/blob/{ref}/" + (f"{folder}/" if folder else "")
        text, markdown = self._text(found, base)
        page = f"https://github.com/{full}"
        if target.kind != "repository":
            page += f"/{'blob' if target.kind == 'file' else 'tree'}/{ref}/{target.path}"
        return document(
            request, text, "readme", source=page,
            title=full if target.kind == "repository" else f"{full}/{target.path}", revision=found.revision,
            licence=_licence(about), markdown=markdown, metadata=_metadata(full, about),
        )  # fmt: skip

    def _text(self, found: _Text, base: str) -> tuple[str, bool]:
        name = found.name
        if name.endswith(".ipynb"):
            return _notebook(found.body, base), True
        if b"\x00" in found.body[:4096] and not found.body.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FetchFailed(f"{name or base} is no text", reason="unsupported-type")
        text = decode(found.body)
        if _CODE.search(name) and not _TEXTS.search(name):
            return f"```{name.rpartition('.')[2]}\n{text.rstrip()}\n```", True
        return readable(text, name=name, base=base)

    def _description(self, request: Request, target: Target, about: Mapping[str, Any]) -> Document:
        if about.get("missing"):
            raise FetchFailed(
                f"GitHub knows no {target.owner}/{target.repo}",
                reason=str(about["missing"]),
                hint="`accelrag check` looks at the list's links",
            )
        said = str(about.get("description") or "").strip()
        if target.kind != "repository" or not said:
            reason = "not-found" if target.kind == "file" else "no-readme"
            raise FetchFailed(f"{request.entry.url} has no README", reason=reason)
        full = str(about.get("full_name") or f"{target.owner}/{target.repo}")
        topics = about.get("topics") or []
        topics = ", ".join(str(t) for t in topics) if isinstance(topics, list) else ""
        return document(
            request, f"{said}\n\nTopics: {topics}" if topics else said, "readme", source=f"https://github.com/{full}",
            title=full, licence=_licence(about), metadata={**_metadata(full, about), "text_of": "description"},
        )  # fmt: skip

    def _gist(self, request: Request, target: Target) -> Document | Unchanged:
        response = self._ask(f"{self._api}/gists/{quote(target.repo)}", _JSON, revision=_own(request.revision, "api"))
        if response is None:
            raise FetchTransient("the GitHub API cannot be asked now", reason="rate-limited", hint="set GITHUB_TOKEN")
        if response.unchanged:
            return Unchanged()
        if response.status == 404:
            raise FetchFailed(f"GitHub knows no gist {target.repo}", reason="not-found")
        try:
            record = json.loads(response.body)
            files = dict(record.get("files") or {})
        except (ValueError, AttributeError, TypeError) as error:
            raise FetchFailed(f"{response.url} answered no gist", reason="bad-answer") from error
        parts, markdown = [], False
        for name, file in sorted(files.items()):
            content = str((file or {}).get("content") or "")
            text, marked = self._text(
                _Text(content.encode(), "", name, ""), f"https://gist.github.com/{target.repo}/"
            )
            parts.append(text)
            markdown = markdown or marked
        return document(
            request, "\n\n".join(parts), "readme", source=f"https://gist.github.com/{target.repo}",
            title=str(record.get("description") or next(iter(sorted(files)), "")),
            authors=[str((record.get("owner") or {}).get("login") or "")],
            published=str(record.get("created_at") or "")[:10], markdown=markdown,
            revision=f"api {response.revision}" if response.revision else "",
        )  # fmt: skip


def _own(revision: str, origin: str) -> str:
    """The part of a stored revision that belongs to one of the two hosts: their ETags differ for the same file."""
    head, _, tail = revision.partition(" ")
    return tail if head == origin else ""


def _unpacked(response: Response) -> tuple[bytes, str]:
    """The file inside the JSON form of the contents API, which a mirror may give whatever was asked for."""
    try:
        record = json.loads(response.body)
        if isinstance(record, dict) and record.get("encoding") == "base64" and record.get("content"):
            return base64.b64decode(record["content"]), str(record.get("path") or record.get("name") or "")
    except (ValueError, binascii.Error, TypeError) as error:
        raise FetchFailed(f"{response.url} answered unreadable JSON", reason="bad-answer") from error
    if isinstance(record, dict) and "content" not in record:
        return response.body, ""
    raise FetchFailed(f"{response.url} names no file", reason="unsupported-type")


def _licence(about: Mapping[str, Any]) -> str:
    record = about.get("license")
    spdx = str(record.get("spdx_id") or "") if isinstance(record, dict) else ""
    return "" if spdx in {"NOASSERTION", "None"} else spdx


def _metadata(full: str, about: Mapping[str, Any]) -> dict[str, str]:
    return {
        "repository": full,
        "archived": "yes" if about.get("archived") else "",
        "description": str(about.get("description") or ""),
        "pushed_at": str(about.get("pushed_at") or "")[:10],
    }


def _notebook(body: bytes, base: str) -> str:
    try:
        cells = json.loads(body).get("cells", [])
        parts = []
        for cell in cells:
            source = cell.get("source", "")
            text = source if isinstance(source, str) else "".join(source)
            if cell.get("cell_type") == "markdown":
                parts.append(readable(text, name="cell.md", base=base)[0])
            elif cell.get("cell_type") == "code" and text.strip():
                parts.append(f"```python\n{text.rstrip()}\n```")
    except (ValueError, AttributeError, TypeError) as error:
        raise FetchFailed("the notebook cannot be read", reason="unsupported-type") from error
    return "\n\n".join(p for p in parts if p.strip())


register(
    Registration(
        "github",
        60,
        lambda entry: github_target(entry.url) is not None,
        lambda settings, transport, bases: GithubSource(settings, transport),
    )
)
