"""The whole path: ask, watch the answer, check its proof."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from accelrag.pipeline import Assistant
from accelrag.settings import Settings
from page_server import PageServer
from page_steps import ask, ended, only_in, shown_quotes

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]
PAGES = "How far does PageTable Attention cut the waste of KV cache memory?"


def test_pressed_number_shows_the_exact_quote_of_the_document(
    server: PageServer, visit: Visit, real_home: Path
) -> None:
    page = visit(server.url)
    turn = ask(page, PAGES)
    answer = Assistant.open(Settings(home=real_home)).ask(PAGES)
    numbered = [(s, n) for s in answer.sentences for n in s.citations]
    buttons = turn.locator(".cite")
    assert buttons.all_inner_texts() == [str(n) for _, n in numbered]
    assistant = Assistant.open(Settings(home=real_home))
    for position, (sentence, n) in enumerate(numbered):
        buttons.nth(position).click()
        quotes = [q for q in sentence.quotes if q.n == n] or [c for c in answer.citations if c.n == n]
        texts = [assistant.document(q.document).text[q.start : q.end] for q in quotes]  # type: ignore[union-attr]
        assert shown_quotes(page) == texts
        assert buttons.nth(position).get_attribute("aria-pressed") == "true"
        proof = page.locator("#proof").inner_text()
        assert answer.citations[n - 1].entry.title in proof
        assert "Kernels › Attention" in proof
        assert f"{round(sentence.support * 100)}%" in proof


def test_the_second_citation_opens_its_own_source_at_the_text(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    turn = ask(page, "Compare FastGEMM and DRAMpipe")
    second = turn.locator('.cite:text-is("2")').last
    second.click()
    assert page.locator("#proof .num").inner_text() == "2"
    title = page.locator("#proof .ev-title").inner_text()
    assert title == turn.locator('.card.cited[data-n="2"] .card-title').inner_text()
    link = page.locator("#proof .open-source")
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    address = link.get_attribute("href")
    quote = shown_quotes(page)[0]
    if "#:~:text=" in address:
        first = unquote(address.split("#:~:text=")[1].split(",")[0])
        assert quote.replace("`", "").replace("#", "").strip().startswith(first)
    assert (
        "read 2026-01-02" in page.locator("#proof").inner_text()
        or "What the list says" in page.locator("#proof").inner_text()
    )


def test_a_second_question_has_its_own_sources(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    ask(page, PAGES)
    first = page.locator("#proof").inner_text()
    turn = ask(page, "Which cycle-accurate simulator models DRAM?")
    assert "DRAMpipe" in turn.locator(".card.cited").first.inner_text()
    turn.locator(".cite").first.click()
    assert "DRAMpipe" in page.locator("#proof .ev-title").inner_text()
    assert page.locator("#proof").inner_text() != first
    earlier = page.locator("#past article.turn")
    assert earlier.count() == 1
    earlier.locator(".cite").first.click()  # the proof of an earlier answer is still its own
    assert "PageTable Attention" in page.locator("#proof .ev-title").inner_text()


def test_a_follow_up_is_understood_from_the_conversation(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    ask(page, "Which cycle-accurate simulator models DRAM?")
    turn = ask(page, "Which memory does it support?")
    assert "DRAMpipe" in turn.locator(".card.cited").first.inner_text()


def test_a_refusal_looks_different_and_offers_what_is_near(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    turn = ask(page, "Who won the football world cup of 1990?", "refused")
    assert turn.locator(".refusal").is_visible()
    assert turn.locator(".cite, .card.cited").count() == 0
    assert "Not an answer, but near" in turn.inner_text()
    assert turn.locator(".card.near").count() > 0


def test_everything_can_be_done_with_the_keyboard(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    page.keyboard.type(PAGES)  # the question box has the focus
    page.keyboard.press("Enter")
    ended(page, PAGES)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('cite')"):
            break
    reached = page.evaluate("document.activeElement.dataset.ev")
    assert reached
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('#proof') !== null")
    assert shown_quotes(page)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.ev") == reached


def test_a_phone_shows_the_proof_over_the_answer_and_lets_it_go(server: PageServer, visit: Visit) -> None:
    page = visit(server.url, width=390, height=844)
    turn = ask(page, PAGES)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not page.locator("#proof .proof").is_visible()
    turn.locator(".cite").last.click()
    page.locator("#proof .proof.open mark.quote").first.wait_for()
    box = page.locator("#proof .proof").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.locator(".proof-close").click()
    page.locator("#proof .proof").wait_for(state="hidden")


def test_two_browsers_have_separate_histories(server: PageServer, visit: Visit) -> None:
    one, two = visit(server.url), visit(server.url)
    ask(one, "Which cycle-accurate simulator models DRAM?")
    ask(two, "What does FastGEMM reach?")
    turn = ask(one, "Which memory does it support?")
    assert "DRAMpipe" in turn.locator(".card.cited").first.inner_text()
    assert one.locator("#past .question").all_inner_texts() == ["Which cycle-accurate simulator models DRAM?"]
    assert two.locator("article.turn .question").all_inner_texts() == ["What does FastGEMM reach?"]


def test_an_address_with_a_question_asks_it(server: PageServer, visit: Visit) -> None:
    page = visit(f"{server.url}?q=Which+simulator+models+DRAM%3F&section=Simulators")
    turn = ended(page, "Which simulator models DRAM?")
    assert "only in: Simulators" in turn.inner_text()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    turn.get_by_role("button", name="Copy link").click()
    page.locator("#toast.on").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    again = visit(copied)
    ended(again, "Which simulator models DRAM?")


def test_an_answer_is_copied_as_markdown_and_its_sources_as_bibtex(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    turn = ask(page, PAGES)
    turn.get_by_role("button", name="Copy as Markdown").click()
    page.locator("#toast.on").wait_for()
    markdown = page.evaluate("navigator.clipboard.readText()")
    assert "[^1]" in markdown
    assert "[^1]: [PageTable Attention](<https://arxiv.org/abs/2401.00002>)" in markdown
    turn.get_by_role("button", name="Copy BibTeX").click()
    page.wait_for_function("navigator.clipboard.readText().then((t) => t.startsWith('@'))")
    assert "author = {Ada Example}" in page.evaluate("navigator.clipboard.readText()")


def test_try_again_replaces_the_answer_and_new_conversation_forgets(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    turn = ask(page, PAGES)
    before = turn.get_attribute("data-turn")
    page.get_by_role("button", name="Try again").click()
    page.locator(f'#current article.turn.answered:not([data-turn="{before}"])').wait_for()
    assert page.locator("#past article.turn").count() == 0
    page.get_by_role("button", name="New conversation").click()
    page.locator("article.turn").first.wait_for(state="detached")
    assert page.locator("[data-example]").first.is_visible()


def test_an_example_asks_itself_and_is_answered(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    example = page.locator("[data-example]").first
    question = example.inner_text()
    example.click()
    ended(page, question)


def test_filters_restrict_the_answer(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    only_in(page, "sections", "Simulators")
    turn = ask(page, "What does FastGEMM model?")
    paths = turn.locator(".card .path").all_inner_texts()
    assert paths
    assert "only in: Simulators" in turn.inner_text()
