"""arXiv: title, authors, date and abstract from its API (https://info.arxiv.org/help/api/user-manual.html).

Up to 100 ids a request and at least three seconds between two (https://info.arxiv.org/help/api/tou.html). A malformed
id answers 400 for its whole batch and an unknown one is left out in silence, so every id is accounted for here.
Metadata is CC0 (https://info.arxiv.org/help/license/index.html); e-prints are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode, urlsplit

from accelrag.errors import FetchFailed
from accelrag.sources.registry import Registration, register
from accelrag.sources.requests import Outcome, Outcomes, Request, Unchanged, document
from accelrag.types import Entry

if TYPE_CHECKING:
    from accelrag.settings import Settings
    from accelrag.transport import Transport

__all__ = ["ArxivSource", "arxiv_id"]

SPACING = 3.0
_ATOM = "{http://www.w3.org/2005/Atom}"
_OWN = "{http://arxiv.org/schemas/atom}"
_HOSTS = re.compile(r"(^|\.)(arxiv\.org|ar5iv\.org|alphaxiv\.org|xxx\.lanl\.gov)$")
_NEW = r"\d{4}\.\d{4,5}"
_OLD = r"[a-z-]+(?:\.[A-Za-z]{2})?/\d{7}"
_ID = re.compile(rf"^({_NEW}|{_OLD})(v\d+)?$", re.IGNORECASE)
_PATH = re.compile(r"^/(?:abs|pdf|html|format|ps|e-print|src|overview|papers)/(?:arxiv:)?(.+?)/?$", re.IGNORECASE)
_DOI = re.compile(r"10\.48550/arxiv\.(.+)$", re.IGNORECASE)
_Found = list[tuple[str, Mapping[str, str] | None]]
_NAMED = re.compile(r"incorrect id format for (\S+)")


def arxiv_id(url: str) -> str | None:
    """The identifier that an arXiv link names, without version; as it stands where it is malformed; else None."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return None
    path = unquote(parts.path)
    if host in {"doi.org", "dx.doi.org", "www.doi.org"}:
        match = _DOI.search(path)
    elif _HOSTS.search(host):
        match = _PATH.match(path)
    else:
        return None
    if not match:
        return None
    raw = re.sub(r"\.pdf$", "", match[1].strip().rstrip("/"), flags=re.IGNORECASE)
    found = _ID.match(raw)
    return found[1] if found else raw


class ArxivSource:
    """Abstracts in batches of up to 100."""

    name = "arxiv"
    batch = 100

    def __init__(self, settings: Settings, transport: Transport) -> None:
        self._base = settings.arxiv_api
        self._transport = transport

    def fetch(self, requests: Sequence[Request]) -> Iterator[Outcomes]:
        asked: dict[str, list[Request]] = {}
        malformed: list[tuple[Request, Outcome]] = []
        for request in requests:
            raw = arxiv_id(request.entry.url) or arxiv_id(request.entry.key) or ""
            if _ID.match(raw):
                asked.setdefault(_plain(raw), []).append(request)
            else:
                malformed.append((request, _malformed(raw)))
        if malformed:
            yield malformed
        ids = list(asked)
        for start in range(0, len(ids), self.batch):
            for answer in self._batch(ids[start : start + self.batch], known_bad=False):
                yield [(w, self._outcome(w, id_, found)) for id_, found in answer for w in asked[id_]]

    def _batch(self, ids: list[str], *, known_bad: bool) -> Generator[_Found, None, bool]:
        """Lists of ``(id, fields)``, one an answer; no fields for an unknown id, None for a malformed one.

        Returns whether all were well formed. ``known_bad`` says that one of them is not, which saves asking.
        """
        if not ids:
            return True
        answer = "" if known_bad else self._ask(ids)
        if isinstance(answer, dict):
            yield [(id_, answer.get(id_, {})) for id_ in ids]
            return True
        named = _plain(answer)
        if named in ids or len(ids) == 1:
            named = named if named in ids else ids[0]
            yield [(named, None)]
            yield from self._batch([id_ for id_ in ids if id_ != named], known_bad=False)
            return False
        middle = len(ids) // 2
        good = yield from self._batch(ids[:middle], known_bad=False)
        yield from self._batch(ids[middle:], known_bad=good)
        return False

    def _ask(self, ids: list[str]) -> dict[str, dict[str, str]] | str:
        """The fields by id; or, when a malformed id spoiled the batch, the id that the answer names (or empty)."""
        query = urlencode({"id_list": ",".join(ids), "start": 0, "max_results": len(ids)})
        joint = "&" if "?" in self._base else "?"
        response = self._transport.get(
            f"{self._base}{joint}{query}", accept="application/atom+xml", robots=False, spacing=SPACING, also={400}
        )
        entries = list(_entries(response.body, response.url))
        if response.status == 400 or any("/api/errors" in e["id"] for e in entries):
            match = next((m for e in entries if (m := _NAMED.search(e["summary"]))), None)
            return match[1] if match else ""
        return {_plain(e["id"].rpartition("/abs/")[2]): e for e in entries}

    def _outcome(self, request: Request, id_: str, found: Mapping[str, str] | None) -> Outcome:
        if found is None:
            return _malformed(id_)
        if not found:
            return FetchFailed(
                f"arXiv knows no {id_}", reason="unknown-id", hint="`accelrag check` looks at the list's links"
            )
        version = re.search(r"(v\d+)$", found["id"])
        try:
            made = document(
                request,
                "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", found["summary"])),
                "abstract",
                source=f"https://arxiv.org/abs/{id_}",
                title=found["title"],
                revision=version[1] if version else found["updated"],
                licence="CC0-1.0",
                authors=found["authors"].split("\n"),
                published=found["published"][:10],
                metadata={
                    "eprint": id_,
                    "archive": "arXiv",
                    "primary_class": found["primary_class"],
                    "doi": found["doi"],
                    "journal_ref": found["journal_ref"],
                    "comment": found["comment"],
                    "licence_of": "metadata",
                },
            )
        except FetchFailed as error:
            return error
        known = request.known
        if known and not known.stale and (known.revision, known.digest) == (made.revision, made.digest):
            return Unchanged()
        return made


def _plain(id_: str) -> str:
    """The identifier as the answer writes it: no version, no subject class in old ones, lower case."""
    bare = re.sub(r"v\d+$", "", id_.strip(), flags=re.IGNORECASE).lower()
    archive, slash, number = bare.partition("/")
    return f"{archive.split('.')[0]}/{number}" if slash else archive


def _malformed(raw: str) -> FetchFailed:
    return FetchFailed(f"{raw[:80]!r} is no arXiv identifier", reason="malformed-id", hint="fix the link in the list")


def _entries(body: bytes, url: str) -> Iterator[dict[str, str]]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FetchFailed(f"{url} answered no Atom feed: {error}", reason="bad-answer") from error
    if root is None or root.tag != f"{_ATOM}feed":
        raise FetchFailed(f"{url} answered no Atom feed", reason="bad-answer")
    for entry in root.iter(f"{_ATOM}entry"):
        category = entry.find(f"{_OWN}primary_category")
        names = [n.text or "" for n in entry.iterfind(f"{_ATOM}author/{_ATOM}name")]
        yield {
            "id": entry.findtext(f"{_ATOM}id") or "",
            "title": " ".join((entry.findtext(f"{_ATOM}title") or "").split()),
            "summary": entry.findtext(f"{_ATOM}summary") or "",
            "published": entry.findtext(f"{_ATOM}published") or "",
            "updated": entry.findtext(f"{_ATOM}updated") or "",
            "authors": "\n".join(" ".join(n.split()) for n in names),
            "primary_class": category.get("term", "") if category is not None else "",
            "doi": entry.findtext(f"{_OWN}doi") or "",
            "journal_ref": " ".join((entry.findtext(f"{_OWN}journal_ref") or "").split()),
            "comment": " ".join((entry.findtext(f"{_OWN}comment") or "").split()),
        }


def _takes(entry: Entry) -> bool:
    return arxiv_id(entry.url) is not None or arxiv_id(entry.key) is not None


register(Registration("arxiv", 10, _takes, lambda settings, transport, bases: ArxivSource(settings, transport)))
