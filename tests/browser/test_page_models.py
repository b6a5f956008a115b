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
DRAM = "Which cycle-accurate simulator models DRAM?"


def page_over(home: Path, model: FakeLLM) -> PageServer:
    env = {"OPENAI_BASE_URL": model.url, "ACCELRAG_LLM": "openai:fake"}
    return PageServer(home, "--rate-limit", "0", env=env)


def test_four_slow_answers_run_at_once(real_home: Path, visit: Visit) -> None:
    together = threading.Barrier(4, timeout=60)  # breaks, and fails the answers, unless all four are being written

    def slow(_: dict[str, Any]) -> Reply:
        together.wait()
        return say("DRAMpipe simulates banks, ranks and channels cycle by cycle. [1]")

    with FakeLLM([slow]) as model, page_over(real_home, model) as server:
        pages = [visit(server.url) for _ in range(4)]
        for page in pages:
            page.fill(QUESTION, DRAM)
            page.press(QUESTION, "Enter")
        for page in pages:
            assert "openai:fake" in ended(page, DRAM).locator(".meta").inner_text()
    assert not together.broken


def test_sentences_appear_before_the_answer_ends_and_a_stop_keeps_them(real_home: Path, visit: Visit) -> None:
    begun = sse([chunk("DRAMpipe simulates banks, ranks and channels cycle by cycle. [1] It also ")], done=False)
    with FakeLLM([Reply(body=begun, then="hang")]) as model, page_over(real_home, model) as server:
        page = visit(server.url)
        page.fill(QUESTION, DRAM)
        page.press(QUESTION, "Enter")
        page.locator("#current article.turn.asking .cite").first.wait_for()
        page.locator("#stop").click()
        turn = ended(page, DRAM, "stopped")
        assert "DRAMpipe simulates banks" in turn.inner_text()
        turn.locator(".cite").first.click()
        assert page.locator("#proof mark.quote").first.is_visible()


def test_a_model_that_says_nothing_can_be_stopped(real_home: Path, visit: Visit) -> None:
    with FakeLLM([Reply(then="hang")]) as model, page_over(real_home, model) as server:
        page = visit(server.url)
        page.fill(QUESTION, DRAM)
        page.press(QUESTION, "Enter")
        page.get_by_text("is writing…").wait_for()
        page.locator("#stop").click()
        assert "Nothing had been verified yet" in ended(page, DRAM, "stopped").inner_text()


def test_a_model_can_be_left_out_and_a_failing_one_is_told(real_home: Path, visit: Visit) -> None:
    broken = Reply(status=500, body=b"{}", kind="application/json")
    with FakeLLM([broken]) as model, page_over(real_home, model) as server:
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
