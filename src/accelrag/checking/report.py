"""A list, what was fetched for it and how its links answer -> findings with line numbers. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from accelrag.checking.health import LinkHealth
from accelrag.checking.titles import normalised_title, same_work
from accelrag.listing import Listing
from accelrag.types import Document, Entry

__all__ = ["Finding", "Report", "Severity", "check_list"]

Severity = Literal["error", "warning", "info"]

_HEADINGS = {
    "dead-link": "Dead links",
    "other-title": "Titles that are not the paper's",
    "broken-address": "Addresses that cannot be opened",
    "moved-link": "Links that moved",
    "suspect-link": "Links that did not answer this time",
    "same-title": "One title, several addresses",
    "no-note": "Entries without a note",
    "blocked-link": "Links that refuse programs",
    "repeated": "Entries that stand in several places",
}
_WORDS = {
    "gone": "it is gone",
    "timeout": "it did not answer in time",
    "dns": "its host has no address",
    "failing": "it fails",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a curator may want to mend. ``lines`` count from 1."""

    kind: str
    severity: Severity
    lines: tuple[int, ...]
    title: str
    url: str
    message: str
    entry_id: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All findings by kind, then by line. ``exit_code`` is 1 when one of them is an error, for use in CI."""

    title: str
    entries: int
    checked_links: int
    checked_at: str
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        """0 or 1."""
        return int(any(f.severity == "error" for f in self.findings))

    @property
    def moved(self) -> dict[str, str]:
        """``address -> target`` of the links that moved for good: what ``fixed_list`` takes."""
        return {f.url: f.target for f in self.findings if f.kind == "moved-link"}

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "list": self.title,
            "entries": self.entries,
            "checked_links": self.checked_links,
            "checked_at": self.checked_at,
            "exit_code": self.exit_code,
            "counts": {kind: sum(f.kind == kind for f in self.findings) for kind in _HEADINGS},
            "findings": [{**asdict(f), "lines": list(f.lines)} for f in self.findings],
        }

    def markdown(self) -> str:
        """A report for people, one section a kind."""
        name = _escaped(self.title) or "List"
        lines = [
            f"# Check of {name}",
            "",
            f"{self.entries} entries, {self.checked_links} links probed, {self.checked_at}.",
        ]
        for kind, heading in _HEADINGS.items():
            found = [f for f in self.findings if f.kind == kind]
            if found:
                lines += ["", f"## {heading} ({len(found)})", ""]
                lines += [
                    f"- {_where(f.lines)}: {_escaped(f.title)} <{_plain_address(f.url)}>: {f.message}" for f in found
                ]
        if not self.findings:
            lines += ["", "Nothing to mend."]
        return "\n".join(lines) + "\n"


def check_list(
    listing: Listing, documents: Mapping[str, Document], health: Mapping[str, LinkHealth], now: datetime
) -> Report:
    """Check a list: repeated entries, titles, notes and links.

    ``documents`` are by entry id, ``health`` by address as the list spells it; both may lack any of them.
    """
    found = [
        *_repeated(listing.entries),
        *_same_titles(listing.entries),
        *_other_titles(listing.entries, documents),
        *_without_note(listing.entries),
        *_links(listing.entries, health),
        *_broken(listing),
    ]
    order = list(_HEADINGS)
    found.sort(key=lambda f: (order.index(f.kind), f.lines, f.url))
    urls = {url for entry in listing.entries for url in (entry.url, *entry.also)}
    return Report(
        listing.title,
        len(listing.entries),
        len(urls & health.keys()),
        now.isoformat(timespec="seconds"),
        tuple(found),
    )


def _repeated(entries: Sequence[Entry]) -> Iterator[Finding]:
    for entry in entries:
        if len(entry.places) > 1:
            titles = entry.titles
            under = f" under {len(titles)} titles: {' / '.join(map(_escaped, titles))}" if len(titles) > 1 else ""
            yield _finding("repeated", "info", entry, f"stands in {len(entry.places)} places{under}")


def _same_titles(entries: Sequence[Entry]) -> Iterator[Finding]:
    by_title: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        for title in entry.titles:
            if normal := normalised_title(title):
                by_title.setdefault(normal, {})[entry.id] = entry
    for normal, group in by_title.items():
        if len(group) < 2:
            continue
        first = next(iter(group.values()))
        lines = sorted(p.line for e in group.values() for p in e.places if normalised_title(p.title) == normal)
        others = ", ".join(e.url for e in group.values() if e is not first)
        title = next(t for t in first.titles if normalised_title(t) == normal)
        message = f"the same title leads to {others}"
        yield Finding("same-title", "warning", tuple(lines), title, first.url, message, first.id)


def _other_titles(entries: Sequence[Entry], documents: Mapping[str, Document]) -> Iterator[Finding]:
    for entry in entries:
        document = documents.get(entry.id)
        if entry.kind != "paper" or document is None or not document.title:
            continue
        for place in entry.places:
            if not same_work(place.title, document.title, document.text):
                message = f"the list says “{_escaped(place.title)}”, the paper is “{_escaped(document.title)}”"
                yield Finding("other-title", "error", (place.line,), place.title, entry.url, message, entry.id)


def _without_note(entries: Sequence[Entry]) -> Iterator[Finding]:
    for entry in entries:
        if not entry.note:
            yield _finding("no-note", "info", entry, "has no note")


def _links(entries: Sequence[Entry], health: Mapping[str, LinkHealth]) -> Iterator[Finding]:
    for entry in entries:
        for url in dict.fromkeys((entry.url, *entry.also)):
            known = health.get(url)
            if known is None or known.state == "ok":
                continue
            why = f"{known.status}" if known.status else known.detail
            reason = f" ({_escaped(why)})" if why else ""
            lines = tuple(p.line for p in entry.places)
            kind, severity, message = _verdict(known)
            yield Finding(kind, severity, lines, entry.title, url, message + reason, entry.id, known.target)


def _verdict(known: LinkHealth) -> tuple[str, Severity, str]:
    if known.state == "moved":
        return "moved-link", "warning", f"moved to {known.target}"
    if known.state == "blocked":
        return "blocked-link", "info", "refuses programs; open it by hand"
    if known.dead:
        return "dead-link", "error", f"{_WORDS[known.state]} since {known.first_seen_dead}"
    return "suspect-link", "warning", f"{_WORDS[known.state]}; a second run a day later decides"


def _broken(listing: Listing) -> Iterator[Finding]:
    fine = {"in-page link", "relative link", "mail address", "ftp: link"}
    for skipped in listing.skipped:
        if skipped.reason not in fine and (skipped.reason == "broken address" or skipped.reason.endswith(": link")):
            yield Finding("broken-address", "warning", (skipped.line,), skipped.text, "", f"{skipped.reason}")


def _finding(kind: str, severity: Severity, entry: Entry, message: str) -> Finding:
    return Finding(kind, severity, tuple(p.line for p in entry.places), entry.title, entry.url, message, entry.id)


def _where(lines: Sequence[int]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is: a title in a report must not become a link or a tag."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|!" else c for c in " ".join(text.split()))


def _plain_address(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E").replace("\n", "")
