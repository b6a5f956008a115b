"""What a source is: requests in, one outcome for each request out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from accelrag.errors import AccelragError, FetchFailed
from accelrag.sources.cleaning import clean_line, clean_text
from accelrag.types import Coverage, Document, Entry

__all__ = ["Outcome", "Outcomes", "Request", "Source", "Unchanged", "document"]


@dataclass(frozen=True, slots=True)
class Request:
    """An entry whose text is to be fetched. ``known`` is the text of an earlier run: its revision is asked about."""

    entry: Entry
    known: Document | None = None

    @property
    def revision(self) -> str:
        """The revision of the known text, or empty."""
        return self.known.revision if self.known else ""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The source says that the known text is still right."""


Outcome = Document | Unchanged | AccelragError
Outcomes = Sequence[tuple[Request, Outcome]]


class Source(Protocol):
    """One kind of host."""

    name: str
    batch: int  # most requests that one call takes

    def fetch(self, requests: Sequence[Request]) -> Iterator[Outcomes]:
        """One outcome for each request. What one answer of the host settles comes together, to be stored together.

        An error that is raised stands for all requests that were not settled yet.
        """
        ...


def document(  # noqa: PLR0913 - the fields of a document, each by its name
    request: Request,
    text: str,
    coverage: Coverage,
    *,
    source: str,
    title: str = "",
    revision: str = "",
    licence: str = "",
    authors: Iterable[str] = (),
    published: str = "",
    metadata: Mapping[str, str] | None = None,
    pages: tuple[int, ...] = (),
    markdown: bool = False,
) -> Document:
    """A document with everything in it cleaned, as no source is trusted. ``pages`` must fit the text as given.

    Raises:
        FetchFailed: nothing is left of the text.
    """
    clean = text if pages else clean_text(text)
    if not clean.strip():
        raise FetchFailed(f"{source} holds no text", reason="empty")
    named = {clean_line(k): clean_line(v) for k, v in (metadata or {}).items() if v}
    return Document(
        id=f"text:{request.entry.id}",
        entry_id=request.entry.id,
        text=clean,
        coverage=coverage,
        title=clean_line(title),
        source=clean_line(source),
        revision=clean_line(revision),
        licence=clean_line(licence),
        authors=tuple(a for a in (clean_line(author) for author in authors) if a),
        published=clean_line(published),
        metadata=named,
        pages=pages,
        markdown=markdown,
    )
