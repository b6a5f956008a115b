"""The tree of a list -> Listing: walks blocks in order, keeps sections, gathers places by canonical URL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from accelrag.listing.items import Item, read_item, read_row
from accelrag.listing.kinds import kind_of
from accelrag.listing.spans import plain
from accelrag.listing.tree import Block, Link, Run, read_tree
from accelrag.listing.urls import canonical_url, entry_id, link_class
from accelrag.types import Entry, Place, Skipped

__all__ = ["Listing", "parse"]

_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_CONTAINERS = {"ul", "ol", "table", "details", "td", "th", "root"}
_TITLED = {"details", "show", "more", "expand", "click to expand", "toggle", "show more", "see more", "click me"}
_BADGES = (".svg?style=flat", "badge.svg")
_LONGEST_SECTION = 100


@dataclass(frozen=True, slots=True)
class Listing:
    """A parsed list. ``entries`` stand in the order of their first place, ``skipped`` in the order of lines."""

    title: str
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]


def parse(text: str, *, name: str = "") -> Listing:
    """Parse a Markdown list (CommonMark, GFM, HTML inside). Pure; any text gives a Listing, never an exception.

    ``name`` is kept in each place as the list's name, and stands in for a missing title.
    """
    walker = _Walker(name)
    walker.walk(read_tree(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")))
    walker.settle_title()
    return Listing(walker.title or walker.picture or name, walker.entries(), walker.skipped())


@dataclass(slots=True)
class _Found:
    link: Link
    item: Item
    headings: tuple[tuple[int, str], ...]
    nested: tuple[str, ...]
    line: int


@dataclass(slots=True)
class _Walker:
    name: str
    title: str = ""
    found: list[_Found] = field(default_factory=list)
    passed: dict[int, tuple[str, str]] = field(default_factory=dict)  # line -> text, reason
    kept_lines: set[int] = field(default_factory=set)
    used_labels: set[str] = field(default_factory=set)
    definitions: list[Link] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)  # texts of linkless items and summaries around us
    picture: str = ""  # alternative text of a logo that stands for the title
    titled: bool = False

    def walk(self, block: Block) -> None:
        """Visit a container's parts in order. Depth is bounded by the tree's."""
        loose: list[Run] = []
        for part in [*block.parts, ""]:
            if isinstance(part, Run):
                loose.append(part)
                continue
            self._paragraph(loose)
            loose = []
            if isinstance(part, Block):
                self._block(part)

    def _block(self, block: Block) -> None:
        if level := _HEADINGS.get(block.tag):
            self._heading(block, level)
        elif block.tag == "li":
            self._list_item(block)
        elif block.tag == "table":
            self._table(block)
        elif block.tag == "tr":
            self._row(block, ())
        elif block.tag == "details":
            self._details(block)
        elif block.tag == "definition":
            if block.target is not None:
                self.definitions.append(block.target)
        else:
            self.walk(block)

    def _heading(self, block: Block, level: int) -> None:
        runs, blocks = _own(block)
        text = plain(runs)
        if level == 1 and not self.titled:
            self.titled, self.title = True, text
            self.headings = []
        elif text:
            self.headings = [h for h in self.headings if h[0] < level] + [(level, text)]
        self._pass_over(runs, "a heading's link")
        for inner in blocks:
            self._block(inner)

    def _paragraph(self, runs: list[Run]) -> None:
        if any(r.link for r in runs):
            self._place(runs, read_item(runs, pictures=False), runs[0].line)
        if not self.picture and not self.titled and not self.found:
            self.picture = next((r.text for r in runs if r.image and r.text and not r.image.endswith(_BADGES)), "")

    def _list_item(self, block: Block) -> None:
        runs, blocks = _own(block)
        item = read_item(runs) if any(r.link for r in runs) else None
        if item is not None:
            item.note = _sentences([item.note, *(t for b in blocks for t in _remarks(b))])
        self._place(runs, item, block.line)
        text = plain(runs)
        as_section = item is None and bool(text) and bool(blocks)
        if as_section:
            self.nested.append(_clipped(text))
        for inner in blocks:
            self._block(inner)
        if as_section:
            self.nested.pop()

    def _table(self, block: Block) -> None:
        rows = [part for part in block.parts if isinstance(part, Block)]
        header: Sequence[str] = ()
        for n, row in enumerate(rows):
            if row.tag != "tr":
                self._block(row)
                continue
            cells = [c for c in row.parts if isinstance(c, Block) and c.tag in ("td", "th")]
            if n == 0 and cells and all(c.tag == "th" for c in cells):
                header = [plain(_own(c)[0]) for c in cells]
                self._row(row, ())
            else:
                self._row(row, header)

    def _row(self, block: Block, header: Sequence[str]) -> None:
        cells: list[list[Run]] = []
        inner: list[Block] = []
        stray: list[Run] = []
        for part in block.parts:
            if isinstance(part, Block) and part.tag in ("td", "th"):
                runs, blocks = _own(part)
                cells.append(runs)
                inner += blocks
            elif isinstance(part, Block):
                inner.append(part)
            elif isinstance(part, Run):
                stray.append(part)
        if stray:
            cells.append(stray)
        runs = [r for cell in cells for r in cell]
        self._place(runs, read_row(cells, header) if any(r.link for r in runs) else None, block.line)
        for part in inner:
            self._block(part)

    def _details(self, block: Block) -> None:
        headings = list(self.headings)
        summary = next((p for p in block.parts if isinstance(p, Block) and p.tag == "summary"), None)
        text = plain(_texts(summary)) if summary else ""
        named = bool(text) and text.lower().strip(" .!:") not in _TITLED
        if summary is not None:
            self._pass_over(list(_texts(summary)), "a summary's link")
            block.parts.remove(summary)
        if named:
            self.nested.append(_clipped(text))
        self.walk(block)
        if named:
            self.nested.pop()
        self.headings = headings

    def _place(self, runs: Sequence[Run], item: Item | None, line: int) -> None:
        if item is not None:
            self.found.append(_Found(item.primary, item, tuple(self.headings), tuple(self.nested), line))
            self._mark(runs, kept=True)
        else:
            self._pass_over(runs, "nothing but images and badges")

    def _pass_over(self, runs: Sequence[Run], reason: str) -> None:
        self._mark(runs, kept=False)
        by_line: dict[int, list[Run]] = {}
        for run in runs:
            by_line.setdefault(run.line, []).append(run)
        for run in runs:
            if run.link is not None:
                why = link_class(run.link.href)
                text = _clipped(plain(by_line[run.line]) or run.link.href, 200)
                self.passed.setdefault(run.link.line, (text, reason if why == "external" else why))

    def _mark(self, runs: Sequence[Run], *, kept: bool) -> None:
        for run in runs:
            if run.link is not None:
                self.used_labels.add(run.link.label)
                if kept:
                    self.kept_lines.add(run.link.line)

    def settle_title(self) -> None:
        """Where several headings stand at the top, the title is the one that holds nearly everything."""
        tops = Counter(f.headings[0][1] for f in self.found if f.headings and f.headings[0][0] == 1)
        for text, count in tops.most_common(1):
            if count >= 0.95 * len(self.found):
                self.title = text

    def _sections(self, found: _Found) -> tuple[str, ...]:
        headings = [text for level, text in found.headings if (level, text) != (1, self.title)]
        return (*headings, *found.nested)

    def entries(self) -> tuple[Entry, ...]:
        """One entry a canonical URL, with every place."""
        by_key: dict[str, list[_Found]] = {}
        for found in self.found:
            by_key.setdefault(canonical_url(found.link.href) or found.link.href, []).append(found)
        return tuple(self._entry(key, places) for key, places in by_key.items())

    def _entry(self, key: str, found: Sequence[_Found]) -> Entry:
        also = {canonical_url(link.href): link.href for f in reversed(found) for link in reversed(f.item.links)}
        also.pop(key, None)
        places = tuple(
            Place(f.item.title, self._sections(f), f.item.note, f.item.label, f.line, self.name) for f in found
        )
        first = places[0]
        label = " ".join(p.label for p in places)
        kind = kind_of(key, label=label, sections=first.sections, title=first.title, note=first.note)
        return Entry(entry_id(key), key, found[0].link.href.strip(), kind, places, tuple(reversed(also.values())))

    def skipped(self) -> tuple[Skipped, ...]:
        """Every line that holds a link and gave no entry, by line."""
        passed = dict(self.passed)
        for link in self.definitions:
            if link.label not in self.used_labels and link_class(link.href) == "external":
                passed.setdefault(
                    link.line, (f"[{link.label.lower()}]: {link.href}", "a reference that nothing uses")
                )
        return tuple(Skipped(n, *passed[n]) for n in sorted(passed) if n not in self.kept_lines)


def _own(block: Block) -> tuple[list[Run], list[Block]]:
    """A unit's own runs, paragraphs included, and the blocks inside it that are units themselves."""
    runs: list[Run] = []
    blocks: list[Block] = []
    for part in block.parts:
        if isinstance(part, Run):
            runs.append(part)
        elif isinstance(part, Block) and part.tag == "p":
            inner_runs, inner_blocks = _own(part)
            runs += [*([Run("\n", part.line)] if runs else []), *inner_runs]
            blocks += inner_blocks
        elif isinstance(part, Block):
            blocks.append(part)
        elif runs:
            runs.append(Run("\n", block.line))
    return runs, blocks


def _texts(block: Block) -> Iterable[Run]:
    for part in block.parts:
        if isinstance(part, Run):
            yield part
        elif isinstance(part, Block):
            yield from _texts(part)


def _remarks(block: Block) -> list[str]:
    """Texts of the linkless items in a list below an entry: they describe it."""
    if block.tag not in ("ul", "ol"):
        return []
    texts = []
    for part in block.parts:
        if isinstance(part, Block) and part.tag == "li":
            runs = list(_texts(part))
            if not any(r.link for r in runs) and (text := plain(runs)):
                texts.append(text)
    return texts


def _sentences(texts: Iterable[str]) -> str:
    kept = [t for t in texts if t]
    return " ".join(t if n == len(kept) - 1 or t[-1] in ".!?:;\u3002\uff01" else f"{t}." for n, t in enumerate(kept))


def _clipped(text: str, longest: int = _LONGEST_SECTION) -> str:
    text = text.strip().rstrip(":\uff1a ").strip()
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "\u2026"
