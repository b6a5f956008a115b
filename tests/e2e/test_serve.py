"""The page's server: what it answers before any browser is involved."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from page_client import PageClient, state_of
from page_home import indexed_home
from page_server import PageServer

DRAM = "Which cycle-accurate simulator models DRAM?"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Path:
    return indexed_home(tmp_path_factory.mktemp("serve") / "home", model=str(tiny_encoder))


@pytest.fixture(scope="module")
def open_page(served: Path, tiny_encoder: Path) -> Iterator[PageServer]:
    with PageServer(served, "--rate-limit", "5", model=tiny_encoder) as server:
        yield server


@pytest.fixture(scope="module")
def locked_page(served: Path, tiny_encoder: Path) -> Iterator[PageServer]:
    with PageServer(
        served, "--host", "0.0.0.0", "--auth", "ann:secret", "--root-path", "/lists", model=tiny_encoder
    ) as server:
        yield server


def test_health_names_the_index(open_page: PageServer) -> None:
    told = httpx.get(f"{open_page.url}healthz").json()
    assert told["status"] == "ok"
    assert told["index"].startswith("gen-")


def test_the_page_names_no_other_host_and_forbids_it(open_page: PageServer) -> None:
    answer = httpx.get(open_page.url)
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    for host in ("googleapis", "gstatic", "cloudflare", "cdn.", "unpkg", "jsdelivr"):
        assert host not in answer.text


def test_every_press_goes_through_the_queue(open_page: PageServer) -> None:
    described = httpx.get(f"{open_page.url}config").json()
    asked_apart = [d["targets"] for d in described["dependencies"] if not d.get("js") and d["queue"] is False]
    assert asked_apart == []  # Gradio asks those under /run/, which the guard keeps closed


def test_a_question_over_the_limit_is_told_how_long_to_wait(open_page: PageServer) -> None:
    async def ask() -> list[str]:
        async with httpx.AsyncClient(timeout=60) as http:
            client = await PageClient(open_page.url, http).open()
            return [await client.ask(DRAM) for _ in range(7)]

    turns = asyncio.run(ask())
    assert state_of(turns[0]) == "answered"
    assert "Ask again in" in turns[-1]


def test_a_large_request_and_closed_doors_are_refused(open_page: PageServer) -> None:
    large = httpx.post(f"{open_page.url}gradio_api/queue/join", content=b"x" * (5 * 1024 * 1024))
    assert large.status_code == 413
    assert httpx.post(f"{open_page.url}gradio_api/upload", content=b"x").status_code == 404
    assert httpx.get(f"{open_page.url}gradio_api/file=/etc/passwd").status_code in (403, 404)


def test_without_the_login_nothing_is_told_but_health(locked_page: PageServer) -> None:
    base = locked_page.url.replace("0.0.0.0", "127.0.0.1")
    assert httpx.get(f"{base}healthz").status_code == 200
    page = httpx.get(base)
    assert "DRAMpipe" not in page.text
    assert "Awesome Test Chips" not in page.text
    for path in ("config", "gradio_api/info", "gradio_api/queue/status"):
        assert httpx.get(f"{base}{path}").status_code == 401
    join = httpx.post(f"{base}gradio_api/queue/join", json={"data": [], "fn_index": 0, "session_hash": "x"})
    assert join.status_code == 401
    wrong = httpx.post(f"{base}login", data={"username": "ann", "password": "wrong"})
    assert wrong.status_code == 400
    with httpx.Client() as person:
        assert person.post(f"{base}login", data={"username": "ann", "password": "secret"}).status_code == 200
        seen = person.get(f"{base}config").json()
        assert seen["root"].endswith("/lists")
        assert not any("without a login" in line for line in locked_page.said)


def test_listening_for_others_without_a_login_is_said(served: Path, tiny_encoder: Path) -> None:
    with PageServer(served, "--host", "0.0.0.0", model=tiny_encoder) as server:
        assert any("there is no login" in line for line in server.said)


def test_the_library_is_closed_to_those_who_come_through_a_proxy(open_page: PageServer) -> None:
    async def watch(headers: dict[str, str]) -> list[Any]:
        async with httpx.AsyncClient(timeout=60, headers=headers) as http:
            config = (await http.get(f"{open_page.url}config")).json()
            ids = {c["props"].get("elem_id"): c["id"] for c in config["components"]}
            event = next(d for d in config["dependencies"] if [ids["tab-library"], "select"] in d["targets"])
            body = {"data": [], "fn_index": event["id"], "session_hash": f"s{len(headers)}"}
            await http.post(f"{open_page.url}gradio_api/queue/join", json=body)
            address = f"{open_page.url}gradio_api/queue/data?session_hash=s{len(headers)}"
            async with http.stream("GET", address) as events:
                async for line in events.aiter_lines():
                    message = json.loads(line[5:]) if line.startswith("data:") else {}
                    if message.get("msg") in ("process_generating", "process_completed"):
                        return message["output"]["data"]  # type: ignore[no-any-return]
        raise AssertionError("the page closed the stream")

    assert "Passages" in str(asyncio.run(watch({})))
    assert "Passages" not in str(asyncio.run(watch({"X-Forwarded-For": "127.0.0.1, 203.0.113.9"})))
    assert "Passages" not in str(asyncio.run(watch({"Host": "127.0.0.1:1", "X-A": "b"})))
    rebound = httpx.get(f"{open_page.url}config", headers={"Host": "rebound.example"})
    assert rebound.status_code == 403
    assert "--public-url" in rebound.text


def test_a_foreign_page_cannot_act_with_the_login_of_its_visitor(locked_page: PageServer) -> None:
    base = locked_page.url.replace("0.0.0.0", "127.0.0.1")
    with httpx.Client() as person:
        entered = person.post(f"{base}login", data={"username": "ann", "password": "secret"})
        assert all("samesite=lax" in cookie.lower() for cookie in entered.headers.get_list("set-cookie"))
        body = {"data": [], "fn_index": 0, "session_hash": "x"}
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
            acted = person.post(f"{base}gradio_api/queue/join", json=body, headers={"Origin": origin})
            assert acted.status_code == 403
            read = person.get(f"{base}config", headers={"Origin": origin})
            assert read.status_code == 403
            assert "access-control-allow-origin" not in read.headers
        assert person.get(f"{base}config").status_code == 200
        person.get(f"{base}logout", follow_redirects=False)
        assert person.get(f"{base}config").status_code == 401


def test_wrong_passwords_are_slowed(served: Path, tiny_encoder: Path) -> None:
    with PageServer(served, "--auth", "ann:secret", model=tiny_encoder) as server:
        wrong = {"username": "ann", "password": "wrong"}
        codes = [httpx.post(f"{server.url}login", data=wrong).status_code for _ in range(5)]
        assert codes[:3] == [400, 400, 400]
        assert codes[-1] == 429


def test_a_taken_port_is_one_clear_line(open_page: PageServer, served: Path) -> None:
    port = open_page.url.rsplit(":", 1)[1].rstrip("/")
    run = subprocess.run(
        [sys.executable, "-m", "accelrag", "serve", "--home", str(served), "--port", port],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert f"127.0.0.1:{port} cannot be listened on" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_line_for_a_file_of_logins_is_printed() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "accelrag", "serve", "--hash-password", "ann", "--admin"],
        input="secret\nsecret\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith("ann:$argon2id$")
    assert run.stdout.strip().endswith(":admin")
    assert "secret" not in run.stdout
