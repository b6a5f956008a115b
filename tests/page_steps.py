"""What a person does on the page, in words."""

from __future__ import annotations

from typing import Any

QUESTION = "#question textarea"


def ask(page: Any, question: str, state: str = "answered") -> Any:
    """Type, press Enter, wait for the turn to end; the turn."""
    page.fill(QUESTION, question)
    page.press(QUESTION, "Enter")
    return ended(page, question, state)


def ended(page: Any, question: str, state: str = "answered") -> Any:
    """The current turn once it is about the question and has ended."""
    turn = page.locator(f"#current article.turn.{state}").filter(has=page.locator(".question", has_text=question))
    turn.wait_for()
    return turn


def only_in(page: Any, field: str, name: str) -> None:
    """Open the options and restrict questions to a section or a kind; ``field`` is 'sections' or 'kinds'."""
    page.get_by_role("button", name="Options").click()
    page.locator(f"#{field} input").click()
    page.get_by_role("option", name=name).click()
    page.keyboard.press("Escape")


def shown_quotes(page: Any) -> list[str]:
    """The marked quotes of the proof that is shown."""
    return page.locator("#proof mark.quote").evaluate_all("marks => marks.map((m) => m.textContent)")
