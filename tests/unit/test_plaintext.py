from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accelrag.text.plaintext import plain_text

MARKUP = st.lists(
    st.sampled_from(["[", "]", "(", ")", "![", "](", "<", ">", "<!--", "-->", "`", "*", "__", "|", "&amp;", "a", " "])
).map("".join)


@given(st.one_of(st.text(), MARKUP))
@example("[" * 5_000)
@example("](" * 5_000)
@example("<a " * 5_000)
@example("<!--" * 5_000)
@example("![" + "(" * 5_000)
@example("*" * 20_000)
@example("&#xD800; &#0; &#99999999999;")
def test_any_text_becomes_one_line_without_invisible_characters(text):
    shown = plain_text(text)
    assert "\n" not in shown
    assert shown == shown.strip()
    assert not any(unicodedata.category(c) in {"Cc", "Cf"} for c in shown)


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("See [the paper](https://x.org/a_(b)) now.", "See the paper now."),
        ("[![badge](https://x.org/b.svg)](https://x.org) Fast", "Fast"),
        ("**Bold**, *it*, ***both*** and __this__", "Bold, it, both and this"),
        ("`code` and ``more``", "code and more"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("x <b>bold</b> <br/> y", "x bold y"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a<!-- hidden -->b", "a b"),
        ("a <!-- never closed", "a"),
        ("R&amp;D &lt;tag&gt;", "R&D <tag>"),
        ("a \\(\\times\\) b, 4$\\times$ faster", "a × b, 4× faster"),
        ("| cell | cell |", "cell cell"),
        ("[text][ref] and ![img][ref]", "text and"),
        ("two\nlines", "two lines"),
        ("zero\u200bwidth and \u202eturned", "zerowidth and turned"),
    ],
)
def test_markup_reads_as_a_person_sees_it(markup, shown):
    assert plain_text(markup) == shown
