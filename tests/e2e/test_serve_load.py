"""Fifty people ask in a loop: no error, and memory that stays bounded."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import pytest

from page_home import indexed_home
from page_server import PageServer


@pytest.mark.slow
def test_fifty_people_asking_for_a_minute_see_no_error(tmp_path: Path, tiny_encoder: Path, repository: Path) -> None:
    spec = importlib.util.spec_from_file_location("page_load", repository / "benchmarks" / "page_load.py")
    assert spec is not None
    assert spec.loader is not None
    page_load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page_load)
    home = indexed_home(tmp_path / "home", model=str(tiny_encoder))
    with PageServer(home, "--rate-limit", "0", model=tiny_encoder) as server:
        found = asyncio.run(page_load.hammer(server.url, 50, 60, server.pid))
    assert set(found["states"]) <= {"answered", "refused"}
    assert found["questions"] >= 50
    grown = found["memory_mb"][-1] - found["memory_mb"][3]
    assert grown < 150, found
