"""Slow, silent and several models: nobody waits for another, a stop is heard at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLLM, Reply, chunk, say, sse
from page_server import PageServer
from page_steps import QUESTION, ask, ended

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]
Scripted = Callable[..., FakeLLM]
Over = Callable[[FakeLLM], PageServer]
DRAM = "Which cycle-accurate simulator models DRAM?"


@pytest.fixture
def page_over(real_home: Path, serving: Callable[..., PageServer]) -> Callable[[FakeLLM], PageServer]:
    def over(model: FakeLLM) -> PageServer:
        env = {"OPENAI_BASE_URL": model.url, "ACCELRAG_LLM": "openai:fake"}
        return serving(real_home, "--rate-limit", "0", env=env)

    return over


def test_four_slow_answers_run_at_once(scripted: Scripted, page_over: Over, visit: Visit) -> None:
    together = threading.Barrier(4, timeout=60)  # breaks, and fails the answers, unless all four are being written

    def slow(_: dict[str, Any]) -> Reply:
        together.wait()
        return say("DRAMpipe simulates banks, ranks and channels cycle by cycle. [1]")

    model = scripted([slow])
    server = page_over(model)
    pages = [visit(server.url) for _ in range(4)]
    for page in pages:
        page.fill(QUESTION, DRAM)
        page.press(QUESTION, "Enter")
    for page in pages:
        assert "openai:fake" in ended(page, DRAM).locator(".meta").inner_text()
    assert not together.broken


def test_sentences_appear_before_the_answer_ends_and_a_stop_keeps_them(
    scripted: Scripted, page_over: Over, visit: Visit
) -> None:
    begun = sse([chunk("DRAMpipe simulates banks, ranks and channels cycle by cycle. [1] It also ")], done=False)
    model = scripted([Reply(body=begun, then="hang")])
    server = page_over(model)
    page = visit(server.url)
    page.fill(QUESTION, DRAM)
    page.press(QUESTION, "Enter")
    page.locator("#current article.turn.asking .cite").first.wait_for()
    page.locator("#stop").click()
    turn = ended(page, DRAM, "stopped")
    assert "DRAMpipe simulates banks" in turn.inner_text()
    turn.locator(".cite").first.click()
    assert page.locator("#proof mark.quote").first.is_visible()


def test_a_model_that_says_nothing_can_be_stopped(scripted: Scripted, page_over: Over, visit: Visit) -> None:
    model = scripted([Reply(then="hang")])
    server = page_over(model)
    page = visit(server.url)
    page.fill(QUESTION, DRAM)
    page.press(QUESTION, "Enter")
    page.get_by_text("is writing…").wait_for()
    page.locator("#stop").click()
    assert "Nothing had been verified yet" in ended(page, DRAM, "stopped").inner_text()


def test_a_model_can_be_left_out_and_a_failing_one_is_told(scripted: Scripted, page_over: Over, visit: Visit) -> None:
    broken = Reply(status=500, body=b"{}", kind="application/json")
    model = scripted([broken])
    server = page_over(model)
    page = visit(server.url)
    turn = ask(page, DRAM)
    assert turn.locator(".notice").count() >= 1
    asked = len(model.requests)
    page.get_by_role("button", name="Options").click()
    page.locator("#generator input").click()
    page.get_by_role("option", name="Quotes from the sources (no model)").click()
    turn = ask(page, "What does FastGEMM reach?")
    assert "no model" in turn.locator(".meta").inner_text()
    assert len(model.requests) == asked
