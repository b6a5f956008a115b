"""``fixed_list`` touches link destinations that moved, and nothing else, to the byte."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.checking import fixed_list
from accelrag.listing import canonical_url, parse

LISTS = Path(__file__).parents[1] / "fixtures" / "lists"
OLD, NEW = "https://old.example/a", "https://new.example/b?x=1&y=2"
ESCAPED = NEW.replace("&", "&amp;")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"- [N]({OLD}) - x", f"- [N]({NEW}) - x"),
        (f'- [N]( {OLD} "title") - x', f'- [N]( {NEW} "title") - x'),
        (f"- [N](<{OLD}>) - x", f"- [N](<{NEW}>) - x"),
        (f"- <{OLD}> - x", f"- <{NEW}> - x"),
        (f"- {OLD} - x", f"- {NEW} - x"),
        (f"- {OLD}. Next", f"- {NEW}. Next"),
        (f"- (N)[{OLD}] and [M] ({OLD})", f"- (N)[{NEW}] and [M] ({NEW})"),
        (f"- [N][r]\n\n[r]: {OLD}", f"- [N][r]\n\n[r]: {NEW}"),
        (f"- [N][r]\n\n[r]: <{OLD}> 't'", f"- [N][r]\n\n[r]: <{NEW}> 't'"),
        (f'<a href="{OLD}">N</a>', f'<a href="{ESCAPED}">N</a>'),
        (f"<a href='{OLD}'>N</a>", f"<a href='{ESCAPED}'>N</a>"),
        (f"<a class=x href={OLD}>N</a>", f"<a class=x href={ESCAPED}>N</a>"),
        (f"| [N]({OLD}) | [M]({OLD}) |\n|-|-|", f"| [N]({NEW}) | [M]({NEW}) |\n|-|-|"),
        (f"[![b](https://b.example/i.svg)]({OLD})", f"[![b](https://b.example/i.svg)]({NEW})"),
        (f"- [{OLD}]({OLD})", f"- [{OLD}]({NEW})"),
        (f"\ufeff- [N]({OLD})\r\n\r\n- [M]({OLD})\r", f"\ufeff- [N]({NEW})\r\n\r\n- [M]({NEW})\r"),
    ],
)
def test_destinations_in_every_form_are_replaced(before, after):
    assert fixed_list(before, {OLD: NEW}) == after


@pytest.mark.parametrize(
    "text",
    [
        f"- [N]({OLD}b) and [M]({OLD}/) and [O]({OLD}?q)",
        f"- `{OLD}` and `[N]({OLD})`",
        f"```\n[N]({OLD})\n```",
        f"x\n\n    [N]({OLD})\n",
        f"<!-- [N]({OLD}) -->",
        f"- [the old {OLD[8:]} place](https://other.example)",
        f"- [N](https://proxy.example/?u={OLD})",
        "- [N](docs/a.md) [M](#old)",
    ],
)
def test_what_is_no_such_destination_stays(text):
    assert fixed_list(text, {OLD: NEW}) == text


def test_addresses_with_brackets_and_ampersands_are_found_and_written_well():
    wiki = "https://w.example/Block_(programming)"
    assert (
        fixed_list(f"- [N]({wiki}) x", {wiki: "https://w.example/New_(x)"})
        == "- [N](https://w.example/New_%28x%29) x"
    )
    text = '<a href="https://o.example/?a=1&amp;b=2">N</a>'
    assert fixed_list(text, {"https://o.example/?a=1&b=2": NEW}) == (
        '<a href="https://new.example/b?x=1&amp;y=2">N</a>'
    )


@pytest.mark.parametrize("target", ["javascript:alert(1)", "", "/relative", "ftp://x.example", "mailto:a@b.c"])
def test_a_target_that_is_no_address_is_not_written(target):
    assert fixed_list(f"- [N]({OLD})", {OLD: target}) == f"- [N]({OLD})"


def test_a_target_cannot_break_out_of_its_link():
    fixed = fixed_list(f'- [N]({OLD})\n\n<a href="{OLD}">M</a>', {OLD: 'https://n.example/) [x](y) "><script>'})
    assert "<script>" not in fixed
    assert {e.url.split("/")[2] for e in parse(fixed).entries} == {"n.example"}


@pytest.mark.parametrize("name", ["shapes.md", "html.md", "cjk.md"])
def test_every_link_of_a_list_can_be_moved_there_and_back(name):
    text = (LISTS / name).read_text(encoding="utf-8")
    urls = sorted({url for e in parse(text).entries for url in (e.url, *e.also)})
    there = {url: f"https://moved{n}.example/{n}" for n, url in enumerate(urls)}
    fixed = fixed_list(text, there)
    moved = {url for e in parse(fixed).entries for url in (e.url, *e.also)}
    assert set(there.values()) <= moved
    assert fixed_list(fixed, {new: old for old, new in there.items()}) == text


@given(st.text(), st.dictionaries(st.text(), st.text(), max_size=3))
def test_any_text_survives(text, moved):
    if not any(canonical_url(target) for target in moved.values()):
        assert fixed_list(text, moved) == text
    assert isinstance(fixed_list(text, {**moved, OLD: NEW}), str)


@given(st.text(), st.text())
def test_all_but_the_destination_is_as_it_was(before, after):
    text = f"{before}\n\n- [N]({OLD}) - x\n\n{after}"
    fixed = fixed_list(text, {OLD: NEW})
    assert fixed.replace(NEW, OLD) == text
