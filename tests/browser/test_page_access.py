"""The page for everyone: no serious or critical violation of axe-core, in light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from page_server import PageServer
from page_steps import ask

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]


def violations(page: Any) -> list[str]:
    from axe_core_python.sync_playwright import Axe

    found = Axe().run(page)
    return [
        f"{v['id']}: {v['help']} {[(n['html'][:160], n['failureSummary'][-140:]) for n in v['nodes'][:6]]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_serious_violation(server: PageServer, visit: Visit, scheme: str, width: int) -> None:
    page = visit(server.url, width=width, scheme=scheme)
    page.locator("[data-example]").first.wait_for()
    assert violations(page) == []
    turn = ask(page, "How far does PageTable Attention cut the waste of KV cache memory?")
    assert violations(page) == []
    turn.locator(".cite").last.click()
    page.locator("#proof mark.quote").first.wait_for()
    page.wait_for_timeout(300)  # the sheet of a phone slides in, and is seen through until then
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Options").click()
    ask(page, "Who won the football world cup of 1990?", "refused")
    assert violations(page) == []
    page.get_by_role("tab", name="Explore").click()
    page.locator("#map .dot").first.wait_for()
    page.locator("#rows button", has_text="DRAMpipe").click()
    page.locator("#entry h2").wait_for()
    assert violations(page) == []
    page.get_by_role("tab", name="Library").click()
    page.locator(".figure").first.wait_for()
    assert violations(page) == []
