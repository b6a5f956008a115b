"""The page under load, and how long a visitor waits.

    python benchmarks/page_load.py --home HOME [--people 50] [--seconds 60] [--no-browser]

Fifty people ask in a loop without a pause: every answer must be one, and the server's memory stays where it was after
the first round. With Chromium: first paint of the page, its question box, and the first answer from pressing Enter.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from page_client import PageClient, state_of
from page_server import PageServer

QUESTIONS = (
    "What does PagedAttention do about wasted GPU memory?",
    "Which simulator models DRAM?",
    "What should I read first on quantization?",
    "Who won the football world cup of 1990?",
)


def memory(pid: int) -> float:
    """Resident memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def hammer(url: str, people: int, seconds: float, pid: int) -> dict[str, Any]:
    """Let many people ask at once until the time is over."""
    end = time.monotonic() + seconds
    waits: list[float] = []
    states: dict[str, int] = {}
    sizes: list[float] = []

    async def person(http: httpx.AsyncClient, number: int) -> None:
        client = await PageClient(url, http, name=f"person{number}-").open()
        turn = number
        while time.monotonic() < end:
            started = time.monotonic()
            state = state_of(await client.ask(QUESTIONS[turn % len(QUESTIONS)]))
            waits.append(time.monotonic() - started)
            states[state] = states.get(state, 0) + 1
            turn += 1

    async def watch() -> None:
        while time.monotonic() < end:
            sizes.append(memory(pid))
            await asyncio.sleep(seconds / 12)

    limits = httpx.Limits(max_connections=people * 2)
    async with httpx.AsyncClient(timeout=120, limits=limits) as http:
        await asyncio.gather(watch(), *(person(http, n) for n in range(people)))
    waits.sort()
    return {
        "people": people,
        "questions": len(waits),
        "states": states,
        "per_second": round(len(waits) / seconds, 1),
        "wait_median_s": round(statistics.median(waits), 2),
        "wait_p95_s": round(waits[int(0.95 * len(waits))], 2),
        "memory_mb": [round(size) for size in sizes],
    }


def looked_at(url: str, chromium: str) -> dict[str, Any]:
    """First paint, question box and first answer in Chromium, in seconds."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        rounds = []
        for _ in range(3):
            page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
            started = time.monotonic()
            page.goto(url, wait_until="commit")
            page.wait_for_selector("#question textarea")
            box = time.monotonic() - started
            paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime") / 1000
            page.fill("#question textarea", QUESTIONS[0])
            started = time.monotonic()
            page.press("#question textarea", "Enter")
            page.wait_for_selector("#current .turn.answered")
            rounds.append((paint, box, time.monotonic() - started))
        browser.close()
    names = ("first_paint_s", "question_box_s", "first_answer_s")
    return {name: [round(r[i], 2) for r in rounds] for i, name in enumerate(names)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--no-browser", action="store_true")
    given = parser.parse_args()
    with PageServer(given.home, "--rate-limit", "0") as server:
        found = {} if given.no_browser else looked_at(server.url, given.chromium)
        found |= asyncio.run(hammer(server.url, given.people, given.seconds, server.pid))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
