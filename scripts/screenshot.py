"""The screenshots of the documentation, made from the real page.

    python scripts/screenshot.py [--home HOME] [--out docs]

Needs Chromium and ``pip install accelrag[browser]``. Without ``--home`` the usual home is shown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from accelrag.settings import Settings
from page_server import PageServer

QUESTION = "What does PagedAttention do about wasted GPU memory?"


def main() -> None:
    """Ask, show the proof of a sentence, explore; a picture of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home")
    parser.add_argument("--out", type=Path, default=Path("docs"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    home = Settings.load({"home": given.home}).home
    given.out.mkdir(parents=True, exist_ok=True)
    with PageServer(home) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=given.chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(300_000)  # the first question may build the index
        page.goto(server.url)
        page.fill("#question textarea", QUESTION)
        page.press("#question textarea", "Enter")
        page.locator("#current .turn.answered .cite").last.click()
        page.locator("#proof mark.quote").first.wait_for()
        page.mouse.move(0, 0)
        page.wait_for_timeout(400)
        page.screenshot(path=given.out / "page.png")
        page.get_by_role("tab", name="Explore").click()
        page.locator("#map .dot").first.wait_for()
        page.wait_for_timeout(400)
        page.screenshot(path=given.out / "map.png")
        browser.close()


if __name__ == "__main__":
    main()
