"""The parser against real lists: the default one, committed here, and other people's where they are present."""

import os
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from accelrag.errors import ListFormatError
from accelrag.listing import canonical_url, parse, read_list

DEFAULT = Path(__file__).parents[2] / "corpus" / "awesome-ai-accelerators.md"
OTHERS = sorted((Path(os.environ.get("ACCELRAG_SHARED", "/nonexistent")) / "lists").glob("*.md"))
NOT_MARKDOWN = {"CNLHC__Awesome-RISC-V.md": "AsciiDoc", "awesomedata__awesome-public-datasets.md": "reStructuredText"}


@pytest.fixture(scope="module")
def default():
    return read_list(DEFAULT)


def by_title(listing, title):
    return next(e for e in listing.entries if title in e.titles)


def test_the_default_list_holds_226_entries_in_235_places(default):
    assert default.title == "Awesome AI Accelerators"
    assert len(default.entries) == 226
    assert sum(len(e.places) for e in default.entries) == 235
    assert len({e.id for e in default.entries}) == 226


def test_every_item_of_the_default_list_is_a_place_and_every_other_link_is_counted(default):
    lines = DEFAULT.read_text(encoding="utf-8").splitlines()
    items = {n for n, line in enumerate(lines, 1) if line.startswith("- ") and "](http" in line}
    contents = {
        n for n, line in enumerate(lines, 1) if "](#" in line and line.lstrip().startswith("- [") and n not in items
    }
    assert {p.line for e in default.entries for p in e.places} == items
    assert {s.line for s in default.skipped} == contents
    assert {s.reason for s in default.skipped} == {"in-page link"}


def test_titles_and_notes_of_the_default_list_are_the_words_of_its_lines(default):
    lines = DEFAULT.read_text(encoding="utf-8").splitlines()
    for entry in default.entries:
        for place in entry.places:
            line = lines[place.line - 1]
            assert f"[{place.title}](" in line
            text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", line)
            assert text.endswith(place.note)
            assert len(place.note) > 10
            assert place.label == "" or line.startswith(f"- **{place.label}** — [")


def test_labels_of_the_default_list(default):
    labels = Counter(p.label for e in default.entries for p in e.places)
    assert labels == {
        "": 221,
        "Textbook": 3,
        "Textbook (Circuits)": 1,
        "Textbook (Timing)": 1,
        "Lectures": 2,
        "Lectures & Resources": 1,
        "Practice": 1,
        "Reference": 1,
        "Training": 2,
        "Hands-on": 2,
    }
    book = by_title(default, "SystemVerilog for Verification").places[0]
    assert book.label == "Textbook"
    assert book.note.startswith("Spear & Tumbush. The definitive introduction")
    assert book.sections == ("Design Verification",)


def test_a_file_of_a_repository_is_an_entry_beside_the_repository(default):
    cute = by_title(default, "CuTe Layout Algebra")
    assert cute.url == "https://github.com/NVIDIA/cutlass/blob/main/media/docs/cute/00_quickstart.md"
    cutlass = by_title(default, "CUTLASS")
    assert cutlass.url == "https://github.com/NVIDIA/cutlass"
    assert cutlass.sections == (("GPU Programming", "CUDA"), ("AI Kernels", "GEMM"))


def test_nothing_of_the_default_list_leads_into_the_page(default):
    assert not [e for e in default.entries if "#" in e.url]
    tvm = by_title(default, "Apache TVM")
    assert tvm.note == "End-to-end deep learning compiler stack (see Compilers)."
    assert tvm.also == ()


# Looked through by hand, entry by entry.
KINDS = {
    "paper": (
        "Attention Is All You Need",
        "Orca: A Distributed Serving System for Transformers",
        "Eyeriss: Energy-Efficient Reconfigurable Accelerator",
        "Anatomy of High-Performance Matrix Multiplication",
        "Roofline: An Insightful Visual Performance Model",
        "Processor Microarchitecture: An Implementation Perspective",
        "ImageNet Classification with Deep CNNs (AlexNet)",
    ),
    "repository": ("vLLM", "CUTLASS", "vLLM Kernels", "GPU MODE Lectures", "OpenLane", "nanoGPT"),
    "documentation": (
        "CUDA C++ Programming Guide",
        "CuTe Layout Algebra",
        "ROCm Documentation",
        "Metal Shading Language Specification",
        "Volta Architecture Whitepaper",
        "NVIDIA Hopper Architecture Whitepaper",
        "RISC-V Specifications",
        "ASIC World",
        "Triton Tutorials",
    ),
    "book": (
        "Deep Learning",
        "Dive into Deep Learning (D2L)",
        "Neural Networks and Deep Learning",
        "Reinforcement Learning: An Introduction",
        "Programming Massively Parallel Processors",
        "CMOS VLSI Design: A Circuits and Systems Perspective",
        "Efficient Processing of Deep Neural Networks",
    ),
    "course": (
        "CMU 15-418 — Parallel Computer Architecture",
        "MIT 6.172 — Performance Engineering",
        "NPTEL — VLSI Physical Design Automation",
        "Efficient Deep Learning (MIT 6.5940 / TinyML)",
        "UW CSE 599W — Systems for ML",
    ),
    "video": ("Asianometry", "3Blue1Brown"),
    "article": (
        "The Bitter Lesson",
        "The Illustrated Transformer",
        "What are Diffusion Models?",
        "How to Optimize a CUDA Matmul Kernel",
        "Making Deep Learning Go Brrrr From First Principles",
        "The EDA Primer: From RTL to Silicon",
        "The Ultra-Scale Playbook",
    ),
    "website": ("LLVM", "gem5", "HDLBits", "Ultra Ethernet Consortium", "NVIDIA Blackwell Architecture", "Mojo"),
}


@pytest.mark.parametrize(("kind", "title"), [(k, t) for k, ts in KINDS.items() for t in ts])
def test_kinds_of_the_default_list_are_what_a_person_says(default, kind, title):
    assert by_title(default, title).kind == kind


def test_how_many_of_each_kind_the_default_list_holds(default):
    assert Counter(e.kind for e in default.entries) == {
        "paper": 104,
        "repository": 46,
        "website": 20,
        "documentation": 14,
        "book": 14,
        "course": 12,
        "article": 12,
        "video": 4,
    }


# A badge or logo tells nothing that an entry could: the count leaves links without text out, by another road than
# the parser's: CommonMark to HTML by the library's renderer, then an HTML reader of ten lines.
class LinkCounter(HTMLParser):
    def __init__(self):
        super().__init__()
        self.depth, self.href, self.text, self.found = 0, None, "", []

    def handle_starttag(self, tag, attrs):
        self.depth += tag in ("li", "tr")
        if tag == "a":
            self.href, self.text = dict(attrs).get("href"), ""

    def handle_data(self, data):
        self.text += data

    def handle_endtag(self, tag):
        self.depth -= tag in ("li", "tr")
        if tag == "a" and self.href:
            if self.depth > 0 and self.text.strip() and self.href.lower().startswith(("http://", "https://")):
                self.found.append((self.href, " ".join(self.text.split())))
            self.href = None


def links_in_items_and_rows(text):
    counter = LinkCounter()
    counter.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    counter.close()
    return counter.found


def test_the_counter_agrees_with_the_parser_on_the_default_list(default):
    assert len(links_in_items_and_rows(DEFAULT.read_text(encoding="utf-8"))) == 235


# Link texts that name a sort of thing; the item's own words are its title then.
SORTS = {
    "paper",
    "code",
    "link",
    "links",
    "pdf",
    "github",
    "here",
    "arxiv",
    "slides",
    "website",
    "article",
    "project",
}
needs_others = pytest.mark.skipif(not OTHERS, reason="ACCELRAG_SHARED does not name a folder with lists")


@pytest.mark.shared
@needs_others
@pytest.mark.parametrize("path", OTHERS, ids=lambda p: p.stem)
def test_98_of_100_links_of_other_lists_are_kept_or_the_format_is_named(path):
    if path.name in NOT_MARKDOWN:
        with pytest.raises(ListFormatError, match=NOT_MARKDOWN[path.name]):
            read_list(path)
        return
    listing = read_list(path)
    kept = {canonical_url(url) for e in listing.entries for url in (e.url, *e.also)}
    links = links_in_items_and_rows(path.read_text(encoding="utf-8-sig"))
    missed = [href for href, _ in links if canonical_url(href) not in kept]
    assert links
    assert len(missed) <= 0.02 * len(links), missed[:10]


@pytest.mark.shared
@needs_others
@pytest.mark.parametrize("path", [p for p in OTHERS if p.name not in NOT_MARKDOWN], ids=lambda p: p.stem)
def test_entries_of_other_lists_read_well(path):
    listing = read_list(path)
    places = [p for e in listing.entries for p in e.places]
    odd = [p for p in places if re.match(r"[-–—|:,;]|\.\s", p.note) or p.title != p.title.strip()]
    bare = [p for p in places if p.title.strip("[]").lower() in SORTS]
    assert not odd
    assert len(bare) <= max(1, 0.01 * len(places)), bare[:10]
    texts = {}
    for href, text in links_in_items_and_rows(path.read_text(encoding="utf-8-sig")):
        texts.setdefault(canonical_url(href), set()).add(text.strip("[]: ").lower())
    other = [
        (place.line, place.title, texts[e.key])
        for e in listing.entries
        for place in e.places
        if texts.get(e.key, SORTS) - SORTS and place.title.lower() not in texts[e.key]
    ]
    assert len(other) <= 0.01 * len(places) + 1, other[:10]


@pytest.mark.shared
@needs_others
def test_parsing_is_the_same_twice_and_reordering_keeps_ids():
    path = max((p for p in OTHERS if p.name not in NOT_MARKDOWN), key=lambda p: p.stat().st_size)
    text = path.read_text(encoding="utf-8")
    assert parse(text) == parse(text)
