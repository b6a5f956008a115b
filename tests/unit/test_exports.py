from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from accelrag.listing import parse
from accelrag.pipeline.exports import bibtex, markdown
from accelrag.types import Document, Entry, Place

TEXT = st.text(max_size=60)
NASTY = st.text(alphabet='\\{}%$&#_~^"@,= \nab', max_size=40)


def entry(title: str = "T", note: str = "", key: str = "x.org/t", kind: str = "paper", **rest: object) -> Entry:
    place = Place(title, ("A",), note, **rest)  # type: ignore[arg-type]
    return Entry(f"id-{key}", f"https://{key}", f"https://{key}", kind, (place,))  # type: ignore[arg-type]


def document(**rest: object) -> Document:
    return Document("text:e", "e", "Text.", "abstract", **rest)  # type: ignore[arg-type]


def balanced(record: str) -> bool:
    depth = 0
    for c in re.sub(r"\\[\\{}%$&#_]", "", record):
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return False
    return depth == 0


@given(NASTY, NASTY, st.lists(NASTY, max_size=3), NASTY)
def test_braces_balance_and_no_special_character_stands_bare(title, note, authors, venue):
    made = bibtex([(entry(title, note), document(title=title, authors=tuple(authors), metadata={"venue": venue}))])
    assert balanced(made)
    for line in made.splitlines():
        value = re.match(r"  (?!url)\w+ = (.*)", line)
        if value:
            assert not re.search(r"(?<!\\)[%$&#_~^]", value[1].replace(r"\textasciitilde{}", ""))
    assert made.count("@") >= 1


@given(st.lists(st.tuples(TEXT, st.sampled_from(["x.org/a", "x.org/b", "x.org/c"])), max_size=6))
def test_each_record_has_a_key_of_its_own(rows):
    made = bibtex([(entry(title, key=key), None) for title, key in rows])
    keys = re.findall(r"^@\w+\{(.*),$", made, re.MULTILINE)
    assert len(keys) == len(rows) == len(set(keys))
    assert all(re.fullmatch(r"[a-z0-9-]+", key) for key in keys)


def test_what_the_source_did_not_state_is_left_out():
    made = bibtex([(entry("PagedAttention", kind="repository"), None)])
    assert "author" not in made
    assert "year" not in made
    assert made.startswith("@software{pagedattention,")


def test_a_fetched_paper_has_authors_year_eprint_and_its_own_title():
    facts = {"eprint": "2309.06180", "primary_class": "cs.LG", "doi": "10.1/x", "journal_ref": "SOSP"}
    paper = document(
        title="Efficient Memory", authors=("Woosuk Kwon", "Zhuohan Li"), published="2023-09-12", metadata=facts
    )
    made = bibtex([(entry("PagedAttention / vLLM"), paper)])
    assert made.startswith("@article{kwon2023pagedattention,")
    assert "title = {{Efficient Memory}}" in made
    assert "author = {Woosuk Kwon and Zhuohan Li}" in made
    assert "year = {2023}" in made
    assert "eprint = {2309.06180}" in made
    assert "archiveprefix = {arXiv}" in made
    assert "primaryclass = {cs.LG}" in made
    assert "journal = {SOSP}" in made


def test_a_paper_without_a_journal_is_no_article():
    assert bibtex([(entry("X"), None)]).startswith("@misc{")


def test_markdown_reads_back_as_the_same_entries():
    text = """# T

## A

### B

- [One [v2]](https://x.org/one) — Says one.
- **Textbook** — [Two](https://x.org/two), A. Author. Says two.

## C

- [One again](https://x.org/one) — Also here.
"""
    before = parse(text).entries
    after = parse("# T\n\n" + markdown(before)).entries
    assert [e.key for e in after] == [e.key for e in before]
    assert [e.titles for e in after] == [e.titles for e in before]
    assert [[p.note for p in e.places] for e in after] == [[p.note for p in e.places] for e in before]
