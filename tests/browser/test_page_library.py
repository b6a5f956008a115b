"""The library: what is here, building it, and an index that is replaced while the page is open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accelrag.pipeline import build_index
from accelrag.settings import Settings
from page_home import PAGE_LIST, fill_corpus
from page_server import PageServer
from page_steps import QUESTION, ask, ended

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]
Serving = Callable[..., PageServer]
MORE = "- [Sandpile](https://github.com/example/sandpile) — A simulator of granular avalanches in silos.\n"
SAND = "Which simulator models granular avalanches?"


def test_a_replaced_index_answers_without_a_restart(fresh_home: Path, serving: Serving, visit: Visit) -> None:
    server = serving(fresh_home)
    page = visit(server.url)
    ask(page, "Which cycle-accurate simulator models DRAM?")
    with (fresh_home / "corpus" / "test-chips.md").open("a", encoding="utf-8") as stream:
        stream.write(MORE)
    build_index(Settings(home=fresh_home))
    turn = ask(page, SAND)
    assert "Sandpile" in turn.locator(".card.cited").first.inner_text()
    page.get_by_role("tab", name="Explore").click()
    page.locator('#map .dot[data-title="Sandpile"]').wait_for()


def test_the_library_is_indexed_from_the_page(fresh_home: Path, serving: Serving, visit: Visit) -> None:
    server = serving(fresh_home)
    page = visit(server.url)
    with (fresh_home / "corpus" / "test-chips.md").open("a", encoding="utf-8") as stream:
        stream.write(MORE)
    page.get_by_role("tab", name="Library").click()
    page.locator(".figure", has_text="Entries").wait_for()
    page.get_by_role("button", name="Index again").click()
    page.locator(".job.done").wait_for()
    assert "Indexed 7 entries" in page.locator(".job").inner_text()
    page.get_by_role("tab", name="Ask").click()
    assert "Sandpile" in ask(page, SAND).inner_text()


def test_the_first_question_builds_the_index(real_home: Path, tmp_path: Path, serving: Serving, visit: Visit) -> None:
    home = tmp_path / "home"
    fill_corpus(home, PAGE_LIST, {})
    server = serving(home)
    page = visit(server.url)
    page.fill(QUESTION, "Which cycle-accurate simulator models DRAM?")
    page.press(QUESTION, "Enter")
    page.get_by_text("There is no index yet: building it.").wait_for()
    page.set_default_timeout(120_000)
    turn = ended(page, "Which cycle-accurate simulator models DRAM?")
    assert "DRAMpipe" in turn.inner_text()


def test_a_reader_with_a_login_does_not_see_the_library(
    fresh_home: Path, serving: Serving, visit: Visit, tmp_path: Path
) -> None:
    from accelrag.ui.logins import hashed_login

    logins = tmp_path / "logins"
    lines = [hashed_login("reader", "first"), hashed_login("keeper", "second", admin=True)]
    logins.write_text("\n".join(lines), encoding="utf-8")
    server = serving(fresh_home, "--auth", str(logins))
    for user, password, seen in (("reader", "first", 0), ("keeper", "second", 1)):
        page = _logged_in(visit, server, user, password)
        ask(page, "Which cycle-accurate simulator models DRAM?")
        assert page.get_by_role("tab", name="Library").count() == seen


def _logged_in(visit: Visit, server: PageServer, user: str, password: str) -> Any:
    def login(page: Any) -> None:
        page.locator("input").nth(0).fill(user)
        page.locator("input").nth(1).fill(password)
        page.get_by_role("button", name="Login").click()

    # Not from this machine, as a proxy on it tells: only the admin's login opens the library.
    return visit(server.url, before=login, headers={"X-Forwarded-For": "203.0.113.9"})
