"""Entries as BibTeX, Markdown and JSON Lines. What the sources did not state is left out, never guessed.

BibTeX fields follow https://www.bibtex.com/format/ and arXiv's https://info.arxiv.org/help/hypertex/bibstyles.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from accelrag.errors import UsageError
from accelrag.storage import replace_file
from accelrag.text.words import fold, words
from accelrag.types import Coverage, Document, Entry, Kind

__all__ = ["bibtex", "exported", "markdown", "write_file"]

_TYPES: dict[Kind, str] = {"book": "book", "paper": "article", "repository": "software", "course": "misc"}
_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    c: f"\\{c}" for c in "&%$#_{}"
}
_SMALL = {"a", "an", "the", "on", "of", "for", "and", "in", "to", "with"}


def bibtex(rows: Iterable[tuple[Entry, Document | None]]) -> str:
    """One BibTeX record an entry, keys distinct, special characters escaped."""
    used: set[str] = set()
    records = []
    for entry, document in rows:
        fields = _fields(entry, document)
        key = _key(entry, fields, used)
        kind = _TYPES.get(entry.kind, "misc")
        if kind == "article" and "journal" not in fields:
            kind = "misc"
        body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        records.append(f"@{kind}{{{key},\n{body}\n}}\n")
    return "\n".join(records)


def markdown(entries: Sequence[Entry]) -> str:
    """A Markdown list by section, in list order, an entry at each of its places."""
    sections: dict[tuple[str, ...], list[str]] = {}
    for entry in entries:
        for place in entry.places:
            label = f"**{place.label}** — " if place.label else ""
            note = f" — {place.note}" if place.note else ""
            title = place.title.replace("[", r"\[").replace("]", r"\]")
            sections.setdefault(place.sections, []).append(f"- {label}[{title}]({entry.url}){note}")
    parts = []
    for path, lines in sections.items():
        parts.append(f"## {' > '.join(path) or 'Entries'}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def exported(
    form: str, rows: Sequence[tuple[Entry, Coverage, Document | None]], dumps: Callable[[object], str] = json.dumps
) -> str:
    """The rows as ``bibtex``, ``markdown`` or ``jsonl``, one JSON object a line with what is known of its document.

    Raises:
        UsageError: there is no such form.
    """
    if form == "bibtex":
        return bibtex([(entry, document) for entry, _, document in rows])
    if form == "markdown":
        return markdown([entry for entry, _, _ in rows])
    if form != "jsonl":
        raise UsageError(f"there is no form {form!r}", hint="bibtex, markdown or jsonl")
    lines = []
    for entry, coverage, document in rows:
        record = entry.to_dict(coverage)
        if document is not None:
            facts = document.to_dict()
            record["document"] = {k: v for k, v in facts.items() if k not in {"text", "entry"}}
        lines.append(dumps(record))
    return "".join(f"{line}\n" for line in lines)


def _fields(entry: Entry, document: Document | None) -> dict[str, str]:
    fields = {"title": f"{{{_escaped(entry.title)}}}"}
    if document is not None:
        fields |= _fetched_fields(document)
    fields["url"] = entry.url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
    if entry.note:
        fields["note"] = _escaped(entry.note)
    return fields


def _fetched_fields(document: Document) -> dict[str, str]:
    known = dict(document.metadata)
    fields = {}
    if document.authors:
        if document.title:
            fields["title"] = f"{{{_escaped(document.title)}}}"
        names = [_escaped(re.sub(r",?\s+et al\.?$", " and others", a)) for a in document.authors]
        fields["author"] = " and ".join(names)
    if re.match(r"\d{4}", document.published):
        fields["year"] = document.published[:4]
    for name, source in (("journal", "journal_ref"), ("journal", "venue"), ("publisher", "publisher")):
        if known.get(source) and name not in fields:
            fields[name] = _escaped(known[source])
    if known.get("eprint"):
        fields |= {
            "eprint": known["eprint"],
            "archiveprefix": "arXiv",
            "primaryclass": known.get("primary_class", ""),
        }
    fields["doi"] = known.get("doi", "")
    return {name: value for name, value in fields.items() if value}


def _key(entry: Entry, fields: dict[str, str], used: set[str]) -> str:
    first = fields.get("author", "").split(" and ")[0]
    name = first.split(",")[0] if "," in first else first.split(" ")[-1]
    spoken = [w for w in words(entry.title) if w not in _SMALL]
    parts = [re.sub(r"[^a-z0-9]", "", fold(name)), fields.get("year", ""), (spoken or [""])[0]]
    stem = re.sub(r"[^a-z0-9]", "", "".join(parts)) or re.sub(r"[^a-z0-9]", "", entry.id)
    key, count = stem, 1
    while key in used:
        count += 1
        key = f"{stem}-{count}"
    used.add(key)
    return key


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(c, c) for c in " ".join(text.split()))


def write_file(path: Path, text: str, *, option: str) -> None:
    """Write ``text`` to the file that a person named by ``option``, whole or not at all.

    Raises:
        StorageError: it cannot be written.
    """
    replace_file(path, text.encode(), hint=f"give another {option}")
