"""Every shape in which a list names a resource gives the entry that a person sees."""

from pathlib import Path

import pytest

from accelrag.listing import parse, read_list

LISTS = Path(__file__).parents[1] / "fixtures" / "lists"


def one(text):
    """The single entry of a text, with its single place."""
    listing = parse(text)
    assert len(listing.entries) == 1, listing
    assert len(listing.entries[0].places) == 1
    return listing.entries[0], listing.entries[0].places[0]


def titles(text):
    return [e.title for e in parse(text).entries]


@pytest.mark.parametrize(
    ("item", "title", "label", "note"),
    [
        ("[Name](https://a.example) - A note.", "Name", "", "A note."),
        ("[Name](https://a.example) – A note.", "Name", "", "A note."),
        ("[Name](https://a.example) — A note.", "Name", "", "A note."),
        ("[Name](https://a.example)— A note.", "Name", "", "A note."),
        ("[Name](https://a.example): A note.", "Name", "", "A note."),
        ("[Name](https://a.example), A note.", "Name", "", "A note."),
        ("[Name](https://a.example). A note.", "Name", "", "A note."),
        ("[Name](https://a.example) A note.", "Name", "", "A note."),
        ("[Name](https://a.example) - .NET library.", "Name", "", ".NET library."),
        ("[Name](https://a.example) | A note.", "Name", "", "A note."),
        ("[Name](https://a.example)", "Name", "", ""),
        ("[Name:](https://a.example) A note.", "Name", "", "A note."),
        ("**[Name](https://a.example)** - A note.", "Name", "", "A note."),
        ("*[Name](https://a.example)*: A note.", "Name", "", "A note."),
        ("[**Name** `x`](https://a.example) - A *note* with `code`.", "Name x", "", "A note with code."),
        ("[Name 🚀](https://a.example) - 🐚 A note.", "Name 🚀", "", "🐚 A note."),
        ("[A & B](https://a.example) - C &amp; D &lt;x&gt;.", "A & B", "", "C & D <x>."),
        ("[Name](https://a.example) ![](https://img.shields.io/x.svg) - A note.", "Name", "", "A note."),
        ("[Name](https://a.example) - A note. ![Licence](https://x.example/mit.svg)", "Name", "", "A note."),
        (
            "**Textbook** — [Name](https://a.example), A. Writer. The text.",
            "Name",
            "Textbook",
            "A. Writer. The text.",
        ),
        ("Textbook: [Name](https://a.example). A note.", "Name", "Textbook", "A note."),
        ("`2024` [Name](https://a.example) - A note.", "Name", "2024", "A note."),
        ("(2024) [Name](https://a.example) - A note.", "Name", "2024", "A note."),
        ("[ ] [Name](https://a.example) - A note.", "Name", "", "A note."),
        ("[x] [Name](https://a.example) - A note.", "Name", "", "A note."),
        (":star: [Name](https://a.example) - A note. :fire:", "Name", "", "A note."),
        ("[Name](https://a.example) - See [other text](#here) too.", "Name", "", "See other text too."),
        ("[Name](https://a.example) - A note\n  over two\n  lines.", "Name", "", "A note over two lines."),
        ("[Name](https://a.example)\n\n  A second paragraph.", "Name", "", "A second paragraph."),
        ("[Name](https://a.example)\n  - Says what it is\n  - and more", "Name", "", "Says what it is. and more"),
        (
            "Read about it in [the guide](https://a.example) first.",
            "the guide",
            "",
            "Read about it in the guide first.",
        ),
        ("A Tool https://a.example/", "A Tool", "", ""),
        ("https://a.example/ - A note.", "https://a.example/", "", "A note."),
        ("<https://a.example/> - A note.", "https://a.example/", "", "A note."),
        ("[](https://a.example/x)", "https://a.example/x", "", ""),
        (
            "**A Long Title** NeurIPS, 2022. [paper](https://a.example)\n\n  *A, B*",
            "A Long Title",
            "",
            "NeurIPS, 2022. A, B",
        ),
        ("A Plain Title. [[PDF]](https://a.example)", "A Plain Title", "", ""),
        ("[pdf](https://a.example)", "pdf", "", ""),
    ],
)
def test_an_item_gives_title_label_and_note(item, title, label, note):
    _, place = one(f"- {item}\n")
    assert (place.title, place.label, place.note) == (title, label, note)


@pytest.mark.parametrize(
    ("item", "url", "also"),
    [
        ("[N](https://n.example): [paper](https://p.example) [code](https://c.example)", 0, (1, 2)),
        ("[v](https://n.example) [N](https://p.example) - It is the second. [c](https://c.example)", 1, (0, 2)),
        ("[N](https://n.example) ([docs](https://p.example)) - A note, [more](https://c.example).", 0, (1, 2)),
        (
            "[N](https://n.example). It extends [a much older thing that came before](https://p.example) - and more.",
            0,
            (1,),
        ),
        ("[![b](https://img.shields.io/b.svg)](https://travis-ci.org/x) [N](https://p.example) - Note.", 1, ()),
        ("[![Logo](https://n.example/logo.png)](https://n.example) [N](https://p.example)", 1, (0,)),
        ("[N](https://n.example) [again](http://www.n.example/) [N2](https://p.example)", 0, (1,)),
        ("[inside](#x) [N](https://n.example) [rel](a.md) [mail](mailto:a@b.c)", 0, ()),
        ('<a href="https://n.example">N</a> - Note <a href="https://p.example">p</a>', 0, (1,)),
    ],
)
def test_the_primary_link_is_kept_apart_from_the_others(item, url, also):
    hosts = ("https://n.example", "https://p.example", "https://c.example")
    entry = parse(f"- {item}\n").entries[0]
    assert entry.url == hosts[url]
    assert entry.also == tuple(hosts[n] for n in also)


@pytest.mark.parametrize(
    "note_end",
    [
        ": [paper](https://p.example) [code](https://c.example)",
        " - [paper](https://p.example), [code](https://c.example)",
        " ([paper](https://p.example) | [code](https://c.example))",
        " [[paper](https://p.example)] [[code](https://c.example)]",
    ],
)
def test_links_that_only_say_paper_or_code_leave_no_litter_in_the_note(note_end):
    entry = parse(f"- [Name](https://n.example){note_end}\n").entries[0]
    assert entry.note == ""
    assert entry.also == ("https://p.example", "https://c.example")


def test_a_generic_word_in_a_sentence_stays():
    assert one("- [N](https://n.example) - Get the [code](#x) today.")[1].note == "Get the code today."


def test_bracketed_links_before_the_separator_stay_out_of_the_note():
    entry, place = one("- [a/zero](https://n.example) [[zero](https://p.example)] - Parses binary data.")
    assert place.note == "Parses binary data."
    assert entry.also == ("https://p.example",)


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("# T\n## A\n### B\n- [N](https://n.example)", ("A", "B")),
        ("# T\n## A\n### B\n## C\n- [N](https://n.example)", ("C",)),
        ("# T\n## A\n##### B\n- [N](https://n.example)", ("A", "B")),
        ("T\n===\nA\n---\n- [N](https://n.example)", ("A",)),
        ("## [A](#a) `b`\n- [N](https://n.example)", ("A b",)),
        ("## A :rocket:\n- [N](https://n.example)", ("A",)),
        ("## A <a name='x'></a>\n- [N](https://n.example)", ("A",)),
        ("## A\n- Group:\n  - [N](https://n.example)", ("A", "Group")),
        ("## A\n- **Group**\n  - Sub\n    - [N](https://n.example)", ("A", "Group", "Sub")),
        ("## A\n- [Group](#group)\n  - [N](https://n.example)", ("A", "Group")),
        (
            "## A\n<details><summary><b>More</b> things</summary>\n\n- [N](https://n.example)\n\n</details>",
            ("A", "More things"),
        ),
        ("## A\n<details><summary>Click to expand</summary>\n\n- [N](https://n.example)\n\n</details>", ("A",)),
        ("## A\n<details>\n\n### B\n</details>\n\n- [N](https://n.example)", ("A",)),
        ("- [N](https://n.example)", ()),
        ("<h2>A</h2>\n<ul><li><a href='https://n.example'>N</a></ul>", ("A",)),
        ("# T\n# A\n- [N](https://n.example)\n\n# B\n- [M](https://m.example)", ("A",)),
    ],
)
def test_sections_are_the_headings_above(text, sections):
    assert parse(text).entries[0].places[0].sections == sections


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A Title\n- [N](https://n.example)", "A Title"),
        ("A *Title*\n===\n- [N](https://n.example)", "A Title"),
        ("<h1 align=center>A Title</h1>\n\n- [N](https://n.example)", "A Title"),
        ("# ![A Title](logo.png)\n- [N](https://n.example)", "A Title"),
        ("<p><img src=logo.svg alt='A Title'></p>\n\n## S\n- [N](https://n.example)", "A Title"),
        ("# An advert\ntext\n\n# A Title\n- [N](https://n.example)", "A Title"),
        ("---\ntitle: front matter\n---\n# A Title\n- [N](https://n.example)", "A Title"),
        ("- [N](https://n.example)", "named"),
    ],
)
def test_the_title_of_a_list(text, title):
    assert parse(text, name="named").title == title


def test_a_table_row_is_an_entry_with_the_other_cells_as_note():
    entry, place = one(
        "| Name | Description | Licence | Code |\n|-|-|-|-|\n"
        "| [N](https://n.example) | What it is about. | MIT | [code](https://c.example) |\n"
    )
    assert place.title == "N"
    assert place.note == "What it is about. — Licence: MIT"
    assert entry.also == ("https://c.example",)


def test_a_row_whose_link_says_only_link_is_named_by_its_first_cell():
    _, place = one("| Name | About | Where |\n|-|-|-|\n| The Tool | What it is. | [link](https://n.example) |\n")
    assert (place.title, place.note) == ("The Tool", "What it is.")


def test_a_row_is_named_by_the_link_with_a_name_wherever_it_stands():
    _, place = one("| Date | By | Paper |\n|-|-|-|\n| 2022-06 | Someone | [The Paper](https://n.example) |\n")
    assert (place.title, place.note) == ("The Paper", "Date: 2022-06 — By: Someone")


def test_html_tables_lists_and_definitions_are_read_like_markdown():
    listing = read_list(LISTS / "html.md")
    assert listing.title == "A List in HTML"
    found = [(e.title, e.url, e.places[0].label, e.note) for e in listing.entries]
    assert found == [
        ("One & only", "https://one.example/?a=1&b=2", "", "First of all."),
        ("Two", "https://two.example/", "Textbook", ""),
        ("Three", "https://three.example/", "", "Nested."),
        ("Four", "https://four.example/", "", "In a table."),
        ("Five", "https://five.example/", "", "Defined."),
    ]
    assert all(e.sections == (("Tools",),) for e in listing.entries)


def test_lists_in_chinese_and_japanese():
    listing = read_list(LISTS / "cjk.md")
    assert listing.title == "資料一覧"
    assert [(e.title, e.note) for e in listing.entries][:2] == [
        ("道具箱", "何でも入る箱。"),
        ("深度学习", "一篇综述。"),
    ]
    assert listing.entries[2].url == "https://xiazai.example/file"


def test_one_address_is_one_entry_with_every_place():
    listing = parse(
        "# T\n## A\n- [First](https://n.example/x) - One.\n## B\n- [Second](http://www.n.example/x/) - Two. [c](https://c.example)\n"
    )
    (entry,) = listing.entries
    assert entry.url == "https://n.example/x"
    assert entry.titles == ("First", "Second")
    assert entry.sections == (("A",), ("B",))
    assert entry.notes == ("One.", "Two. c")
    assert entry.also == ("https://c.example",)
    assert [p.line for p in entry.places] == [3, 5]


def test_ids_do_not_depend_on_order_title_note_or_section():
    text = ["- [A](https://a.example) - x", "- [B](https://b.example) - y", "- [C](https://c.example)"]
    changed = ["## New", "- [C2](http://www.c.example/)", "- [B](https://b.example) - z", "- [A](https://a.example)"]
    assert {e.id for e in parse("\n".join(text)).entries} == {e.id for e in parse("\n".join(changed)).entries}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_byte_order_mark_change_nothing(ending):
    text = (LISTS / "shapes.md").read_text(encoding="utf-8")
    assert parse("\ufeff" + text.replace("\n", ending)) == parse(text)


def test_the_name_of_the_list_stands_in_every_place():
    assert {p.list_name for e in parse("- [A](https://a.example)", name="mine").entries for p in e.places} == {"mine"}


def test_every_line_of_the_shapes_list_is_an_entry_or_is_counted():
    text = (LISTS / "shapes.md").read_text(encoding="utf-8")
    listing = parse(text)
    placed = {p.line for e in listing.entries for p in e.places}
    skipped = {s.line: s.reason for s in listing.skipped}
    assert skipped == {
        3: "nothing but images and badges",
        5: "relative link",
        9: "in-page link",
        10: "in-page link",
        28: "mail address",
        29: "relative link",
        41: "a heading's link",
        78: "a reference that nothing uses",
    }
    linked = {
        n
        for n, line in enumerate(text.splitlines(), 1)
        if ("](" in line or "://" in line or "][" in line) and not line.startswith("[ref]")
    }
    assert linked == placed | set(skipped)


def test_deep_lists_keep_their_items():
    text = "".join("  " * n + f"- [N{n}](https://n{n}.example)\n" for n in range(40))
    assert titles(text) == [f"N{n}" for n in range(40)]


def test_links_in_code_and_comments_are_none():
    text = "```\n- [A](https://a.example)\n```\n\n- `https://b.example`\n\n<!-- [C](https://c.example) -->\n\n- [D](https://d.example)"
    assert titles(text) == ["D"]
