"""Whatever is done to a list and its texts, the index that grew with it is the index that is built from scratch."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accelrag.corpus import Corpus
from accelrag.index import Index, current_generation
from accelrag.pipeline import build_index, collect_garbage, entries_of, examine, update_home
from accelrag.settings import Settings
from accelrag.stores.protocol import LexicalQuery
from accelrag.types import Document
from followed_home import Item, list_text

WORDS = st.sampled_from(
    [
        "memory",
        "traces",
        "kernel",
        "tensor",
        "cache",
        "network",
        "board",
        "cycle",
        "matrix",
        "sparse",
        "硬件",
        "simulator",
    ]
)
NOTES = st.lists(WORDS, min_size=1, max_size=40).map(" ".join)
SECTIONS = st.sampled_from(["Kernels", "Simulators", "Boards", "Old things"])
NAMES = st.sampled_from([f"tool{n}" for n in range(12)])
EDITS = st.one_of(
    st.tuples(st.just("add"), NAMES, NOTES, SECTIONS),
    st.tuples(st.just("remove"), NAMES),
    st.tuples(st.just("note"), NAMES, NOTES),
    st.tuples(st.just("title"), NAMES, WORDS),
    st.tuples(st.just("move"), NAMES, SECTIONS),
    st.tuples(st.just("section"), SECTIONS, SECTIONS),
    st.tuples(st.just("reorder"), st.randoms(use_true_random=False)),
    st.tuples(st.just("twice"), NAMES, NOTES, SECTIONS),
    st.tuples(st.just("text"), NAMES, NOTES),
    st.tuples(st.just("collect")),
)
START = [Item(f"tool{n}", f"Tool {n} for traces.", "Kernels") for n in range(4)]


def edited(items: list[Item], edit) -> list[Item]:
    kind, *rest = edit
    if kind in ("add", "twice"):
        name, note, section = rest
        known = any(i.name == name for i in items)
        return [*items, Item(name, note, section)] if known == (kind == "twice") else items
    if kind == "remove":
        return [i for i in items if i.name != rest[0]] or items
    if kind == "section":
        return [replace(i, section=rest[1]) if i.section == rest[0] else i for i in items]
    if kind == "reorder":
        shuffled = list(items)
        rest[0].shuffle(shuffled)
        return shuffled
    field = {"note": "note", "title": "title", "move": "section"}.get(kind)
    return [replace(i, **{field: rest[1]}) if i.name == rest[0] else i for i in items] if field else items


def give_text(home: Settings, name: str, text: str) -> None:
    with Corpus.open(home.corpus_dir) as corpus:
        for entry in entries_of(home)[0]:
            if entry.url.endswith(f"/{name}"):
                text = f"# {name}\n\n{text}\n\n## More\n\n{text[::-1]}\n"
                corpus.put(Document(f"text:{entry.id}", entry.id, text, "readme", title=name, markdown=True))


def contents(home: Settings):
    """Everything that an index holds, to the last bit: rows, vectors, scores of a ranking."""
    folder = current_generation(home.index_dir)
    with closing(sqlite3.connect(folder / "passages.db")) as db:
        tables = ("entries", "documents", "passages", "vocabulary")
        rows = {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    vectors = {path.name: path.read_bytes() for path in (folder / "vectors").iterdir()}
    with closing(Index.open(home.index_dir, model=home.model)) as index:
        ranking = index.lexical.search(LexicalQuery(stems={"memori": 1.0, "trace": 1.0, "tool": 0.5}), 100)
    return rows, vectors, ranking


def assert_equal_to_scratch(home: Settings, folder: Path) -> None:
    scratch = replace(home, home=folder / "scratch")
    shutil.rmtree(scratch.home, ignore_errors=True)
    shutil.copytree(home.corpus_dir, scratch.corpus_dir)
    build_index(scratch)
    grown, built = contents(home), contents(scratch)
    assert grown[0] == built[0]
    assert np.array_equal(grown[1], built[1])
    assert grown[2] == built[2]


def play(edits, encoder: Path, every: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        source = folder / "chips.md"
        home = Settings(home=folder / "home", model=str(encoder), threads=1)
        items = START
        source.write_text(list_text(items), encoding="utf-8")
        update_home(replace(home, list=str(source)), offline=True)
        for number, edit in enumerate(edits, 1):
            items = edited(items, edit)
            source.write_text(list_text(items), encoding="utf-8")
            if edit[0] == "text":
                give_text(home, *edit[1:])
            if edit[0] == "collect":
                collect_garbage(home)
            if number % every == 0:
                update_home(home, offline=True, force=True)
        update_home(home, offline=True, force=True)
        assert_equal_to_scratch(home, folder)
        assert update_home(home, offline=True).index.unchanged
        assert examine(home, servers=list, free=lambda _: 10**12).findings == ()


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=st.lists(EDITS, min_size=3, max_size=8))
def test_an_index_that_grew_with_edits_is_the_index_from_scratch(tiny_encoder, edits):
    play(edits, tiny_encoder, every=1)


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=st.lists(EDITS, min_size=120, max_size=120))
def test_ten_years_of_edits_give_the_index_from_scratch(tiny_encoder, edits):
    play(edits, tiny_encoder, every=2)
