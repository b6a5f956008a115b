"""Where things are on the screen, at rest and scrolled, and that Gradio shows each style as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_server import PageServer
from page_steps import ask

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]
PAGES = "How far does PageTable Attention cut the waste of KV cache memory?"
# The same declarations as they were written, and as a browser gives them back: what Gradio makes of a style sheet.
DIFFERENT = """declarations => {
  const boxes = [0, 1].map(() => document.body.appendChild(document.createElement("div")));
  for (const box of boxes) box.style.cssText = "position: absolute; top: 0; left: 0; width: 500px";
  const [one, two] = boxes.map((box) => box.appendChild(document.createElement("div")));
  const lost = [];
  for (const text of declarations) {
    one.setAttribute("style", text);
    two.setAttribute("style", one.style.cssText);
    const [wanted, got] = [getComputedStyle(one), getComputedStyle(two)];
    for (const name of wanted) if (wanted[name] !== got[name]) lost.push(`${text}: ${name}`);
  }
  for (const box of boxes) box.remove();
  return lost;
}"""


def test_the_proof_stays_in_view_and_the_window_still_at_every_number(server: PageServer, visit: Visit) -> None:
    page = visit(server.url, height=420)
    for question in ("Compare FastGEMM and DRAMpipe", PAGES, "Which cycle-accurate simulator models DRAM?"):
        ask(page, question)
    numbers = page.locator("#current .cite, #past .cite")
    assert numbers.count() >= 5
    for number in range(numbers.count()):
        numbers.nth(number).evaluate("button => button.scrollIntoView({block: 'center'})")
        before = page.evaluate("scrollY")
        numbers.nth(number).click()
        assert abs(page.evaluate("scrollY") - before) <= 1
        head = page.locator("#proof .proof-title").bounding_box()
        mark = page.locator("#proof mark.quote").first.bounding_box()
        assert 0 <= head["y"] < 420
        assert 0 <= mark["y"] < 420
    assert page.evaluate("scrollY") > 300  # the last ones are far down


def test_no_declaration_is_lost_on_its_way_through_gradio(server: PageServer, visit: Visit, repository: Path) -> None:
    page = visit(server.url)
    style = (repository / "src" / "accelrag" / "ui" / "page.css").read_text(encoding="utf-8")
    declarations = [text for text in re.findall(r"\{([^{}]*)\}", style) if ":" in text and "--ar-ink:" not in text]
    assert len(declarations) > 100
    assert page.evaluate(DIFFERENT, declarations) == []


def test_a_refusal_has_its_own_border_and_a_select_its_arrow(server: PageServer, visit: Visit) -> None:
    page = visit(server.url)
    turn = ask(page, "Who won the football world cup of 1990?", "refused")
    style = turn.locator(".refusal").evaluate(
        "e => [getComputedStyle(e).borderLeftWidth, getComputedStyle(e).borderTopColor]"
    )
    assert style == ["5px", "rgb(138, 75, 0)"]
    page.get_by_role("tab", name="Explore").click()
    select = page.locator("#filters select").first
    arrow = select.evaluate("e => [getComputedStyle(e).appearance, getComputedStyle(e).backgroundImage]")
    assert arrow[0] != "none" or arrow[1] != "none"


def test_text_grows_with_the_size_that_a_reader_set(server: PageServer, visit: Visit, repository: Path) -> None:
    page = visit(server.url)
    ask(page, PAGES)
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    for shown in ("#current .question", "#current .meta", "#current .cite", "#proof .passage"):
        page.evaluate("document.documentElement.style.fontSize = ''")
        before = page.locator(shown).first.evaluate(size)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.locator(shown).first.evaluate(size) == pytest.approx(2 * before)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_phones_sheet_is_closed_by_a_tap_beside_it_and_by_back(server: PageServer, visit: Visit) -> None:
    page = visit(server.url, width=390, height=844)
    turn = ask(page, PAGES)
    number = turn.locator(".cite").last
    for leave in (lambda: page.mouse.click(195, 20), page.go_back):
        number.click()
        page.locator("#proof .proof.open mark.quote").first.wait_for()
        for _ in range(12):
            page.keyboard.press("Tab")
            assert page.evaluate(
                "document.activeElement === document.body || !!document.activeElement.closest('#proof')"
            )
        leave()
        page.locator("#proof .proof").wait_for(state="hidden")
        assert turn.is_visible()
    number.click()
    page.locator("#proof .proof.open").wait_for()
