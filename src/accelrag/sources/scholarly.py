"""Papers by identifier: Semantic Scholar in batches, Crossref, OpenAlex, then the landing page.

APIs: https://api.semanticscholar.org/api-docs/graph (paper/batch), https://api.crossref.org/swagger-ui,
https://docs.openalex.org/api-entities/works. An abstract is taken only for the identifier that the link names, or for
a record that names the link itself; a title that merely looks alike is never enough.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from accelrag.errors import AccelragError, FetchFailed, FetchTransient
from accelrag.settings import Settings
from accelrag.sources.page import PageSource, refuse_walls
from accelrag.sources.work import Answer, Outcome, Unchanged, Want, document
from accelrag.transport import Transport

__all__ = ["ScholarlySource", "identifier"]

_DOI = re.compile(r"10\.\d{4,9}/[^\s?#]+")
_HOSTS = re.compile(
    r"(^|\.)(doi\.org|dl\.acm\.org|ieeexplore\.ieee\.org|link\.springer\.com|usenix\.org|neurips\.cc|nips\.cc|openreview\.net|"
    r"aclanthology\.org|aclweb\.org|mlr\.press|jmlr\.org|nature\.com|sciencedirect\.com|semanticscholar\.org|thecvf\.com)$"
)
_PAPER_PATHS = {
    "usenix.org": r"/conference/.+/presentation/|/legacy/",
    "nature.com": r"/articles/",
    "sciencedirect.com": r"/science/article/",
    "semanticscholar.org": r"/paper/",
    "mlr.press": r"/v\d+/.+\.html",
    "jmlr.org": r"/papers/.+\.html",
    "thecvf.com": r"\.html$",
    "openreview.net": r"/(forum|pdf)",
    "neurips.cc": r"/paper",
    "nips.cc": r"/paper",
}
_SHORTEST_ABSTRACT = 80


@dataclass(slots=True)
class _Record:
    """What is known of a paper so far. The first source to name a field is believed."""

    title: str = ""
    abstract: str = ""
    authors: list[str] = field(default_factory=list)
    published: str = ""
    licence: str = ""
    origin: str = ""
    metadata: dict[str, str] = field(default_factory=dict)

    def take(self, other: _Record) -> None:
        self.title = self.title or other.title
        self.authors = self.authors or other.authors
        self.published = self.published or other.published
        self.licence = self.licence or other.licence
        if not self.abstract and other.abstract:
            self.abstract, self.origin = other.abstract, other.origin
        for name, value in other.metadata.items():
            self.metadata.setdefault(name, value)


def identifier(url: str) -> str | None:
    """``doi:10.…``, ``ieee:NUMBER``, ``s2:HASH``, or ``page:`` for a scholarly page without one; else None."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host, path = (parts.hostname or "").lower(), unquote(parts.path)
    if not _HOSTS.search(host) or path.lower().endswith(".pdf"):
        return None
    match = _DOI.search(path)
    if match:
        doi = re.sub(r"(?:/(?:abstract|full|pdf|epub)|\.pdf|/)$", "", match[0].lower())
        return f"doi:{doi}"
    if host == "ieeexplore.ieee.org":
        number = re.search(r"/(?:document|abstract/document)/(\d+)", path) or re.search(
            r"arnumber=(\d+)", parts.query
        )
        return f"ieee:{number[1]}" if number else None
    if host.endswith("aclanthology.org") and (match := re.match(r"/([A-Z]\d{2}-\d{4}|\d{4}\.[\w-]+\.\d+)/?$", path)):
        return f"doi:10.18653/v1/{match[1].lower()}"
    if host.endswith("semanticscholar.org") and (match := re.search(r"/([0-9a-f]{40})", path)):
        return f"s2:{match[1]}"
    site = ".".join(host.split(".")[-2:])
    pattern = _PAPER_PATHS.get(site)
    return "page:" if pattern and re.search(pattern, path) else None


class ScholarlySource:
    """Abstracts and metadata in batches of up to 100."""

    name = "scholarly"
    batch = 100

    def __init__(self, settings: Settings, transport: Transport, page: PageSource) -> None:
        self._crossref = settings.crossref_api.rstrip("/")
        self._s2 = settings.s2_api.rstrip("/")
        self._openalex = settings.openalex_api.rstrip("/")
        self._transport = transport
        self._page = page

    def fetch(self, wants: Sequence[Want]) -> Iterator[Answer]:
        ids = {want.entry.id: identifier(want.entry.url) or "page:" for want in wants}
        records = {want.entry.id: _Record() for want in wants}
        for want in wants:
            if ids[want.entry.id].startswith("ieee:"):
                doi = self._ieee(want, ids[want.entry.id][5:])
                ids[want.entry.id] = f"doi:{doi}" if doi else "page:"
        self._semantic_scholar(ids, records)
        for want in wants:
            try:
                yield [(want, self._one(want, ids[want.entry.id], records[want.entry.id]))]
            except AccelragError as error:
                yield [(want, error)]

    def _one(self, want: Want, id_: str, record: _Record) -> Outcome:
        if id_.startswith("doi:"):
            record.metadata.setdefault("doi", id_[4:])
            for ask in (self._by_crossref, self._by_openalex):
                if len(record.abstract) >= _SHORTEST_ABSTRACT and record.authors and record.title:
                    break
                record.take(ask(id_[4:]))
        problem: AccelragError | None = None
        if len(record.abstract) < _SHORTEST_ABSTRACT:
            try:
                found = self._landing(want, record)
                if found is not None:
                    return found
            except AccelragError as error:
                problem = error
        if len(record.abstract) < _SHORTEST_ABSTRACT:
            if isinstance(problem, FetchTransient):
                raise problem
            reason = str(getattr(problem, "reason", "no-abstract"))
            raise FetchFailed(str(problem or f"no catalogue has an abstract of {want.entry.url}"), reason=reason)
        made = document(
            want, record.abstract, "abstract", source=want.entry.url, title=record.title, authors=record.authors,
            published=record.published, licence=record.licence,
            metadata={**record.metadata, "abstract_of": record.origin},
        )  # fmt: skip
        known = want.known
        return Unchanged() if known and not known.stale and known.digest == made.digest else made

    def _landing(self, want: Want, record: _Record) -> Outcome | None:
        """The page behind the link: its abstract into the record, or its text as the document."""
        response = self._transport.get(
            want.entry.url, accept="text/html, application/pdf;q=0.5", revision=want.revision
        )
        if response.unchanged:
            return Unchanged()
        if b"%PDF-" in response.body[:1024]:
            return self._page.read(want, response)
        page, raw = self._page.head(response)
        seen = _Record(
            title=page.first("citation_title", "dc.title", "og:title"),
            abstract=_plain(page.first("citation_abstract", "dc.description", "dcterms.abstract"))
            or _abstract_in(raw),
            authors=[_name(a) for a in page.all("citation_author") or page.all("dc.creator")],
            published=_date(
                page.first("citation_publication_date", "citation_date", "citation_online_date", "dc.date")
            ),
            licence=page.licence,
            origin=response.url,
            metadata={
                "doi": page.first("citation_doi", "dc.identifier").removeprefix("doi:").lower(),
                "venue": page.first("citation_conference_title", "citation_journal_title", "citation_inbook_title"),
            },
        )
        record.take(seen)
        if len(record.abstract) >= _SHORTEST_ABSTRACT:
            return None
        text = self._page.main_text(raw, response.url)
        refuse_walls(page, text, response)
        return document(
            want, text, "page", source=response.url, title=record.title or page.title, revision=response.revision,
            authors=record.authors, published=record.published, licence=record.licence, metadata=record.metadata,
            markdown=True,
        )  # fmt: skip

    def _semantic_scholar(self, ids: dict[str, str], records: dict[str, _Record]) -> None:
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
                outer = paper.get("externalIds") or {}
                records[entry].take(
                    _Record(
                        title=str(paper.get("title") or ""),
                        abstract=_plain(str(paper.get("abstract") or "")),
                        authors=[str(a.get("name") or "") for a in paper.get("authors") or [] if isinstance(a, dict)],
                        published=str(paper.get("publicationDate") or paper.get("year") or ""),
                        origin="Semantic Scholar",
                        metadata={
                            "venue": str(paper.get("venue") or ""),
                            "doi": str(outer.get("DOI") or "").lower(),
                            "eprint": str(outer.get("ArXiv") or ""),
                        },
                    )
                )

    def _by_crossref(self, doi: str) -> _Record:
        message = self._json(f"{self._crossref}/works/{quote(doi, safe='')}").get("message")
        return _crossref(message) if isinstance(message, dict) else _Record()

    def _ieee(self, want: Want, number: str) -> str:
        """The DOI of an IEEE document number: the one Crossref record whose own address names the number."""
        query = urlencode({"query.bibliographic": want.entry.title[:200], "rows": 10})
        message = self._json(f"{self._crossref}/works?{query}").get("message") or {}
        for item in message.get("items") or [] if isinstance(message, dict) else []:
            address = str((((item.get("resource") or {}).get("primary")) or {}).get("URL") or "")
            if re.search(rf"(?:/document/|arnumber=){number}(?:\D|$)", address):
                return str(item.get("DOI") or "").lower()
        return ""

    def _by_openalex(self, doi: str) -> _Record:
        work = self._json(f"{self._openalex}/works/doi:{quote(doi, safe='/')}")
        words = work.get("abstract_inverted_index")
        abstract = ""
        if isinstance(words, dict):
            placed = [(at, word) for word, places in words.items() for at in places if isinstance(at, int)]
            abstract = " ".join(word for _, word in sorted(placed)[:5_000])
        names = [(a.get("author") or {}).get("display_name") or "" for a in work.get("authorships") or []]
        where = work.get("primary_location") or {}
        return _Record(
            title=str(work.get("title") or ""),
            abstract=_plain(abstract),
            authors=[str(name) for name in names],
            published=str(work.get("publication_date") or ""),
            licence=str(where.get("license") or ""),
            origin="OpenAlex",
            metadata={"venue": str((where.get("source") or {}).get("display_name") or "")},
        )

    def _json(self, url: str) -> dict[str, Any]:
        """The object behind an address, or an empty one: a catalogue that fails is left for the next one."""
        try:
            answer = json.loads(self._transport.get(url, accept="application/json", robots=False, spacing=0.2).body)
        except (AccelragError, ValueError):
            return {}
        return answer if isinstance(answer, dict) else {}


def _crossref(message: dict[str, Any]) -> _Record:
    titles = message.get("title") or []
    dated = message.get("published") or message.get("issued") or {}
    parts = (dated.get("date-parts") or [[]])[0] or []
    licences = [str(item.get("URL") or "") for item in message.get("license") or [] if isinstance(item, dict)]
    return _Record(
        title=_plain(str(titles[0])) if titles else "",
        abstract=_plain(str(message.get("abstract") or "")),
        authors=[
            f"{a.get('given', '')} {a.get('family') or a.get('name') or ''}".strip()
            for a in message.get("author") or []
        ],
        published="-".join(f"{int(p):02d}" for p in parts if p),
        licence=next((u for u in licences if "creativecommons" in u), licences[0] if licences else ""),
        origin="Crossref",
        metadata={
            "venue": str(next(iter(message.get("container-title") or []), "")),
            "publisher": str(message.get("publisher") or ""),
            "type": str(message.get("type") or ""),
        },
    )


def _plain(text: str) -> str:
    """JATS and HTML marks taken out, the word "Abstract" before it too."""
    text = re.sub(r"</(?:jats:)?(?:p|title|sec)>", "\n\n", text)
    text = html.unescape(re.sub(r"</?(?:jats:|mml:)?[a-zA-Z][^<>]{0,200}>", "", text))
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", text).strip()
    text = re.sub(r"^(?:abstract|summary)\b[\s.:—-]*", "", text, flags=re.IGNORECASE)
    return re.sub(r"\n{2,}", "\n\n", re.sub(r"(?<!\n)\n(?!\n)", " ", text))


def _abstract_in(raw: str) -> str:
    """The abstract in the body of pages that keep it out of their meta tags (NeurIPS, ACL, USENIX, PMLR)."""
    import lxml.html

    tree = lxml.html.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", raw) or "<p/>")
    for place in tree.iter("div", "section", "p", "span"):
        names = f"{place.get('class') or ''} {place.get('id') or ''}".lower()
        if re.search(r"(^|[\s_-])(abstract|paper-description)([\s_-]|$)|abstracttext", names):
            text = _plain(" ".join(" ".join(place.itertext()).split()))
            if len(text) >= _SHORTEST_ABSTRACT:
                return text
    for heading in tree.iter("h2", "h3", "h4", "h5"):
        if " ".join("".join(heading.itertext()).split()).lower() in {"abstract", "abstract:"}:
            said = []
            for after in heading.itersiblings():
                if after.tag in {"h1", "h2", "h3", "h4", "h5"}:
                    break
                said.append(" ".join(" ".join(after.itertext()).split()))
            text = _plain(" ".join(said))
            if len(text) >= _SHORTEST_ABSTRACT:
                return text
    return ""


def _name(name: str) -> str:
    """``Kung, H. T.`` -> ``H. T. Kung``."""
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma and given.strip() else name


def _date(text: str) -> str:
    match = re.match(r"(\d{4})(?:[/-](\d{1,2})(?:[/-](\d{1,2}))?)?", text)
    return "-".join(f"{int(part):02d}" for part in match.groups() if part) if match else ""
