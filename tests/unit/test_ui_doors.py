"""Limits, logins and the guard in front of the page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import SettingsError
from accelrag.ui.app import is_loopback
from accelrag.ui.guard import Guard
from accelrag.ui.limits import RateLimit
from accelrag.ui.logins import Logins, hashed_login


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_client_waits_when_it_has_taken_its_share_and_others_do_not() -> None:
    clock = Clock()
    limit = RateLimit(3, clock=clock)
    assert [limit.wait("a") for _ in range(3)] == [0, 0, 0]
    assert limit.wait("a") == pytest.approx(20)
    assert limit.wait("b") == 0
    clock.now += 20
    assert limit.wait("a") == 0
    assert limit.wait("a") > 0


@given(st.lists(st.floats(0, 30), max_size=60))
def test_no_client_takes_more_than_its_rate(pauses: list[float]) -> None:
    clock = Clock()
    limit = RateLimit(5, clock=clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        taken += limit.wait("a") == 0
    assert taken <= 5 + clock.now * 5 / 60 + 1e-6


def test_no_limit_means_none() -> None:
    limit = RateLimit(0)
    assert all(limit.wait("a") == 0 for _ in range(1000))


def test_user_and_password_are_one_admin() -> None:
    logins = Logins.read("ann:s:ecret")
    assert logins is not None
    assert logins.check("ann", "s:ecret")
    assert not logins.check("ann", "secret")
    assert not logins.check("bob", "s:ecret")
    assert logins.admins == {"ann"}
    assert "s:ecret" not in repr(logins)
    assert Logins.read("") is None


def test_a_file_holds_hashes_and_says_who_is_admin(tmp_path: Path) -> None:
    path = tmp_path / "logins"
    lines = ["# people", "", hashed_login("ann", "one", admin=True), hashed_login("bob", "two")]
    path.write_text("\n".join(lines), encoding="utf-8")
    logins = Logins.read(str(path))
    assert logins is not None
    assert logins.check("ann", "one")
    assert logins.check("bob", "two")
    assert not logins.check("bob", "one")
    assert logins.admins == {"ann"}


@pytest.mark.parametrize(
    "line", ["ann:plain", "ann", ":x", "ann:scrypt$3$8$1$eA==$eA==", "ann:scrypt$16384$8$1$!!$eA=="]
)
def test_a_file_that_holds_no_hash_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "logins"
    path.write_text(f"# people\n{line}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="line 2"):
        Logins.read(str(path))


def test_a_login_that_is_none_is_refused_without_being_told() -> None:
    with pytest.raises(SettingsError) as told:
        Logins.read("justasecret")
    assert "justasecret" not in f"{told.value} {told.value.hint}"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "::ffff:127.0.0.1"])
def test_this_machine_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", "", "localhost.example.org"])
def test_other_machines_are_known(host: str) -> None:
    assert not is_loopback(host)


async def _app(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


def answered(
    guard: Guard, path: str = "/", method: str = "POST", chunks: tuple[bytes, ...] = (b"x",), length: str = ""
) -> tuple[int, dict[str, str]]:
    sent: list[Any] = []
    queue = [{"type": "http.request", "body": c, "more_body": i + 1 < len(chunks)} for i, c in enumerate(chunks)]

    async def receive() -> Any:
        return queue.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-length", length.encode())] if length else []
    scope = {"type": "http", "path": path, "method": method, "headers": headers, "client": ("10.0.0.1", 5)}
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], {k.decode(): v.decode() for k, v in sent[0]["headers"]}


def test_every_answer_forbids_what_comes_from_elsewhere() -> None:
    status, headers = answered(Guard(_app, limit=RateLimit(0)))
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_a_large_request_is_refused_whether_it_says_its_size_or_not() -> None:
    guard = Guard(_app, limit=RateLimit(0), max_body=100)
    assert answered(guard, chunks=(b"x" * 60, b"x" * 40))[0] == 200
    assert answered(guard, chunks=(b"x" * 60, b"x" * 41))[0] == 413
    assert answered(guard, length="101")[0] == 413


def test_a_client_that_posts_without_end_is_told_to_wait() -> None:
    guard = Guard(_app, limit=RateLimit(2))
    assert [answered(guard)[0] for _ in range(3)] == [200, 200, 429]
    assert int(answered(guard)[1]["retry-after"]) >= 1
    assert answered(guard, method="GET", chunks=(b"",))[0] == 200


@pytest.mark.parametrize("path", ["/gradio_api/upload", "/gradio_api/proxy=http://x", "/monitoring/summary"])
def test_doors_that_the_page_does_not_use_are_closed(path: str) -> None:
    assert answered(Guard(_app, limit=RateLimit(0)), path=path)[0] == 404
