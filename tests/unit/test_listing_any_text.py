"""``parse`` is total, deterministic and linear: no text makes it raise, differ from itself, or blow up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelrag.listing import canonical_url, entry_id, parse
from accelrag.types import KINDS

PIECES = [
    *("- ", "* ", "1. ", "  ", "\n", "\n\n", "# ", "## ", "> ", "|", "|-|-|", "\t", "`", "```", "~~", "**", "*", "_"),
    *("[", "]", "(", ")", "](", "![", "][", "<", ">", "[^1]", "[^1]: ", "[r]: ", "[r]", "---", "===", "\\", "&amp;"),
    *(
        "https://a.example/x",
        "http://B.example",
        "#here",
        "docs/x.md",
        "mailto:a@b.c",
        "[N](https://n.example) - note",
    ),
    *(
        "<a href='https://h.example'>",
        "</a>",
        "<li>",
        "</li>",
        "<ul>",
        "</ul>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
    ),
    *("<!--", "-->", "<details>", "<summary>", "</details>", "<p>", "</p>", "<img src=x alt=y>", "<script>", "<br>"),
    *("\0", "\ud800", "\ufeff", "\u202e", "\x1b[31m", "文", "é", "🚀", " - ", ": ", "word"),
]
soup = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
any_text = st.one_of(st.text(st.characters(), max_size=300), soup)


@settings(max_examples=300, deadline=None)
@given(any_text)
def test_no_text_makes_it_raise_and_what_it_gives_is_sound(text):
    listing = parse(text)
    assert listing == parse(text)
    keys = [e.key for e in listing.entries]
    assert len(set(keys)) == len(keys)
    for entry in listing.entries:
        assert entry.key == canonical_url(entry.url)
        assert entry.id == entry_id(entry.key)
        assert entry.kind in KINDS
        assert entry.places
        also = [canonical_url(url) for url in entry.also]
        assert None not in also
        assert entry.key not in also
        assert len(set(also)) == len(also)
        for place in entry.places:
            assert place.title
            assert place.line >= 1
            assert place.note == " ".join(place.note.split())
    lines = [s.line for s in listing.skipped]
    assert lines == sorted(set(lines))
    first_lines = [e.places[0].line for e in listing.entries]
    assert first_lines == sorted(first_lines)


name = st.text("abcdefgh XYZ", min_size=3, max_size=20).map(str.strip).filter(lambda s: len(s) > 2)


@settings(deadline=None)
@given(st.lists(st.tuples(name, st.integers(0, 30), name), min_size=1, max_size=12))
def test_a_written_list_is_read_back(rows):
    text = "# T\n\n## S\n\n" + "".join(f"- [{t}](https://site{n}.example/p) — {note}.\n" for t, n, note in rows)
    listing = parse(text)
    places = sorted((p.line, p.title, e.url, p.note, p.sections) for e in listing.entries for p in e.places)
    assert places == [
        (5 + i, " ".join(t.split()), f"https://site{n}.example/p", f"{' '.join(note.split())}.", ("S",))
        for i, (t, n, note) in enumerate(rows)
    ]
    assert len(listing.entries) == len({n for _, n, _ in rows})


def knots(n):
    """Texts that make careless parsers quadratic, exponential or overflow their stack."""
    yield "[" * n
    yield "![" * n
    yield "[" * (n // 4) + "a" + "](http://a.example)" * (n // 20)
    yield "![" * (n // 4) + "a" + "](http://a.example)" * (n // 20)
    yield "<!--" * (n // 4)
    yield "<?" * (n // 2)
    yield "<a href='" * (n // 9)
    yield "<" * n
    yield "> " * (n // 2)
    yield "- " * (n // 2)
    yield "- " + "</li>" * (n // 5)
    yield "<div>" * (n // 8) + "</x>" * (n // 8)
    yield "<ul><li>" * (n // 8)
    yield "`".join(["x" * (i % 40) for i in range(n // 20)])
    yield "*a _b " * (n // 6)
    yield "- [a](http://a.example) " + "( " * (n // 2)
    yield "- [a](http://a.example)" + " " * n + "x"
    yield "http://a.example/" + ")" * n
    yield "[a](http://a.example) " * (n // 22)
    yield "\0" * n


@pytest.mark.parametrize("kind", range(20))
def test_a_hundred_thousand_character_line_is_parsed_and_keeps_the_item_after_it(kind):
    text = list(knots(100_000))[kind]
    listing = parse(f"{text}\n\n# T\n\n- [Last](https://last.example) - Note.\n")
    unclosed = text.startswith(("<!--", "<?"))  # CommonMark: an unclosed comment hides all that follows
    assert unclosed or listing.entries[-1].url == "https://last.example"


def test_images_in_images_do_not_overflow_the_stack():
    text = "![" * 400 + "a" + "](http://a.example/i.png)" * 400
    assert parse(f"- {text} [N](https://n.example)\n").entries
