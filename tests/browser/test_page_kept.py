"""What a person did stays: addresses, Back, a reload; filters are seen, and a new conversation drops them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from page_server import PageServer
from page_steps import QUESTION, ask, ended, only_in

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]
DRAM = "Which cycle-accurate simulator models DRAM?"
GEMM = "What does FastGEMM reach?"


def test_a_reload_keeps_the_conversation_and_its_follow_ups(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    ask(page, GEMM)
    ask(page, DRAM)
    page.wait_for_url(re.compile("DRAM"))
    page.reload()
    page.wait_for_selector(QUESTION)
    ended(page, DRAM)
    assert page.locator("#kept article.turn .question").all_inner_texts() == [GEMM]
    page.locator("#kept .cite").first.click()
    assert "FastGEMM" in page.locator("#proof .ev-title").inner_text()
    turn = ask(page, "Which memory does it support?")
    assert "DRAMpipe" in turn.locator(".card.cited").first.inner_text()


def test_back_and_forward_walk_the_questions(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    ask(page, GEMM)
    page.wait_for_url(re.compile("FastGEMM"))
    ask(page, DRAM)
    page.wait_for_url(re.compile("DRAM"))
    page.go_back()
    page.wait_for_url(re.compile("FastGEMM"))
    assert page.locator("article.turn .question").all_inner_texts() == [DRAM, GEMM]
    page.go_forward()
    page.wait_for_url(re.compile("DRAM"))
    page.go_back()
    page.go_back()
    page.wait_for_url(server.url)
    assert page.locator("article.turn").count() == 2


def test_the_address_of_a_follow_up_opens_the_same_answer(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    ask(page, DRAM)
    turn = ask(page, "Which memory does it support?")
    cited = turn.locator(".card.cited .card-title").all_inner_texts()
    page.wait_for_url(re.compile("memory"))
    again = visit(page.url)
    again.locator("#current article.turn.answered").wait_for()
    assert again.locator("#current .card.cited .card-title").all_inner_texts() == cited


def test_filters_are_seen_and_can_be_left_from_a_refusal(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    only_in(page, "kinds", "book")
    page.locator("#filter-chips .chip", has_text="book").wait_for()
    turn = ask(page, "Who won the football world cup of 1990?", "refused")
    assert "No answer among: book" in turn.inner_text()
    assert "in this list" not in turn.inner_text()
    turn.get_by_role("button", name="Ask the whole list").click()
    page.locator("#current .turn.refused .refusal-head", has_text="No answer in this list").wait_for()
    page.locator("#filter-chips .chip").wait_for(state="detached")


def test_a_new_conversation_forgets_filters_turns_and_the_address(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    only_in(page, "sections", "Simulators")
    ask(page, DRAM)
    page.get_by_role("button", name="New conversation").click()
    page.locator("#filter-chips .chip").wait_for(state="detached")
    page.wait_for_url(server.url)
    page.reload()
    page.wait_for_selector(QUESTION)
    page.locator("[data-example]").first.wait_for()
    assert page.locator("article.turn").count() == 0
