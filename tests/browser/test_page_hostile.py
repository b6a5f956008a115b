"""Hostile text from list, documents, question and model shows as text, runs nothing and loads nothing.

``visit`` fails each test for a dialog, a script error or a request to elsewhere; ``window.hacked`` must stay unset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from accelrag.pipeline import build_index
from accelrag.settings import Settings
from fake_llm import FakeLLM, say
from page_home import fill_corpus
from page_server import PageServer
from page_steps import QUESTION, ask, ended, shown_quotes

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]

PAYLOADS = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "<img src=http://outside.example/pixel.png>",
    "<style>body{display:none}</style>",
    "<svg onload=window.hacked=1>",
    "![pixel](http://outside.example/pixel.png)",
    "[press](javascript:window.hacked=1)",
    "${window.hacked=1}",
    "{{constructor.constructor('window.hacked=1')()}}",
    '"><iframe src=http://outside.example/></iframe>',
)
URL = "https://github.com/example/wurzel"
HOSTILE_LIST = f"""# Hostile <script>window.hacked=1</script> list

## Engines &lt;img src=x onerror=window.hacked=1&gt;

- [Wurzel &lt;script&gt;window.hacked=1&lt;/script&gt; engine]({URL}) — \
The wurzel engine \\<img src=x onerror=window.hacked=1\\> sorts \
turnips. \u202eevitaerc\u202c
- [Kohl mill](https://example.org/kohl?a="onmouseover="window.hacked=1) — A mill for cabbage \
`${{window.hacked=1}}` and `{{{{constructor}}}}`.
- [Press me](javascript:window.hacked=1) — A link that is none.
- [Long {"rutabaga " * 4000}](https://example.org/long) — An entry with a title of {9 * 4000:,} characters.
"""
SENTENCE = "The wurzel engine sorts 4,217 turnips an hour with "
DOCUMENT = "# Wurzel\n\n" + "\n\n".join(f"{SENTENCE}{payload} inside." for payload in PAYLOADS)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PageServer, FakeLLM]]:
    home = tmp_path_factory.mktemp("hostile") / "home"
    fill_corpus(home, HOSTILE_LIST, {URL: ("readme", DOCUMENT)})
    build_index(Settings(home=home))
    with FakeLLM([say("unset")]) as model:
        env = {"OPENAI_BASE_URL": model.url, "ACCELRAG_LLM": "openai:fake"}
        with PageServer(home, "--rate-limit", "0", env=env) as server:
            yield server, model


def unharmed(page: Any) -> None:
    assert page.evaluate("window.hacked") is None
    assert (
        page.locator("#current script, #proof script, #entry script, #current img, #proof img, #entry img").count()
        == 0
    )
    assert page.locator("iframe").count() == 0
    assert page.locator('a[href^="javascript:" i]').count() == 0
    assert page.locator("h1").is_visible()


def test_hostile_lists_and_documents_show_as_text(hostile: tuple[PageServer, FakeLLM], visit: Visit) -> None:
    server, model = hostile
    model.replies[:] = [say("\n".join(f"{SENTENCE}{payload} inside. [1]" for payload in PAYLOADS))]
    page = visit(server.url)
    turn = ask(page, "How many turnips does the wurzel engine sort an hour?")
    for number in range(turn.locator(".cite").count()):
        turn.locator(".cite").nth(number).click()
        assert all("turnips" in quote or "Wurzel" in quote for quote in shown_quotes(page))
    unharmed(page)
    assert "<script>" in page.locator("body").inner_text()
    page.get_by_role("tab", name="Explore").click()
    page.locator("#map .dot").first.wait_for()
    page.locator("#rows button", has_text="Wurzel").click()
    page.locator("#entry .document").wait_for()
    assert "<style>body{display:none}</style>" in page.locator("#entry .document").inner_text()
    assert "\u202e" not in page.locator("#entry").inner_text()
    for dot in page.locator("#map .dot").all():
        dot.hover(force=True)
    assert page.locator("#rows").evaluate("rows => rows.scrollWidth <= rows.clientWidth + 1")
    unharmed(page)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_hostile_question_shows_as_text(hostile: tuple[PageServer, FakeLLM], visit: Visit, payload: str) -> None:
    server, model = hostile
    model.replies[:] = [say(f"{SENTENCE}{payload} inside. [1]")]
    page = visit(server.url)
    question = f"How many turnips does the wurzel engine sort {payload}"
    page.fill(QUESTION, question)
    page.press(QUESTION, "Enter")
    shown = page.locator("#current article.turn:not(.asking) .question")
    shown.wait_for()
    assert shown.inner_text() == question
    unharmed(page)


def test_a_hostile_address_shows_as_text(hostile: tuple[PageServer, FakeLLM], visit: Visit) -> None:
    server, model = hostile
    model.replies[:] = [say(f"{SENTENCE}{PAYLOADS[0]} inside. [1]")]
    page = visit(
        f"{server.url}?q=turnips%20%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E&section=%3Cscript%3E&entry=%22"
    )
    page.locator("#current article.turn:not(.asking)").wait_for()
    unharmed(page)


def test_a_model_that_answers_in_markup_is_shown_as_text(hostile: tuple[PageServer, FakeLLM], visit: Visit) -> None:
    server, model = hostile
    model.replies[:] = [
        say("".join(PAYLOADS) + " The wurzel engine sorts turnips [1]. <script>window.hacked=1</script>")
    ]
    page = visit(server.url)
    page.fill(QUESTION, "What does the wurzel engine sort?")
    page.press(QUESTION, "Enter")
    page.locator("#current article.turn:not(.asking)").wait_for()
    unharmed(page)


def test_a_question_of_a_million_characters_gets_a_clear_answer(
    hostile: tuple[PageServer, FakeLLM], visit: Visit
) -> None:
    server, _ = hostile
    page = visit(server.url)
    page.evaluate(
        """() => { const box = document.querySelector('#question textarea');
        const proto = HTMLTextAreaElement.prototype;
        Object.getOwnPropertyDescriptor(proto, 'value').set.call(box, 'turnip '.repeat(142858));
        box.dispatchEvent(new Event('input', {bubbles: true})); }"""
    )
    page.locator("#ask").click()
    turn = ended(page, "turnip", "failed")
    assert "1,000,00" in turn.inner_text()
    model_free = ask(page, "Who won the football world cup of 1990?", "refused")
    assert model_free.locator(".refusal").is_visible()
