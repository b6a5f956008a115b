"""Text that people have already, from JSON Lines: one object a line with title, text, url and authors.

``abstract`` is taken for ``text``. Optional are id, note, section and year. The file may be gzip. One line is held in
memory at a time, and a thousand documents are one transaction.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from accelrag.corpus import Corpus
from accelrag.errors import AccelragError, UsageError
from accelrag.ingest.report import Summary
from accelrag.listing import canonical_url, entry_id
from accelrag.listing.kinds import kind_of
from accelrag.sources import Request, clean_line
from accelrag.sources.requests import document
from accelrag.storage import hold
from accelrag.types import Document, Entry, Place, Progress, Silent

__all__ = ["import_jsonl"]

_LONGEST_LINE = 32_000_000
_BATCH = 1_000
_MOST_ERRORS = 1_000


def import_jsonl(
    path: Path,
    corpus: Corpus,
    *,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.time,
    wait: float = 0.0,
    cancelled: Callable[[], bool] = lambda: False,
) -> Summary:
    """Put every line into the corpus. Lines that cannot be used are counted and told with their number and why.

    A line that was imported before and has not changed is ``unchanged``; two lines with one address or id are one
    document, the later one's.

    Raises:
        UsageError: the file cannot be read, or no line of it can be used.
        Busy, StorageError: as by ``fetch``.
    """
    progress = progress or Silent()
    summary = Summary()
    now = datetime.fromtimestamp(clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with hold(corpus.path.parent, wait=wait, doing="accelrag import"):
        progress.start("import", _lines_in(path))
        pairs: list[tuple[Entry, Document]] = []
        bad = 0
        for number, line in _lines(path):
            summary.total += 1
            try:
                pairs.append(_read(line, path.name, now))
            except (AccelragError, ValueError) as error:
                bad += 1
                summary.count("import", "failed")
                if len(summary.errors) < _MOST_ERRORS:
                    summary.errors.append(f"{path.name}:{number}: {error}")
            progress.advance("import")
            if len(pairs) >= _BATCH:
                _store(pairs, corpus, summary)
                pairs = []
                if cancelled():
                    summary.cancelled = True
                    break
        _store(pairs, corpus, summary)
        progress.done("import")
    if summary.total and bad == summary.total:
        raise UsageError(
            f"no line of {path} can be used; the first: {summary.errors[0]}",
            hint='give one JSON object a line, like {"title": "...", "text": "...", "url": "...", "authors": [...]}',
        )
    if not summary.total:
        raise UsageError(f"{path} holds no lines", hint="give a JSON Lines file")
    return summary


def _store(pairs: list[tuple[Entry, Document]], corpus: Corpus, summary: Summary) -> None:
    with corpus.batch():
        for entry, made in pairs:
            known = corpus.document(entry.id)
            if known is not None and known.digest == made.digest and known.title == made.title:
                summary.count("import", "unchanged")
            else:
                corpus.put(made)
                summary.count("import", "fetched")
            corpus.put_imported(entry)


def _read(line: str, name: str, now: str) -> tuple[Entry, Document]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"no JSON: {error}") from error
    if not isinstance(record, dict):
        raise UsageError(f"expected an object, not {type(record).__name__}")
    text = _string(record, "text") or _string(record, "abstract")
    title = clean_line(_string(record, "title"))
    if not text.strip():
        raise UsageError("neither text nor abstract")
    if not title:
        raise UsageError("no title")
    key, url = _address(record, title, text)
    section = clean_line(_string(record, "section"))
    note = clean_line(_string(record, "note"))
    sections = tuple(part.strip() for part in section.split(" > ") if part.strip())
    place = Place(title=title, sections=sections, note=note, list_name=name)
    kind = "paper" if url.startswith("urn:") else kind_of(key, sections=sections, title=title, note=note)
    entry = Entry(id=entry_id(key), key=key, url=url, kind=kind, places=(place,))
    year = re.match(r"\d{4}(?:-\d\d(?:-\d\d)?)?", _string(record, "year") or _string(record, "published"))
    made = document(
        Request(entry), text, "abstract" if record.get("abstract") and not record.get("text") else "full", source=url,
        title=title, authors=_authors(record.get("authors")), published=year[0] if year else "",
        licence=_string(record, "licence") or _string(record, "license"),
        metadata={"imported": name, "doi": _string(record, "doi"), "eprint": _string(record, "arxiv_id")},
    )  # fmt: skip
    return entry, Document(**{f: getattr(made, f) for f in made.__slots__} | {"fetched_at": now})


def _address(record: dict[str, Any], title: str, text: str) -> tuple[str, str]:
    """The key and the address; a record without one gets a name of its own that stays the same from run to run."""
    url = _string(record, "url").strip()
    if not url and re.fullmatch(r"\d{4}\.\d{4,5}", _string(record, "arxiv_id")):
        url = f"https://arxiv.org/abs/{_string(record, 'arxiv_id')}"
    if url:
        key = canonical_url(url)
        if key is None:
            raise UsageError(f"{url[:200]!r} is no http or https address")
        return key, url
    own = _string(record, "id").strip() or f"{title}\n{text}"
    urn = f"urn:accelrag:{hashlib.sha256(own.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
    return urn, urn


def _authors(value: Any) -> list[str]:
    if isinstance(value, str):
        if ";" not in value and " and " not in value:
            return value.split(",")
        names = re.split(r";" if ";" in value else r"\s+and\s+", value)
        # BibTeX writes "Family, Given and Family, Given"; prose writes "A, B and C".
        names = [name for name in names if name.strip() != "others"]
        if all(name.count(",") == 1 for name in names):
            return [" ".join(reversed(name.split(",", 1))) for name in names]
        return [part for name in names for part in (name.split(",") if ";" not in value else [name])]
    if isinstance(value, list):
        return [str(a.get("name", "") if isinstance(a, dict) else a) for a in value]
    return []


def _string(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines that are not blank. A line that is too long comes as one that cannot be used."""
    try:
        with _open(path) as file:
            number = 0
            while raw := file.readline(_LONGEST_LINE):
                number += 1
                long = len(raw) >= _LONGEST_LINE and not raw.endswith(b"\n")
                while raw and not raw.endswith(b"\n") and len(raw) >= _LONGEST_LINE:
                    raw = file.readline(_LONGEST_LINE)
                if long:
                    yield number, ""
                elif raw.strip():
                    yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f"{path} is a damaged gzip file: {error}", hint="fetch the file again") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", hint="check the path") from error


def _lines_in(path: Path) -> int:
    """How many lines the file has, for the progress bar; 0 where counting would take a second look at a pipe."""
    if not path.is_file():
        return 0
    try:
        with _open(path) as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    except (OSError, EOFError, zlib.error):
        return 0


def _open(path: Path) -> IO[bytes]:
    try:
        with path.open("rb") as file:
            zipped = path.is_file() and file.read(2) == b"\x1f\x8b"
        return gzip.open(path) if zipped else path.open("rb")  # type: ignore[return-value]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="check the path") from error
