from __future__ import annotations

import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.cli.console import coloured, json_line, safe


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text):
    for c in safe(text):
        assert c in "\n\t" or c.isprintable() or unicodedata.category(c) == "Zs"


@given(st.text())
def test_what_is_safe_stays_as_it_is(text):
    assert safe(safe(text)) == safe(text)


def test_escapes_and_direction_marks_are_taken_out():
    assert safe("a\x1b[31mred\x07\x9b2J\u202eb\u200dc") == "a [31mred  2Jbc"


@given(st.text())
def test_json_is_the_same_value_without_a_character_that_steers_a_terminal(text):
    line = json_line({"t": text})
    assert json.loads(line) == {"t": text}
    assert line.isprintable()


def test_json_keeps_letters_of_every_script():
    assert json_line(["量化", "é"]) == '["量化", "é"]'


@pytest.mark.parametrize(
    ("environ", "tty", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_is_decided_by_variables_then_by_the_terminal(environ, tty, wanted):
    assert coloured(Terminal() if tty else io.StringIO(), environ) is wanted
