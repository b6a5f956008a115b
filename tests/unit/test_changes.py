"""What happened to a list is told completely, once, and not where nothing happened."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from accelrag.listing.changes import compare, shrank_too_much
from accelrag.types import Entry, Place


def entry(n, title="T", sections=("A",), note="note", label="", **more):
    key = f"https://site{n}.example"
    return Entry(f"id-{n}", key, key, "website", (Place(title, sections, note, label, n + 1, "l"),), **more)


words = st.sampled_from(["one", "two", "three", "four"])
paths = st.lists(words, max_size=2).map(tuple)
places = st.lists(
    st.builds(Place, words, paths, words | st.just(""), words | st.just(""), st.integers(1, 99)), min_size=1
)
entries = st.builds(
    lambda n, places, also: Entry(f"id-{n}", f"https://s{n}.example", f"https://s{n}.example", "paper", places, also),
    st.integers(0, 30),
    places.map(tuple),
    st.lists(words, unique=True, max_size=2).map(tuple),
)
lists = st.lists(entries, unique_by=lambda e: e.id, max_size=12)


@given(lists)
def test_a_list_has_not_changed_from_itself(old):
    changes = compare(old, old)
    assert not changes
    assert changes.lines() == ()
    assert changes.summary == "nothing changed"


@given(lists, st.randoms(use_true_random=False))
def test_reordering_entries_places_and_lines_is_no_change(old, random):
    new = []
    for e in old:
        shuffled = [replace(p, line=random.randint(1, 999)) for p in random.sample(e.places, len(e.places))]
        new.append(replace(e, places=tuple(shuffled), also=tuple(random.sample(e.also, len(e.also)))))
    random.shuffle(new)
    assert not compare(old, new)


def said(e):
    return (
        {p.title for p in e.places},
        {p.sections for p in e.places},
        {(p.label, p.note) for p in e.places if p.label or p.note},
        set(e.also),
    )


@settings(max_examples=200)
@given(lists, lists)
def test_every_difference_is_told_and_nothing_else(old, new):
    changes = compare(old, new)
    before, after = {e.id: e for e in old}, {e.id: e for e in new}
    assert {e.id for e in changes.added} == after.keys() - before.keys()
    assert {e.id for e in changes.removed} == before.keys() - after.keys()
    assert {e.id for e in changes.touched} == {
        i for i in before.keys() & after.keys() if said(before[i]) != said(after[i])
    }
    assert bool(changes) == bool(changes.lines())
    json.dumps(changes.to_dict())


@given(lists, lists)
def test_the_way_back_undoes_the_way_there(old, new):
    there, back = compare(old, new), compare(new, old)
    assert {e.id for e in there.added} == {e.id for e in back.removed}
    for a, b in ((there.moved, back.moved), (there.renamed, back.renamed), (there.renoted, back.renoted)):
        assert {(c.entry.id, c.before, c.after) for c in a} == {(c.entry.id, c.after, c.before) for c in b}


def test_another_address_is_one_removed_and_one_added():
    changes = compare([entry(1, "Tool")], [entry(2, "Tool")])
    assert [e.id for e in changes.removed] == ["id-1"]
    assert [e.id for e in changes.added] == ["id-2"]
    assert not changes.touched


def test_people_are_told_in_words():
    old = [
        entry(1, "Stays", ("A", "B")),
        entry(2, "Goes", ("A",)),
        entry(3, "Old Name"),
        entry(4, "Noted", note="before"),
        entry(5, "Linked", also=("https://x.example",)),
        entry(6, "Walker", ("A", "B")),
    ]
    new = [
        entry(1, "Stays", ("A", "B")),
        entry(7, "Comes", ()),
        entry(3, "New Name"),
        entry(4, "Noted", note="after", label="Book"),
        entry(5, "Linked", also=("https://y.example",)),
        entry(6, "Walker", ("C",)),
    ]
    changes = compare(old, new)
    assert changes.summary == "1 added, 1 removed, 1 moved, 1 renamed, 1 with another note, 1 with other links"
    assert changes.lines() == (
        "added: Comes (top of the list) https://site7.example",
        "removed: Goes (A) https://site2.example",
        "moved: Walker from A › B to C",
        "renamed: “Old Name” is now “New Name”",
        "new note: Noted: “before” is now “Book: after”",
        "other links: Linked: now without https://x.example, with https://y.example",
    )
    told = changes.to_dict()
    assert told["moved"] == [
        {"id": "id-6", "title": "Walker", "url": "https://site6.example", "before": ["A › B"], "after": ["C"]}
    ]
    assert told["added"][0]["sections"] == [[]]


def test_a_renamed_section_is_one_line():
    old = [entry(n, f"T{n}", ("Old",)) for n in range(20)]
    new = [entry(n, f"T{n}", ("New",)) for n in range(20)]
    assert compare(old, new).lines() == ("moved: 20 entries (T0, T1, T2, ...) from Old to New",)


def test_a_second_place_is_told_as_such():
    one = entry(1, "T")
    two = replace(one, places=(*one.places, Place("T", ("B",), "note", "", 9, "l")))
    assert compare([one], [two]).lines() == ("moved: T also to B",)
    assert compare([two], [one]).lines() == ("moved: T out of B",)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 10))
def test_a_list_that_lost_more_than_half_is_suspicious(total, kept, added):
    kept = min(kept, total)
    old = [entry(n) for n in range(total)]
    new = [entry(n) for n in range(kept)] + [entry(100 + n) for n in range(added)]
    assert shrank_too_much(old, new) == (total - kept > total / 2)
