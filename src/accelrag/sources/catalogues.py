"""Catalogues of papers: Semantic Scholar, Crossref and OpenAlex.

APIs: https://api.semanticscholar.org/api-docs/graph (paper/batch), https://api.crossref.org/swagger-ui,
https://docs.openalex.org/api-entities/works. A catalogue that fails, or answers in another shape than documented, is
passed over: the next one may know.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from accelrag.errors import AccelragError
from accelrag.settings import Settings
from accelrag.transport import Transport

__all__ = ["SHORTEST_ABSTRACT", "Catalogues", "Record", "without_tags"]

SHORTEST_ABSTRACT = 80  # characters; less is a remark
_OTHER_SHAPE = (TypeError, AttributeError, KeyError, IndexError, ValueError)


@dataclass(slots=True)
class Record:
    """What is known of a paper so far. The first source to name a field is believed."""

    title: str = ""
    abstract: str = ""
    authors: list[str] = field(default_factory=list)
    published: str = ""
    licence: str = ""
    origin: str = ""
    metadata: dict[str, str] = field(default_factory=dict)

    def take(self, other: Record) -> None:
        self.title = self.title or other.title
        self.authors = self.authors or other.authors
        self.published = self.published or other.published
        self.licence = self.licence or other.licence
        if len(self.abstract) < SHORTEST_ABSTRACT and len(other.abstract) > len(self.abstract):
            self.abstract, self.origin = other.abstract, other.origin
        for name, value in other.metadata.items():
            if value:
                self.metadata.setdefault(name, value)


class Catalogues:
    """The three, each giving what it knows."""

    def __init__(self, settings: Settings, transport: Transport) -> None:
        self._crossref = settings.crossref_api.rstrip("/")
        self._s2 = settings.s2_api.rstrip("/")
        self._openalex = settings.openalex_api.rstrip("/")
        self._transport = transport

    def semantic_scholar(self, ids: dict[str, str], records: dict[str, Record]) -> None:
        """One request for all identifiers. A catalogue that does not answer is left for the next one."""
        named = {
            entry: id_.replace("doi:", "DOI:").removeprefix("s2:")
            for entry, id_ in ids.items()
            if id_[:3] in {"doi", "s2:"}
        }
        if not named:
            return
        fields = "title,abstract,authors,year,venue,publicationDate,externalIds"
        try:
            response = self._transport.post_json(
                f"{self._s2}/graph/v1/paper/batch?fields={fields}",
                {"ids": list(named.values())},
                spacing=1.0,
                also={400, 404},
            )
            answers = json.loads(response.body)
        except (AccelragError, ValueError):
            return
        if not isinstance(answers, list) or len(answers) != len(named):
            return
        for entry, paper in zip(named, answers, strict=True):
            if isinstance(paper, dict):
                records[entry].take(_read(_semantic_scholar, paper))

    def crossref(self, doi: str) -> Record:
        """What Crossref knows of a DOI."""
        return _read(_crossref, self._json(f"{self._crossref}/works/{quote(doi, safe='')}"))

    def openalex(self, doi: str) -> Record:
        """What OpenAlex knows of a DOI."""
        return _read(_openalex, self._json(f"{self._openalex}/works/doi:{quote(doi, safe='/')}"))

    def ieee_doi(self, title: str, number: str) -> str:
        """The DOI of an IEEE document number: of the one Crossref record whose own address names the number."""
        query = urlencode({"query.bibliographic": title[:200], "rows": 10})
        answer = self._json(f"{self._crossref}/works?{query}")
        names_it = re.compile(rf"(?:/document/|arnumber=){number}(?:\D|$)")
        try:
            for item in answer["message"]["items"]:
                if names_it.search(str(((item.get("resource") or {}).get("primary") or {}).get("URL") or "")):
                    return str(item["DOI"]).lower()
        except _OTHER_SHAPE:
            return ""
        return ""

    def _json(self, url: str) -> dict[str, Any]:
        """The object behind an address, or an empty one: a catalogue that fails is left for the next one."""
        try:
            answer = json.loads(self._transport.get(url, accept="application/json", robots=False, spacing=0.2).body)
        except (AccelragError, ValueError):
            return {}
        return answer if isinstance(answer, dict) else {}


def _read(parse: Callable[[dict[str, Any]], Record], answer: dict[str, Any]) -> Record:
    try:
        return parse(answer) if answer else Record()
    except _OTHER_SHAPE:
        return Record()


def _semantic_scholar(paper: dict[str, Any]) -> Record:
    outer = paper.get("externalIds") or {}
    return Record(
        title=str(paper.get("title") or ""),
        abstract=without_tags(str(paper.get("abstract") or "")),
        authors=[str(a["name"]) for a in paper.get("authors") or []],
        published=str(paper.get("publicationDate") or paper.get("year") or ""),
        origin="Semantic Scholar",
        metadata={
            "venue": str(paper.get("venue") or ""),
            "doi": str(outer.get("DOI") or "").lower(),
            "eprint": str(outer.get("ArXiv") or ""),
        },
    )


def _crossref(answer: dict[str, Any]) -> Record:
    message = answer["message"]
    dated = message.get("published") or message.get("issued") or {}
    parts = (dated.get("date-parts") or [[]])[0] or []
    licences = [str(item.get("URL") or "") for item in message.get("license") or []]
    names = [(a.get("given") or "", a.get("family") or a.get("name") or "") for a in message.get("author") or []]
    return Record(
        title=without_tags(str(next(iter(message.get("title") or []), ""))),
        abstract=without_tags(str(message.get("abstract") or "")),
        authors=[f"{given} {family}".strip() for given, family in names],
        published="-".join(f"{int(p):02d}" for p in parts if p),
        licence=next((u for u in licences if "creativecommons" in u), licences[0] if licences else ""),
        origin="Crossref",
        metadata={
            "venue": str(next(iter(message.get("container-title") or []), "")),
            "publisher": str(message.get("publisher") or ""),
            "type": str(message.get("type") or ""),
        },
    )


def _openalex(work: dict[str, Any]) -> Record:
    words = work.get("abstract_inverted_index") or {}
    placed = sorted((int(at), str(word)) for word, places in words.items() for at in places)
    where = work.get("primary_location") or {}
    return Record(
        title=str(work.get("title") or ""),
        abstract=without_tags(" ".join(word for _, word in placed[:5_000])),
        authors=[str(a["author"]["display_name"]) for a in work.get("authorships") or []],
        published=str(work.get("publication_date") or ""),
        licence=str(where.get("license") or ""),
        origin="OpenAlex",
        metadata={"venue": str((where.get("source") or {}).get("display_name") or "")},
    )


def without_tags(text: str) -> str:
    """JATS and HTML marks taken out, the word "Abstract" before it too."""
    text = re.sub(r"</(?:jats:)?(?:p|title|sec)>", "\n\n", text)
    text = html.unescape(re.sub(r"</?(?:jats:|mml:)?[a-zA-Z][^<>]{0,200}>", "", text))
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", text).strip()
    text = re.sub(r"^(?:abstract|summary)\b[\s.:—-]*", "", text, flags=re.IGNORECASE)
    return re.sub(r"\n{2,}", "\n\n", re.sub(r"(?<!\n)\n(?!\n)", " ", text))
