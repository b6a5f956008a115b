"""A stop reaches the model's server, and questions that hang on a model delay nobody else's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fake_llm import FakeLLM, Reply, chunk, sse
from page_client import PageClient, state_of
from page_home import indexed_home
from page_server import PageServer

DRAM = "Which cycle-accurate simulator models DRAM?"
BEGUN = sse([chunk("DRAMpipe simulates banks, ranks and channels cycle by cycle. [1] It also ")], done=False)
PATIENCE = 20.0  # seconds; the scripted server would wait for ever


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Path:
    return indexed_home(tmp_path_factory.mktemp("stop") / "home", model=str(tiny_encoder))


@pytest.fixture(params=[Reply(then="hang"), Reply(body=BEGUN, then="hang")], ids=["silent", "begun"])
def hanging(request: pytest.FixtureRequest, home: Path, tiny_encoder: Path) -> Iterator[tuple[FakeLLM, PageServer]]:
    with FakeLLM([request.param]) as model:
        env = {"OPENAI_BASE_URL": model.url, "ACCELRAG_LLM": "openai:fake"}
        with PageServer(home, "--rate-limit", "0", model=tiny_encoder, env=env) as server:
            yield model, server


def test_a_stop_closes_the_connection_to_the_model(hanging: tuple[FakeLLM, PageServer]) -> None:
    model, server = hanging

    async def stopped() -> str:
        async with httpx.AsyncClient(timeout=60) as http:
            visitor = await PageClient(server.url, http).open()
            asking = asyncio.create_task(visitor.ask(DRAM, generator="configured"))
            await _until(lambda: len(model.requests) == 1)
            await visitor.stop()
            closed = await asyncio.to_thread(model.closed.acquire, timeout=PATIENCE)
            assert closed
            return await asking

    assert state_of(asyncio.run(stopped())) == "stopped"


def test_questions_that_hang_delay_no_question_without_a_model(hanging: tuple[FakeLLM, PageServer]) -> None:
    model, server = hanging

    async def asked() -> tuple[float, float, int]:
        async with httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=None)) as http:
            other = await PageClient(server.url, http).open()
            await other.ask(DRAM)
            alone = min([await _seconds(other) for _ in range(5)])
            visitors = [await PageClient(server.url, http).open() for _ in range(100)]
            hanging = [asyncio.create_task(v.ask(DRAM, generator="configured")) for v in visitors]
            await _until(lambda: len(model.requests) >= 8)
            beside = min([await _seconds(other) for _ in range(5)])
            most = len(model.requests)
            while left := [v for v, task in zip(visitors, hanging, strict=True) if not task.done()]:
                await asyncio.gather(*(v.stop() for v in left))  # one that is asked only now is stopped next time
                await asyncio.wait(hanging, timeout=0.2)
            assert min([await _seconds(other) for _ in range(5)]) < 4 * alone + 0.5
            return alone, beside, most

    alone, beside, most = asyncio.run(asked())
    assert beside < 4 * alone + 0.5  # with one pool for all, it waited for the model: 30 s
    assert most <= 8  # the share of one client


async def _seconds(visitor: PageClient) -> float:
    started = time.perf_counter()
    assert state_of(await visitor.ask(DRAM)) == "answered"
    return time.perf_counter() - started


async def _until(holds: object) -> None:
    for _ in range(1000):
        if holds():  # type: ignore[operator]
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")
