"""Open archives: Zenodo, bioRxiv and medRxiv, HAL: title, authors, abstract and licence from their interfaces.

https://developers.zenodo.org/#records, https://api.biorxiv.org (details), https://api.archives-ouvertes.fr/docs/search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources.asking import ask_json, text_of
from accelrag.sources.catalogues import Record, without_tags
from accelrag.sources.registry import Bases, Registration, one_by_one, register
from accelrag.sources.requests import Outcome, Request, Source, Unchanged, document
from accelrag.transport import Transport
from accelrag.types import Entry

__all__ = ["ArchiveTarget", "archive_target"]

_BASES = {
    "zenodo": "https://zenodo.org",
    "biorxiv": "https://api.biorxiv.org",
    "hal": "https://api.archives-ouvertes.fr",
}
_DOI_HOSTS = {"doi.org", "dx.doi.org", "www.doi.org"}
_ZENODO_DOI = re.compile(r"^/10\.5281/zenodo\.(\d+)$", re.I)
_RXIV = re.compile(
    r"^/content/(?:biorxiv/early/\d{4}/\d\d/\d\d/|early/\d{4}/\d\d/\d\d/)?(10\.\d{4,9}/[\d.]+\d|\d{6,})"
)
_HAL = re.compile(r"^/(?:[\w-]+/)?((?:hal|tel|inria|cea|lirmm|ujm|halshs|in2p3|pastel)-\d{7,9})(?:v\d+)?(?:/|$)")


@dataclass(frozen=True, slots=True)
class ArchiveTarget:
    """The archive that a link names (zenodo, biorxiv, medrxiv, hal) and the record's name there."""

    archive: str
    name: str


def archive_target(url: str) -> ArchiveTarget | None:
    """The record that a link names, or None where it names none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host, path = (parts.hostname or "").lower().removeprefix("www."), unquote(parts.path)
    found: re.Match[str] | None = None
    archive = ""
    if host in _DOI_HOSTS:
        archive, found = "zenodo", _ZENODO_DOI.match(path)
    elif host == "zenodo.org":
        archive, found = "zenodo", re.match(r"^/(?:api/)?records?/(\d+)", path)
        found = found or re.match(r"^/doi/10\.5281/zenodo\.(\d+)", path, re.I)
    elif host in {"biorxiv.org", "medrxiv.org"}:
        archive, found = host.split(".")[0], _RXIV.match(path)
    elif host.endswith((".hal.science", ".archives-ouvertes.fr")) or host in {"hal.science", "hal.inria.fr"}:
        archive, found = "hal", _HAL.match(path)
    if found is None:
        return None
    name = found[1] if archive in {"zenodo", "hal"} or "/" in found[1] else f"10.1101/{found[1]}"
    return ArchiveTarget(archive, name)


class _Archives:
    def __init__(self, transport: Transport, bases: Bases) -> None:
        self._bases = {name: bases.of(name) for name in _BASES}
        self._transport = transport
        self._readers: dict[str, Callable[[ArchiveTarget], Record]] = {
            "zenodo": self._zenodo,
            "biorxiv": self._rxiv,
            "medrxiv": self._rxiv,
            "hal": self._hal,
        }

    def read(self, request: Request) -> Outcome:
        target = archive_target(request.entry.url) or archive_target(request.entry.key)
        if target is None:
            raise FetchFailed(f"{request.entry.url} names no record", reason="malformed-id")
        found = self._readers[target.archive](target)
        if not found.abstract:
            raise FetchFailed(f"{target.name} has no abstract", reason="no-abstract")
        made = document(
            request, found.abstract, "abstract", source=found.origin, title=found.title, authors=found.authors,
            published=found.published, licence=found.licence, metadata={**found.metadata, "archive": target.archive},
        )  # fmt: skip
        known = request.known
        return Unchanged() if known and not known.stale and known.digest == made.digest else made

    def _zenodo(self, target: ArchiveTarget) -> Record:
        about = ask_json(self._transport, f"{self._bases['zenodo']}/api/records/{target.name}", spacing=1.0)
        record = about.get("metadata")
        record = record if isinstance(record, dict) else {}
        files = [f for f in about.get("files") or [] if isinstance(f, dict)]
        pdf = next((f for f in files if text_of(f, "key").lower().endswith(".pdf")), {})
        return Record(
            text_of(record, "title"), without_tags(text_of(record, "description")),
            _names(record.get("creators"), "name"),
            text_of(record, "publication_date"), text_of(record, "license", "id"),
            f"https://zenodo.org/records/{target.name}",
            {"doi": text_of(about, "doi") or text_of(record, "doi"), "version": text_of(record, "version"),
             "type": text_of(record, "resource_type", "title"), "pdf": text_of(pdf, "links", "self")},
        )  # fmt: skip

    def _rxiv(self, target: ArchiveTarget) -> Record:
        address = f"{self._bases['biorxiv']}/details/{target.archive}/{quote(target.name)}"
        versions = ask_json(self._transport, address, spacing=1.0).get("collection")
        if not isinstance(versions, list) or not versions or not isinstance(versions[-1], dict):
            raise FetchFailed(f"{target.archive} knows no {target.name}", reason="unknown-id")
        last: dict[str, Any] = versions[-1]
        page = f"https://www.{target.archive}.org/content/{target.name}v{text_of(last, 'version') or 1}"
        names = [_turned(name) for name in text_of(last, "authors").split(";")]
        return Record(
            text_of(last, "title"), without_tags(text_of(last, "abstract")), names, text_of(last, "date"),
            text_of(last, "license").replace("_", "-").upper(), page,
            {"doi": target.name, "category": text_of(last, "category"), "pdf": f"{page}.full.pdf"},
        )  # fmt: skip

    def _hal(self, target: ArchiveTarget) -> Record:
        fields = (
            "title_s,abstract_s,authFullName_s,publicationDate_s,doiId_s,fileMain_s,licence_s,uri_s,conferenceTitle_s"
        )
        query = urlencode({"q": f"halId_s:{target.name}", "fl": fields, "wt": "json", "rows": 1})
        answer = ask_json(self._transport, f"{self._bases['hal']}/search/?{query}", spacing=1.0).get("response")
        docs = answer.get("docs") if isinstance(answer, dict) else None
        if not isinstance(docs, list) or not docs or not isinstance(docs[0], dict):
            raise FetchFailed(f"HAL knows no {target.name}", reason="unknown-id")
        first: dict[str, Any] = docs[0]
        return Record(
            _one(first, "title_s"), without_tags(_one(first, "abstract_s")), _strings(first.get("authFullName_s")),
            _one(first, "publicationDate_s"), _one(first, "licence_s"),
            _one(first, "uri_s") or f"https://hal.science/{target.name}",
            {"doi": _one(first, "doiId_s"), "pdf": _one(first, "fileMain_s"),
             "venue": _one(first, "conferenceTitle_s")},
        )  # fmt: skip


def _names(people: Any, key: str) -> list[str]:
    return [_turned(text_of(p, key)) for p in people if isinstance(p, dict)] if isinstance(people, list) else []


def _turned(name: str) -> str:
    """``Kung, H. T.`` -> ``H. T. Kung``."""
    family, comma, given = name.strip().partition(",")
    return f"{given.strip()} {family.strip()}" if comma and given.strip() else name.strip()


def _strings(value: Any) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _one(record: dict[str, Any], name: str) -> str:
    """A field that HAL gives as one string or as a list of them, by language."""
    return next(iter(_strings(record.get(name))), "") or text_of(record, name)


def _takes(entry: Entry) -> bool:
    return archive_target(entry.url) is not None


def _build(settings: Settings, transport: Transport, bases: Bases) -> Source:
    return one_by_one("archives", _Archives(transport, bases).read)


register(Registration("archives", 20, _takes, _build, _BASES))
