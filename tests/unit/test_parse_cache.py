"""A list is parsed once a version, and what was kept is what the parser says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import ListError
from accelrag.listing import Listing, decode_list, parse
from accelrag.listing.parse_cache import WORTH_KEEPING, parsed_once

SHAPES = (Path(__file__).parents[1] / "fixtures" / "lists" / "shapes.md").read_text(encoding="utf-8")


def large(line: str = "") -> bytes:
    return (SHAPES + "\n" * WORTH_KEEPING + line).encode()


class Parser:
    """Counts how often it is asked."""

    def __init__(self, data: bytes, name: str = "") -> None:
        self.data, self.name, self.asked = data, name, 0

    def __call__(self) -> Listing:
        self.asked += 1
        return decode_list(self.data, "a list", name=self.name)


def test_a_large_list_is_parsed_once_and_reads_back_equal(tmp_path):
    parser = Parser(large(), "shapes")
    first = parsed_once(parser.data, "shapes", tmp_path, parser)
    again = parsed_once(parser.data, "shapes", tmp_path, parser)
    assert parser.asked == 1
    assert again == first == decode_list(parser.data, "a list", name="shapes")
    assert again.entries
    assert again.skipped


@given(st.lists(st.text(), max_size=8))
def test_any_text_reads_back_as_it_was_parsed(tmp_path_factory, lines):
    text = "\n".join(f"- [{line}](https://example.org/{n}) - {line}" for n, line in enumerate(lines))
    data = text.encode("utf-8", "replace") + b"\n" * WORTH_KEEPING
    folder = tmp_path_factory.mktemp("parses")
    listing = parse(data.decode(), name="any")
    for _ in range(2):
        assert parsed_once(data, "any", folder, lambda: listing) == listing


def test_another_version_another_name_and_a_small_list_are_parsed_anew(tmp_path):
    for data, name in ((large(), ""), (large("- [New](https://example.org/new) - Note."), ""), (large(), "other")):
        parser = Parser(data, name)
        assert parsed_once(data, name, tmp_path, parser).entries[0].lists == (name,)
        assert parser.asked == 1
    small = Parser(SHAPES.encode())
    for _ in range(2):
        parsed_once(small.data, "", tmp_path, small)
    assert small.asked == 2


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"title": "", "entries": [[1]], "skipped": []}', b"\xff\x00"])
def test_a_damaged_file_costs_the_time_to_parse_and_nothing_else(tmp_path, junk):
    parser = Parser(large())
    right = parsed_once(parser.data, "", tmp_path, parser)
    (kept,) = tmp_path.glob("*.json")
    kept.write_bytes(junk)
    assert parsed_once(parser.data, "", tmp_path, parser) == right
    assert parsed_once(parser.data, "", tmp_path, parser) == right
    assert parser.asked == 2


def test_where_nothing_can_be_kept_the_list_is_parsed(tmp_path):
    (tmp_path / "file").write_text("in the way")
    parser = Parser(large())
    assert parsed_once(parser.data, "", tmp_path / "file" / "lists", parser).entries


def test_what_is_no_list_is_never_kept(tmp_path):
    data = b"no link at all\n" * WORTH_KEEPING
    for _ in range(2):
        with pytest.raises(ListError):
            parsed_once(data, "", tmp_path, Parser(data))
    assert not list(tmp_path.iterdir())


def test_a_kept_list_that_nobody_reads_for_a_month_is_removed(tmp_path):
    old = Parser(large("old"))
    parsed_once(old.data, "", tmp_path, old)
    (kept,) = tmp_path.glob("*.json")
    os.utime(kept, (0, 0))
    new = Parser(large("new"))
    parsed_once(new.data, "", tmp_path, new)
    assert kept not in list(tmp_path.glob("*.json"))
