"""Bytes that are no list get one clear line with what to do, never a traceback."""

import codecs
from pathlib import Path

import pytest

from accelrag.errors import ListError, ListFormatError
from accelrag.listing import MAX_LIST_BYTES, decode_list, read_list

LISTS = Path(__file__).parents[1] / "fixtures" / "lists"
GOOD = "# T\n\n- [Name](https://n.example) - Note é 文.\n"


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        codecs.BOM_UTF8 + GOOD.encode(),
        codecs.BOM_UTF16_LE + GOOD.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + GOOD.encode("utf-16-be"),
        GOOD.replace("\n", "\r\n").encode(),
    ],
)
def test_every_usual_encoding_is_read(tmp_path, data):
    path = tmp_path / "list.md"
    path.write_bytes(data)
    listing = read_list(path, name="n")
    assert listing.title == "T"
    assert listing.entries[0].note == "Note é 文."
    assert listing == decode_list(data, "https://host.example/list.md", name="n")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b" \n\t\r\n", "is empty"),
        (codecs.BOM_UTF8, "is empty"),
        (b"\x7fELF\x01\x01\x00\x00", "binary file: a NUL byte at offset 6"),
        (b"\x89PNG\r\n\x1a\n\x00", "binary"),
        ("# T\n- [Café](https://n.example)\n".encode("latin-1"), "byte offset 10 holds e9 5d 28 68"),
        (codecs.BOM_UTF16_LE + b"a", "not UTF-16 text: byte offset 2"),
        (b"# T\n\nNo links at all.\n", "no list item, table row or paragraph with an external link"),
        (b"- [a](#a)\n- [b](b.md)\n", "2 lines hold links that are none"),
        (b"<!DOCTYPE html>\n<html><body><a href='https://n.example'>404</a></body></html>", "is an HTML page"),
        (b"\n<!-- x -->\n<HTML lang=en><a href='https://n.example'>404</a>", "is an HTML page"),
        (b"x" * (MAX_LIST_BYTES + 1), "larger than 20 MB"),
        (b"{}", "no list item"),
    ],
)
def test_what_is_no_list_is_refused_with_a_reason_and_a_next_step(data, says):
    with pytest.raises(ListError) as caught:
        decode_list(data, "the-source")
    assert says in str(caught.value)
    assert str(caught.value).startswith("the-source ")
    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(("file", "markup"), [("tools.rst", "reStructuredText"), ("tools.adoc", "AsciiDoc")])
@pytest.mark.parametrize("renamed", [False, True])
def test_other_markups_are_named(tmp_path, file, markup, renamed):
    path = LISTS / file
    if renamed:
        path = tmp_path / "README.md"
        path.write_bytes((LISTS / file).read_bytes())
    with pytest.raises(ListFormatError, match=markup) as caught:
        read_list(path)
    assert "pandoc" in caught.value.hint


def test_markdown_that_shows_some_rst_or_asciidoc_is_still_markdown():
    text = GOOD * 5 + "```\n`One <https://one.example>`_\nhttps://one.example/[One]\n== H\n```\n"
    assert len(decode_list(text.encode(), "x").entries) == 1


def test_a_missing_file_a_folder_and_a_strange_name_are_refused(tmp_path):
    with pytest.raises(ListError, match="does not exist"):
        read_list(tmp_path / "none.md")
    with pytest.raises(ListError, match="is a folder") as caught:
        read_list(tmp_path)
    assert "Markdown list" in caught.value.hint
    (tmp_path / "README.md").write_text(GOOD)
    with pytest.raises(ListError, match="is a folder") as caught:
        read_list(tmp_path)
    assert str(tmp_path / "README.md") in caught.value.hint
    with pytest.raises(ListError, match=r"cannot be read|does not exist"):
        read_list(Path("a\0b"))
    with pytest.raises(ListError):
        read_list(tmp_path / ("x" * 5000))


def test_a_large_file_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "large.md"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(ListError, match="larger than 20 MB"):
        read_list(path)
