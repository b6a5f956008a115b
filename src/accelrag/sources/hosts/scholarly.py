"""Papers by identifier: the catalogues first, then the landing page.

An abstract is taken only for the identifier that the link names, or for a record that names the link itself; a title
that merely looks alike is never enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from accelrag.errors import AccelragError, FetchFailed, FetchTransient
from accelrag.settings import Settings
from accelrag.sources.catalogues import SHORTEST_ABSTRACT, Catalogues, Record, without_tags
from accelrag.sources.hosts.page import PageSource, refuse_walls
from accelrag.sources.identifiers import identifier
from accelrag.sources.registry import Registration, register
from accelrag.sources.requests import Outcome, Outcomes, Request, Unchanged, document
from accelrag.transport import Transport

__all__ = ["ScholarlySource"]


class ScholarlySource:
    """Abstracts and metadata in batches of up to 100."""

    name = "scholarly"
    batch = 100

    def __init__(self, settings: Settings, transport: Transport, page: PageSource) -> None:
        self._catalogues = Catalogues(settings, transport)
        self._transport = transport
        self._page = page

    def fetch(self, requests: Sequence[Request]) -> Iterator[Outcomes]:
        ids = {request.entry.id: identifier(request.entry.url) or "page:" for request in requests}
        records = {request.entry.id: Record() for request in requests}
        for request in requests:
            if ids[request.entry.id].startswith("ieee:"):
                doi = self._catalogues.ieee_doi(request.entry.title, ids[request.entry.id][5:])
                ids[request.entry.id] = f"doi:{doi}" if doi else "page:"
        self._catalogues.semantic_scholar(ids, records)
        for request in requests:
            try:
                yield [(request, self._one(request, ids[request.entry.id], records[request.entry.id]))]
            except AccelragError as error:
                yield [(request, error)]

    def _one(self, request: Request, id_: str, record: Record) -> Outcome:  # noqa: C901 - catalogues first, then the page, then why there is none
        if id_.startswith("doi:"):
            record.metadata.setdefault("doi", id_[4:])
            for ask in (self._catalogues.crossref, self._catalogues.openalex):
                if len(record.abstract) >= SHORTEST_ABSTRACT and record.authors and record.title:
                    break
                record.take(ask(id_[4:]))
        problem: AccelragError | None = None
        if len(record.abstract) < SHORTEST_ABSTRACT:
            try:
                found = self._landing(request, record)
                if found is not None:
                    return found
            except AccelragError as error:
                problem = error
        if len(record.abstract) < SHORTEST_ABSTRACT:
            if isinstance(problem, FetchTransient):
                raise problem
            reason = str(getattr(problem, "reason", "no-abstract"))
            raise FetchFailed(str(problem or f"no catalogue has an abstract of {request.entry.url}"), reason=reason)
        made = document(
            request, record.abstract, "abstract", source=request.entry.url, title=record.title,
            authors=record.authors, published=record.published, licence=record.licence,
            metadata={**record.metadata, "abstract_of": record.origin},
        )  # fmt: skip
        known = request.known
        return Unchanged() if known and not known.stale and known.digest == made.digest else made

    def _landing(self, request: Request, record: Record) -> Outcome | None:
        """The page behind the link: its abstract into the record, or its text as the document."""
        response = self._transport.get(
            request.entry.url, accept="text/html, application/pdf;q=0.5", revision=request.revision
        )
        if response.unchanged:
            return Unchanged()
        if b"%PDF-" in response.body[:1024]:
            return self._page.read(request, response)
        page, raw = self._page.head(response)
        seen = Record(
            title=page.first("citation_title", "dc.title", "og:title"),
            abstract=without_tags(page.first("citation_abstract", "dc.description", "dcterms.abstract"))
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
        if len(record.abstract) >= SHORTEST_ABSTRACT:
            return None
        text = self._page.main_text(raw, response.url)
        refuse_walls(page, text, response)
        return document(
            request, text, "page", source=response.url, title=record.title or page.title, revision=response.revision,
            authors=record.authors, published=record.published, licence=record.licence, metadata=record.metadata,
            markdown=True,
        )  # fmt: skip


def _abstract_in(raw: str) -> str:  # noqa: C901 - two forms of pages, by attribute and by heading
    """The abstract in the body of pages that keep it out of their meta tags (NeurIPS, ACL, USENIX, PMLR)."""
    import lxml.html

    tree = lxml.html.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", raw) or "<p/>")
    for place in tree.iter("div", "section", "p", "span"):
        names = f"{place.get('class') or ''} {place.get('id') or ''}".lower()
        if re.search(r"(^|[\s_-])(abstract|paper-description)([\s_-]|$)|abstracttext", names):
            text = without_tags(" ".join(" ".join(place.itertext()).split()))
            if len(text) >= SHORTEST_ABSTRACT:
                return text
    for heading in tree.iter("h2", "h3", "h4", "h5"):
        if " ".join("".join(heading.itertext()).split()).lower() in {"abstract", "abstract:"}:
            said = []
            for after in heading.itersiblings():
                if after.tag in {"h1", "h2", "h3", "h4", "h5"}:
                    break
                said.append(" ".join(" ".join(after.itertext()).split()))
            text = without_tags(" ".join(said))
            if len(text) >= SHORTEST_ABSTRACT:
                return text
    return ""


def _name(name: str) -> str:
    """``Kung, H. T.`` -> ``H. T. Kung``."""
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma and given.strip() else name


def _date(text: str) -> str:
    match = re.match(r"(\d{4})(?:[/-](\d{1,2})(?:[/-](\d{1,2}))?)?", text)
    return "-".join(f"{int(part):02d}" for part in match.groups() if part) if match else ""


register(
    Registration(
        "scholarly",
        70,
        lambda entry: identifier(entry.url) is not None,
        lambda settings, transport, bases: ScholarlySource(settings, transport, PageSource(settings, transport)),
    )
)
