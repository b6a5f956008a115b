"""A kill between any two file operations of an update: old or new answers, never a mix, and the next run finishes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fake_servers import Web
from followed_home import Followed, Item

CHILD = Path(__file__).parents[1] / "step_child.py"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def edition(number: int) -> list[Item]:
    return [Item(f"tool{n}", f"A tool of edition {number}.", "Odd" if number % 2 else "Even") for n in range(5)]


def killed_at_each(tmp_path, encoder, first: int, step: int) -> int:
    """Kill at every ``step``-th operation from ``first`` on; how many operations an update has at least."""
    with Web() as web:
        home = Followed(tmp_path, web, encoder, edition(1))
        home.follow()
        home.write(edition(2))
    command = [sys.executable, "-W", "ignore", CHILD, home.home, tmp_path / "tried", encoder, first, step]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    said = re.search(r"finished before operation (\d+) status 0", done.stdout)
    assert said, done.stdout
    return int(said[1])


def test_a_kill_at_every_seventeenth_operation_leaves_the_old_or_the_new_answers(tmp_path, tiny_encoder):
    assert killed_at_each(tmp_path, tiny_encoder, first=4, step=17) > 30


@pytest.mark.slow
def test_a_kill_at_every_operation_leaves_the_old_or_the_new_answers(tmp_path, tiny_encoder):
    assert killed_at_each(tmp_path, tiny_encoder, first=1, step=1) > 30
