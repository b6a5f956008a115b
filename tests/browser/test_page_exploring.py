"""The map, the table and the way from an entry back to a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from page_server import PageServer
from page_steps import QUESTION, ask

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]


def explored(page: Any) -> Any:
    page.get_by_role("tab", name="Explore").click()
    page.locator("#map .dot").first.wait_for()
    return page


def test_the_map_shows_each_entry_and_opens_it(server: PageServer, visit: Visit) -> None:
    page = explored(visit(server.url))
    assert page.locator("#map .dot").count() == 6
    dot = page.locator('#map .dot[data-title="DRAMpipe"]')
    dot.hover(force=True)
    assert "cycle-accurate DRAM simulator" in page.locator("#map-tip").inner_text()
    dot.click(force=True)
    page.locator("#entry h2", has_text="DRAMpipe").wait_for()
    entry = page.locator("#entry").inner_text()
    assert "It supports DDR5 and HBM3." in entry
    assert page.locator("#entry .neighbours li").count() > 0


def test_the_map_is_walked_with_the_keyboard(server: PageServer, visit: Visit) -> None:
    page = explored(visit(server.url))
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    title = page.locator("#map-tip strong").inner_text()
    page.keyboard.press("Enter")
    page.locator("#entry h2", has_text=title).wait_for()


def test_the_last_question_is_drawn_into_the_map(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    ask(page, "Which cycle-accurate simulator models DRAM?")
    explored(page)
    page.locator("#asked-mark .ring").wait_for(state="attached")
    assert page.locator("#asked .ray.cited").count() >= 1


def test_the_table_filters_by_text_section_kind_and_coverage(server: PageServer, visit: Visit) -> None:
    page = explored(visit(server.url))
    rows = page.locator("#rows tbody tr")
    assert rows.count() == 6
    page.fill('#filters input[name="text"]', "cycle-accurate")
    page.locator("#rows .count", has_text="1 of 6").wait_for()
    assert "DRAMpipe" in rows.inner_text()
    page.fill('#filters input[name="text"]', "")
    page.locator("#rows .count", has_text="6 entries").wait_for()
    page.select_option('#filters select[name="section"]', "Attention")
    page.locator("#rows .count", has_text="2 of 6").wait_for()
    page.select_option('#filters select[name="coverage"]', "abstract")
    page.locator("#rows .count", has_text="1 of 6").wait_for()
    page.select_option('#filters select[name="kind"]', "repository")
    page.get_by_text("Nothing fits these filters.").wait_for()
    assert page.locator("#map .dot.dim").count() == 6


def test_ask_about_this_asks_that_entry_only(server: PageServer, visit: Visit) -> None:
    page = explored(visit(server.url))
    page.locator("#rows button", has_text="FastGEMM").click()
    page.get_by_role("button", name="Ask about this").click()
    assert page.locator("#scope-chip").is_visible()
    page.wait_for_function(f"document.activeElement === document.querySelector('{QUESTION}')")
    turn = ask(page, "What peak does it reach?")
    assert set(turn.locator(".card.cited .card-title").all_inner_texts()) == {"FastGEMM"}
    assert "only in: FastGEMM" in turn.inner_text()
    page.locator("#scope-chip button").click()
    turn = ask(page, "Which cycle-accurate simulator models DRAM?")
    assert "DRAMpipe" in turn.locator(".card.cited").first.inner_text()


def test_a_source_card_leads_to_its_entry(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    turn = ask(page, "Which cycle-accurate simulator models DRAM?")
    turn.locator(".card.cited button", has_text="Details").first.click()
    page.locator("#entry h2", has_text="DRAMpipe").wait_for()
