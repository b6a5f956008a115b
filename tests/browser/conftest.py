"""Chromium against the real page. A request to elsewhere, a console or a script error fails each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLLM
from page_home import indexed_home
from page_server import PageServer

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def real_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test list with its texts, indexed with the default encoder."""
    return indexed_home(tmp_path_factory.mktemp("page") / "home")


@pytest.fixture
def fresh_home(real_home: Path, tmp_path: Path) -> Path:
    """A copy that a test may change. Times are kept, so the index still knows its files."""
    shutil.copytree(real_home, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture(scope="session")
def server(real_home: Path) -> Iterator[PageServer]:
    """One page for all tests that change nothing."""
    with PageServer(real_home, "--rate-limit", "0") as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Watched:
    """What pages asked for and complained about."""

    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        page.on("request", self._request)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", self._dialog)

    def _request(self, request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:", "about:")):
            self.outside.append(request.url)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _dialog(self, dialog: Any) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def serving() -> Iterator[Callable[..., PageServer]]:
    """``serving(home, *flags, env=)`` starts a page that outlives the browser's pages, so none sees it end."""
    with ExitStack() as running:
        yield lambda home, *flags, **given: running.enter_context(PageServer(home, *flags, **given))


@pytest.fixture
def scripted() -> Iterator[Callable[..., FakeLLM]]:
    """``scripted(replies)`` starts a language model server that outlives the page that asks it."""
    with ExitStack() as running:
        yield lambda replies: running.enter_context(FakeLLM(replies))


@pytest.fixture
def visit(chromium: Any, scripted: Any, serving: Any) -> Iterator[Callable[..., Any]]:
    """``visit(url, width=, height=, scheme=)`` opens a page in a browser session of its own."""
    watched = Watched()
    contexts = []

    def open_page(
        url: str,
        *,
        width: int = 1280,
        height: int = 860,
        scheme: str = "light",
        before: Callable[[Any], None] = lambda _: None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, extra_http_headers=headers
        )
        context.set_default_timeout(120_000)
        contexts.append(context)
        page = context.new_page()
        watched.watch(page)
        page.goto(url)
        before(page)
        page.wait_for_selector("#question textarea")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert watched.outside == []
    assert watched.errors == []
