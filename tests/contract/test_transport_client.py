"""The transport against real servers on loopback."""

import gzip
import itertools
import time
from email.utils import formatdate

import brotli
import pytest

from accelrag.errors import FetchFailed, FetchRefused, FetchTransient
from accelrag.settings import Settings
from accelrag.transport import Transport
from fake_servers import Reply, Web, closed_port
from fake_time import FakeTime


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.fixture
def fake():
    return FakeTime()


@pytest.fixture
def make(web, fake):
    made = []

    def make(resolve=None, spacing=0.0, **settings):
        extra = {"resolve": resolve} if resolve else {}
        settings = {"allow_private": True, "fetch_timeout": 5.0, **settings}
        made.append(Transport(Settings(**settings), clock=fake.clock, sleep=fake.sleep, random=lambda: 0.5,
                              spacing=spacing, **extra))  # fmt: skip
        return made[-1]

    yield make
    for transport in made:
        transport.close()


def reason(call, kind=Exception):
    with pytest.raises(kind) as raised:
        call()
    return raised.value.reason


def test_a_page_comes_with_its_headers_and_revision(web, make):
    web.sites["/a"] = Reply(200, b"words", {"ETag": '"v1"', "Content-Type": "Text/HTML; charset=utf-8"})
    response = make().get(f"{web.url}/a")
    assert (response.status, response.body, response.content_type) == (200, b"words", "text/html")
    assert response.revision == 'etag:"v1"'
    assert response.moved_to == ""


def test_the_user_agent_names_the_project_and_a_contact(web, make):
    web.sites["/a"] = Reply(200, b"words")
    make(contact="mailto:curator@example.org").get(f"{web.url}/a")
    agent = web.asked("/a")[0].headers["user-agent"]
    assert agent.startswith("accelrag/")
    assert "mailto:curator@example.org" in agent


@pytest.mark.parametrize(
    ("header", "value", "asked"),
    [("ETag", '"v1"', "if-none-match"), ("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT", "if-modified-since")],
)
def test_a_revision_makes_the_next_request_conditional(web, make, header, value, asked):
    web.sites["/a"] = lambda a: Reply(304) if a.headers.get(asked) == value else Reply(200, b"words", {header: value})
    transport = make()
    first = transport.get(f"{web.url}/a")
    assert transport.get(f"{web.url}/a", revision=first.revision).unchanged


@pytest.mark.parametrize("path", ["/private/a", "/x.pdf"])
def test_robots_txt_is_obeyed_with_wildcards(web, make, path):
    web.sites["/robots.txt"] = Reply(
        200, b"User-agent: *\nDisallow: /private\nDisallow: /*.pdf$\nAllow: /private/open\n"
    )
    web.sites["/private/open"] = web.sites["/b.pdf.html"] = web.sites[path] = Reply(200, b"words")
    transport = make()
    assert reason(lambda: transport.get(web.url + path), FetchRefused) == "robots"
    assert transport.get(f"{web.url}/private/open").body == b"words"
    assert transport.get(f"{web.url}/b.pdf.html").body == b"words"
    assert len(web.asked("/robots.txt")) == 1
    assert not web.asked(path)


def test_rules_for_our_name_win_and_an_api_is_not_asked_for_rules(web, make):
    web.sites["/robots.txt"] = Reply(200, b"User-agent: *\nDisallow:\n\nUser-agent: accelrag\nDisallow: /\n")
    web.sites["/a"] = Reply(200, b"words")
    assert reason(lambda: make().get(f"{web.url}/a")) == "robots"
    assert make().get(f"{web.url}/a", robots=False).body == b"words"


def test_a_site_whose_rules_cannot_be_read_counts_as_closed_for_now(web, make):
    web.sites["/robots.txt"] = Reply(503)
    web.sites["/a"] = Reply(200, b"words")
    assert reason(lambda: make().get(f"{web.url}/a"), FetchTransient) == "server-error"
    assert not web.asked("/a")


def test_a_crawl_delay_is_kept(web, make, fake):
    web.sites["/robots.txt"] = Reply(200, b"User-agent: *\nCrawl-delay: 7\n")
    web.sites["/a"] = Reply(200, b"words")
    transport = make()
    transport.get(f"{web.url}/a")
    fake.slept.clear()
    transport.get(f"{web.url}/a")
    assert fake.slept == [7.0]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
@pytest.mark.parametrize("form", ["seconds", "date", "none"])
def test_busy_hosts_are_asked_again_after_the_wait_that_they_name(web, make, fake, status, form):
    value = {"seconds": "11", "date": formatdate(fake.now + 11, usegmt=True), "none": ""}[form]
    web.sites["/a"] = [Reply(status, b"", {"Retry-After": value} if value else {}), Reply(200, b"words")]
    assert make().get(f"{web.url}/a", robots=False).body == b"words"
    (wait,) = fake.slept
    assert wait >= (11 if value else 0.5)


def test_waits_grow_and_end(web, make, fake):
    web.sites["/a"] = Reply(503)
    assert reason(lambda: make().get(f"{web.url}/a", robots=False), FetchTransient) == "server-error"
    assert fake.slept == [1.0, 2.0, 4.0]
    assert len(web.asked("/a")) == 4


def test_a_wait_that_is_too_long_is_left_to_another_run(web, make, fake):
    web.sites["/a"] = Reply(429, b"", {"Retry-After": "3600"})
    transport = make()
    assert reason(lambda: transport.get(f"{web.url}/a", robots=False)) == "rate-limited"
    assert reason(lambda: transport.get(f"{web.url}/a", robots=False)) == "circuit-open"
    assert fake.slept == []
    assert len(web.asked("/a")) == 1
    fake.now += 3601
    assert reason(lambda: transport.get(f"{web.url}/a", robots=False)) == "rate-limited"


@pytest.mark.parametrize(
    ("status", "said"),
    [(400, "bad-answer"), (401, "login"), (403, "blocked"), (404, "not-found"), (410, "gone"), (451, "blocked")],
)
def test_a_no_is_asked_once(web, make, fake, status, said):
    web.sites["/a"] = Reply(status)
    assert reason(lambda: make().get(f"{web.url}/a", robots=False), FetchFailed) == said
    assert len(web.asked("/a")) == 1
    assert fake.slept == []


def test_a_circuit_opens_for_one_host_and_others_go_on(web, make):
    with Web() as other:
        web.sites["/a"] = Reply(503)
        other.sites["/a"] = Reply(200, b"words")
        transport = make()
        seen = [reason(lambda: transport.get(f"{web.url}/a", robots=False)) for _ in range(4)]
        assert seen == ["server-error"] * 3 + ["circuit-open"]
        assert transport.get(f"{other.url}/a", robots=False).body == b"words"


def test_a_permanent_redirect_is_told_and_a_temporary_one_is_not(web, make):
    web.sites["/new"] = Reply(200, b"words")
    web.sites["/old"] = Reply(301, b"", {"Location": "/new"})
    web.sites["/now"] = Reply(302, b"", {"Location": "/new"})
    web.sites["/mixed"] = Reply(308, b"", {"Location": "/now"})
    moved = {p: make().get(web.url + p, robots=False) for p in ("/old", "/now", "/mixed")}
    assert {p: r.moved_to for p, r in moved.items()} == {"/old": f"{web.url}/new", "/now": "", "/mixed": ""}
    assert {r.url for r in moved.values()} == {f"{web.url}/new"}


def test_a_redirect_in_a_circle_and_one_without_end_are_ended(web, make):
    web.sites["/a"] = Reply(302, b"", {"Location": "/b"})
    web.sites["/b"] = Reply(302, b"", {"Location": "/a"})
    for i in range(20):
        web.sites[f"/c{i}"] = Reply(302, b"", {"Location": f"/c{i + 1}"})
    assert reason(lambda: make().get(f"{web.url}/a", robots=False)) == "redirect-loop"
    assert reason(lambda: make().get(f"{web.url}/c0", robots=False)) == "redirect-loop"
    assert len(web.asked("/c")) <= 10


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/", "http://[fe80::1]/", "file:///etc/passwd", "ftp://example.org/",
        "javascript:alert(1)", "http://0xa9fea9fe/", "http://2852039166/", "http://0251.0376.0251.0376/",
        "http://[::ffff:169.254.169.254]/",
    ],
)  # fmt: skip
def test_a_redirect_to_a_closed_address_is_refused(web, make, target):
    web.sites["/a"] = Reply(302, b"", {"Location": target})
    assert reason(lambda: make().get(f"{web.url}/a", robots=False), FetchRefused) == "refused-address"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]", "[::ffff:7f00:1]", "localhost"]
)
def test_loopback_in_every_spelling_is_refused_unless_opened(web, make, host):
    web.sites["/a"] = Reply(200, b"secret")
    transport = make(allow_private=False)
    assert reason(lambda: transport.get(f"http://{host}:{web.port}/a"), FetchRefused) == "refused-address"
    assert web.log == []


@pytest.mark.parametrize(
    "answer",
    [["127.0.0.1"], ["10.0.0.7"], ["::ffff:169.254.169.254"], ["93.184.216.34", "127.0.0.1"], ["fe80::1%lo"]],
)
def test_a_name_that_leads_to_a_closed_address_is_refused(web, make, answer):
    transport = make(allow_private=False, resolve=lambda host, port: answer)
    assert reason(lambda: transport.get(f"http://innocent.example:{web.port}/a", robots=False)) == "refused-address"
    assert web.log == []


def test_a_name_is_looked_up_once_so_that_it_cannot_change_its_answer(web, make):
    answers = itertools.chain([["127.0.0.1"]], itertools.repeat(["169.254.169.254"]))
    asked = []

    def resolve(host, port):
        asked.append(host)
        return next(answers)

    web.sites["/a"] = Reply(200, b"words", {"Connection": "close"})
    transport = make(resolve=resolve)
    assert transport.get(f"http://rebinding.example:{web.port}/a", robots=False).body == b"words"
    assert asked == ["rebinding.example"]
    assert web.asked("/a")[0].headers["host"] == f"rebinding.example:{web.port}"
    # A second connection looks again, and is judged again.
    assert reason(lambda: transport.get(f"http://rebinding.example:{web.port}/b", robots=False)) == "refused-address"


def test_a_name_that_does_not_resolve_is_said_so_and_not_retried(make, fake):
    def resolve(host, port):
        raise OSError("no such name")

    assert reason(lambda: make(resolve=resolve).get("http://nowhere.example/", robots=False), FetchTransient) == "dns"
    assert fake.slept == []


def test_a_closed_port_is_said_so(make):
    assert (
        reason(lambda: make().get(f"http://127.0.0.1:{closed_port()}/", robots=False), FetchTransient)
        == "unreachable"
    )


def test_a_body_that_drips_ends_at_the_deadline(web, make):
    def drip():
        while True:
            yield b"."
            time.sleep(0.05)

    web.sites["/a"] = lambda asked: Reply(200, stream=drip())
    assert reason(lambda: make(fetch_timeout=0.3).get(f"{web.url}/a", robots=False), FetchTransient) == "timeout"


def test_headers_that_drip_end_at_the_deadline(make):
    import socket
    import threading

    server = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve():
        while not stop.is_set():
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                    while not stop.wait(0.05):
                        connection.sendall(b"x")
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert reason(lambda: make(fetch_timeout=0.3).get(url, robots=False), FetchTransient) == "timeout"
    finally:
        stop.set()
        server.close()
        thread.join()


def test_an_endless_body_ends_at_the_limit(web, make):
    web.sites["/a"] = lambda asked: Reply(200, stream=itertools.repeat(b"x" * 10_000))
    assert reason(lambda: make(fetch_bytes=1_000_000).get(f"{web.url}/a", robots=False), FetchRefused) == "too-large"


def test_a_body_that_announces_too_much_is_not_read(web, make):
    web.sites["/a"] = lambda asked: Reply(200, headers={"Content-Length": "300000000"}, stream=iter([b"%PDF-1.7"]))
    assert reason(lambda: make().get(f"{web.url}/a", robots=False), FetchRefused) == "too-large"


@pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("br", lambda d: brotli.compress(d, quality=1))]
)
def test_a_bomb_ends_at_the_limit(web, make, coding, pack):
    web.sites["/a"] = Reply(200, pack(b"\0" * 30_000_000), {"Content-Encoding": coding})
    assert reason(lambda: make(fetch_bytes=1_000_000).get(f"{web.url}/a", robots=False), FetchRefused) == "too-large"


def test_a_body_that_is_shorter_than_announced_is_no_body(web, make):
    web.sites["/a"] = lambda asked: Reply(200, headers={"Content-Length": "100"}, stream=iter([b"half"]))
    assert reason(lambda: make().get(f"{web.url}/a", robots=False), FetchTransient) == "unreachable"


def test_a_token_stays_with_the_origin_that_it_was_meant_for(web, make):
    with Web() as other:
        web.sites["/a"] = Reply(302, b"", {"Location": f"{other.url}/b"})
        other.sites["/b"] = Reply(200, b"words")
        make().get(f"{web.url}/a", headers={"Authorization": "Bearer secret"}, robots=False)
        assert web.asked("/a")[0].headers["authorization"] == "Bearer secret"
        assert "authorization" not in other.asked("/b")[0].headers


def test_json_is_posted_and_not_redirected(web, make):
    web.sites["/a"] = lambda asked: Reply(200, asked.body) if asked.method == "POST" else Reply(405)
    web.sites["/r"] = Reply(307, b"", {"Location": "/a"})
    assert make().post_json(f"{web.url}/a", {"ids": [1]}).body == b'{"ids": [1]}'
    assert reason(lambda: make().post_json(f"{web.url}/r", {})) == "redirect-loop"


def test_a_server_that_talks_no_http_is_unreachable(make):
    import socket
    import threading

    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"\x00\x01 220 smtp.example ESMTP\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert reason(lambda: make().get(url, robots=False), FetchTransient) == "unreachable"
        thread.join()
