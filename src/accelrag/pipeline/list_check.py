"""``check``: what is wrong with the lists, from their text, from the fetched papers and from a look at each link.

What links answered is kept in the corpus from run to run, as a link is dead only when two runs a day apart agree.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from accelrag.checking import (
    LinkHealth,
    Report,
    check_list,
    fixed_list,
    health_from_json,
    health_to_json,
    judge,
)
from accelrag.corpus import Corpus
from accelrag.errors import ListError, StorageError, UsageError
from accelrag.listing import Listing, canonical_url, decode_list
from accelrag.pipeline.lists import parses_of, read_named_list
from accelrag.pipeline.registry import HomeList, home_lists
from accelrag.settings import Settings
from accelrag.storage import replace_file
from accelrag.types import Document, Observation, Progress

if TYPE_CHECKING:
    from accelrag.transport import Transport

__all__ = ["ListCheck", "check_lists", "write_fixed"]

_KEY = "link-health"
_ATTEMPTS = 2  # a link that fails twice is looked at again tomorrow anyway


@dataclass(frozen=True, slots=True)
class ListCheck:
    """A list with its report, and its bytes for a fixed copy."""

    home_list: HomeList
    data: bytes
    report: Report


def check_lists(
    settings: Settings,
    *,
    offline: bool = False,
    transport: Transport | None = None,
    clock: Callable[[], float] = time.time,
    progress: Progress | None = None,
    notice: Callable[[str], None] = lambda _: None,
) -> list[ListCheck]:
    """Check the lists that the settings mean. ``offline`` looks at no link and tells what is known of them.

    Raises:
        ListError, FetchTransient, FetchRefused, FetchFailed: a list cannot be had or is none.
        StorageError: the corpus cannot be read.
    """
    listed = [(item, *_read(item, settings, transport, offline=offline)) for item in home_lists(settings)]
    with Corpus.open(settings.corpus_dir, read_only=True) as corpus:
        health = health_from_json(corpus.state(_KEY))
        found = ((entry.id, corpus.document(entry.id)) for _, _, listing in listed for entry in listing.entries)
        documents: dict[str, Document] = {i: replace(d, text=d.text[:4000]) for i, d in found if d is not None}
    now = datetime.fromtimestamp(clock(), UTC)
    if not offline:
        urls = {url: None for _, _, listing in listed for e in listing.entries for url in (e.url, *e.also)}
        fresh: dict[str, LinkHealth] = {}
        try:
            for seen in _probed(list(urls), settings, transport, progress):
                fresh[seen.url] = judge(health.get(seen.url), seen, now)
        finally:
            health |= fresh
            _remember(settings, fresh, notice)
    return [ListCheck(item, data, check_list(listing, documents, health, now)) for item, data, listing in listed]


def write_fixed(checked: ListCheck, out: Path) -> int:
    """Write a copy of the list with its moved links replaced to ``out``; how many links that were.

    Raises:
        UsageError: ``out`` is the list itself, which is never touched.
        StorageError: it cannot be written.
    """
    for original in (checked.home_list.path, Path(checked.home_list.source or os.devnull)):
        if out.exists() and original.exists() and out.samefile(original):
            raise UsageError(f"{out} is the list itself, which is never touched", hint="name another file")
    coding = "utf-16" if checked.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    moved = checked.report.moved
    text = fixed_list(checked.data.decode(coding), moved)
    replace_file(out, text.encode(coding), hint="name another file")
    return len(moved)


def _read(item: HomeList, settings: Settings, transport: Transport | None, *, offline: bool) -> tuple[bytes, Listing]:
    if not item.url:
        listing = read_named_list(item, parses_of(settings))
        return item.path.read_bytes(), listing
    if offline:
        raise ListError(f"{item.source} is an address", hint="run it without --offline, or give a path")
    from accelrag.ingest import fetch_list
    from accelrag.transport import Transport

    data, _ = fetch_list(item.source, transport or Transport(settings), settings=settings)
    return data, decode_list(data, item.source)


def _probed(
    urls: Sequence[str], settings: Settings, transport: Transport | None, progress: Progress | None
) -> list[Observation]:
    from accelrag.ingest import probe
    from accelrag.transport import Transport

    task = "links"
    if progress:
        progress.start(task, len(urls))
    seen = []
    client = transport or Transport(settings, attempts=_ATTEMPTS)
    try:
        for one in probe(urls, client, workers=settings.fetch_workers):
            seen.append(_as_listed(one))
            if progress:
                progress.advance(task)
    finally:
        if transport is None:
            client.close()
        if progress:
            progress.done(task)
    return seen


def _as_listed(seen: Observation) -> Observation:
    """A move from http to https, or by a slash, is none: the list's address is as good."""
    if seen.state == "moved" and canonical_url(seen.target) != canonical_url(seen.url):
        return seen
    return replace(seen, state="ok" if seen.state == "moved" else seen.state, target="")


def _remember(settings: Settings, fresh: dict[str, LinkHealth], notice: Callable[[str], None]) -> None:
    from accelrag.storage import hold

    if not fresh:
        return
    try:
        with hold(settings.corpus_dir, wait=60.0, doing="accelrag check"), Corpus.open(settings.corpus_dir) as corpus:
            corpus.put_state(_KEY, health_to_json(health_from_json(corpus.state(_KEY)) | fresh))
    except StorageError as error:
        notice(f"What the links answered cannot be kept, so no link can be found dead: {error}")
