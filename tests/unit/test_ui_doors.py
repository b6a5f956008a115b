"""Limits, logins and the guard in front of the page."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import SettingsError
from accelrag.settings import Settings, is_loopback
from accelrag.ui.access import Access
from accelrag.ui.app import listening
from accelrag.ui.guard import Guard
from accelrag.ui.limits import RateLimit
from accelrag.ui.logins import Attempts, Logins, hashed_login


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
    "line",
    [
        "ann:plain",
        "ann",
        ":x",
        "ann:scrypt$16384$8$1$eA==$eA==",
        "ann:$argon2id$v=19$m=99999999,t=3,p=4$eHh4eHh4eHg$eA",
    ],
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


def guarded(limit: RateLimit | None = None, max_body: int = 1000, host: str = "127.0.0.1", **rules: Any) -> Guard:
    return Guard(_app, access=Access(host, **rules), limit=limit or RateLimit(0), max_body=max_body)


JOIN = "/gradio_api/queue/join"
LOCAL = {"host": "127.0.0.1:7860"}


def scope(path: str = JOIN, method: str = "POST", client: str = "127.0.0.1", **headers: str) -> dict[str, Any]:
    given = {**LOCAL, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {
        "type": "http",
        "path": path,
        "method": method,
        "http_version": "1.1",
        "scheme": "http",
        "headers": [(k.encode(), v.encode()) for k, v in given.items()],
        "client": (client, 5),
        "server": ("127.0.0.1", 7860),
    }


def answered(
    guard: Guard, request: dict[str, Any], chunks: tuple[bytes, ...] = (b"x",)
) -> tuple[int, dict[str, str]]:
    sent: list[Any] = []
    queue = [{"type": "http.request", "body": c, "more_body": i + 1 < len(chunks)} for i, c in enumerate(chunks)]

    async def receive() -> Any:
        return queue.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guard(request, receive, send))
    return sent[0]["status"], {k.decode(): v.decode() for k, v in sent[0]["headers"]}


def test_every_answer_forbids_what_comes_from_elsewhere() -> None:
    status, headers = answered(guarded(), scope())
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["content-security-policy"].endswith("frame-ancestors 'self'")
    assert headers["x-content-type-options"] == "nosniff"


def test_a_large_request_is_refused_whether_it_says_its_size_or_not() -> None:
    guard = guarded(max_body=100)
    assert answered(guard, scope(), (b"x" * 60, b"x" * 40))[0] == 200
    assert answered(guard, scope(), (b"x" * 60, b"x" * 41))[0] == 413
    assert answered(guard, scope(content_length="101"))[0] == 413


def test_a_client_that_posts_without_end_is_told_to_wait() -> None:
    guard = guarded(RateLimit(2))
    assert [answered(guard, scope())[0] for _ in range(3)] == [200, 200, 429]
    assert int(answered(guard, scope())[1]["retry-after"]) >= 1
    assert answered(guard, scope("/", "GET"), (b"",))[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/upload",
        "/gradio_api/proxy=http://x",
        "/monitoring/summary",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/run/predict",
        "/gradio_api/call/v2/ask",
        "/gradio_api/vibe-edit",
        "/gradio_api/openapi.json",
        "/a/route/of/a/later/gradio",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
def test_routes_that_the_page_does_not_use_are_closed(path: str, method: str) -> None:
    assert answered(guarded(), scope(path, method))[0] == 404


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:7860", "file://", "", "x"]
)
@pytest.mark.parametrize("path", [JOIN, "/login", "/gradio_api/component_server", "/gradio_api/cancel"])
def test_another_origin_changes_nothing(origin: str, path: str) -> None:
    assert answered(guarded(), scope(path, origin=origin))[0] == 403


def test_another_site_reads_nothing_and_logs_nobody_out() -> None:
    assert answered(guarded(), scope("/config", "GET", origin="https://evil.example"))[0] == 403
    assert answered(guarded(), scope("/logout", "GET", sec_fetch_site="cross-site"))[0] == 403
    assert answered(guarded(), scope("/", "GET", sec_fetch_site="cross-site"))[0] == 200  # a link that leads here


@pytest.mark.parametrize(
    ("rules", "headers"),
    [
        ({}, {"origin": "http://127.0.0.1:7860"}),
        ({}, {"host": "localhost:7860", "origin": "http://localhost:7860"}),
        ({}, {"host": "[::1]:7860", "origin": "http://[::1]:7860"}),
        ({"host": "0.0.0.0"}, {"host": "box.lan:7860", "origin": "http://box.lan:7860"}),
        ({"public": "https://l.example:443"}, {"host": "l.example", "origin": "https://l.example"}),
        ({"public": "https://l.example:443"}, {"origin": "https://l.example"}),  # a proxy that puts its own Host
        ({"host": "0.0.0.0"}, {"host": "l.example", "origin": "https://l.example"}),  # a proxy that ends TLS
    ],
)
def test_the_page_itself_may_act(rules: dict[str, str], headers: dict[str, str]) -> None:
    assert answered(guarded(**rules), scope(**headers))[0] == 200


def test_a_name_that_was_turned_to_this_machine_is_refused_but_for_health() -> None:
    rebound = {"host": "evil.example:7860", "origin": "http://evil.example:7860"}
    assert answered(guarded(), scope(**rebound))[0] == 403
    assert answered(guarded(), scope("/config", "GET", host="evil.example:7860"))[0] == 403
    assert answered(guarded(), scope("/healthz", "GET", host="evil.example:7860"))[0] == 200


def test_no_origin_is_granted_anything_and_cookies_stay_at_home() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [
            (b"Access-Control-Allow-Origin", b"https://evil.example"),
            (b"Access-Control-Allow-Credentials", b"true"),
            (b"Set-Cookie", b"a=1; HttpOnly; SameSite=none; Secure"),
            (b"set-cookie", b"b=2; HttpOnly"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    guard = Guard(app, access=Access("127.0.0.1"), limit=RateLimit(0))
    asyncio.run(guard(scope("/", "GET"), None, send))  # type: ignore[arg-type]
    names = [name.lower() for name, _ in sent[0]["headers"]]
    assert not any(name.startswith(b"access-control") for name in names)
    cookies = [value for name, value in sent[0]["headers"] if name.lower() == b"set-cookie"]
    assert cookies == [b"a=1; HttpOnly; Secure; SameSite=Lax", b"b=2; HttpOnly; SameSite=Lax"]


@pytest.mark.parametrize(
    "passed_on",
    [
        {"x_forwarded_for": "127.0.0.1"},
        {"forwarded": "for=127.0.0.1"},
        {"x_real_ip": "127.0.0.1"},
        {"via": "1.1 proxy"},
        {"x_forwarded_proto": "https"},
        {"host": "127.0.0.1:8080"},  # the port of a plain proxy that passes on the name its visitors see
        {"host": "lists.example.org"},
        {"client": "192.0.2.7"},
    ],
)
def test_what_a_proxy_passed_on_is_not_local(passed_on: dict[str, str]) -> None:
    access = Access("127.0.0.1")
    assert access.is_admin(scope(), None)
    assert not access.is_admin(scope(**passed_on), None)
    assert not access.is_admin({**scope(), "http_version": "1.0"}, None)  # nginx as it comes


def test_behind_a_named_proxy_the_library_needs_a_login_or_the_explicit_setting() -> None:
    public = "https://lists.example.org:443"
    assert not Access("127.0.0.1", public).is_admin(scope(), None)
    assert not Access("127.0.0.1", root_path="/lists").is_admin(scope(), None)
    assert Access("127.0.0.1", public, "everyone").is_admin(scope(client="192.0.2.7"), None)
    logins = Logins.read("ann:secret")
    assert Access("127.0.0.1", public, "local", logins).is_admin(scope(client="192.0.2.7"), "ann")
    assert not Access("127.0.0.1", "", "local", logins).is_admin(scope(), None)


@pytest.mark.parametrize("wrong", [{"public_url": "lists.example.org"}, {"library": "nobody"}, {"library": "login"}])
def test_a_rule_that_means_nothing_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        Access.of(Settings(**wrong), None)  # type: ignore[arg-type]


def test_wrong_passwords_are_slowed_for_who_gives_them_only() -> None:
    clock = Clock()
    attempts = Attempts(clock=clock)
    waits = []
    for _ in range(14):
        clock.now += attempts.wait("a")
        attempts.failed("a")
        waits.append(attempts.wait("a"))
    assert waits[:5] == [0, 0, 1, 2, 4]
    assert waits[-1] == 300
    assert attempts.wait("b") == 0
    attempts.succeeded("a")
    assert attempts.wait("a") == 0


def test_who_follows_the_address_before_the_loop_runs_is_not_refused():
    with listening(uvicorn.Config("nothing:app", port=0, log_level="warning"), "127.0.0.1") as sock:
        socket.create_connection(sock.getsockname(), timeout=10).close()
