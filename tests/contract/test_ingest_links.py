"""Looking at links, and fetching a list from where its curator keeps it."""

import pytest

from accelrag.errors import FetchFailed, FetchTransient, ListError
from accelrag.ingest import fetch_list, probe
from accelrag.settings import Settings
from accelrag.transport import Transport
from fake_servers import Reply, Repository, Web, closed_port
from fake_time import FakeTime

LIST = "# Awesome\n\n- [A](https://a.example) - Note.\n"


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.fixture
def transport(web):
    fake = FakeTime()

    def resolve(host, port):
        if host == "127.0.0.1":
            return [host]
        raise OSError("no such name")

    with Transport(
        Settings(**web.settings), clock=fake.clock, sleep=fake.sleep, resolve=resolve, spacing=0.0
    ) as transport:
        yield transport


def test_each_link_gets_one_observation(web, transport):
    web.sites["/robots.txt"] = Reply(200, b"User-agent: *\nDisallow: /closed\n")
    web.sites["/ok"] = Reply(200, b"words")
    web.sites["/moved"] = Reply(301, b"", {"location": "/ok"})
    web.sites["/elsewhere"] = Reply(302, b"", {"location": "/ok"})
    web.sites["/gone"] = Reply(410)
    web.sites["/bots"] = Reply(403)
    web.sites["/big"] = Reply(200, headers={"content-length": "900000000"}, stream=iter([b"x"]))
    wanted = {
        f"{web.url}/ok": ("ok", ""), f"{web.url}/moved": ("moved", f"{web.url}/ok"),
        f"{web.url}/elsewhere": ("ok", f"{web.url}/ok"), f"{web.url}/gone": ("gone", ""),
        f"{web.url}/missing": ("gone", ""), f"{web.url}/bots": ("blocked", ""), f"{web.url}/closed": ("blocked", ""),
        f"{web.url}/big": ("ok", ""), "http://nowhere.example/": ("dns", ""),
        f"http://127.0.0.1:{closed_port()}/": ("failing", ""), "file:///etc/passwd": ("blocked", ""),
        "http://169.254.169.254/": ("blocked", ""), "http://[": ("blocked", ""),
    }  # fmt: skip
    told = []
    seen = list(probe([*wanted, *wanted], transport, advance=lambda: told.append(1)))
    assert {o.url: (o.state, o.target) for o in seen} == wanted
    assert len(seen) == len(wanted) == len(told)


@pytest.mark.parametrize("where", ["o/awesome", "gh:o/awesome", "https://github.com/o/awesome"])
def test_a_list_comes_from_its_repository(web, transport, where):
    web.repositories["o/awesome"] = Repository({"README.md": LIST})
    body, revision = fetch_list(where, transport)
    assert body.decode() == LIST
    assert fetch_list(where, transport, revision=revision) == (b"", revision)


def test_a_list_comes_from_an_address_a_file_link_or_a_readme_of_another_name(web, transport):
    web.sites["/list.md"] = Reply(200, LIST.encode(), {"content-type": "text/plain"})
    web.repositories["o/awesome"] = Repository({"lists/gpu.md": LIST})
    web.repositories["o/other"] = Repository({"ReadMe.mkd": LIST})
    for where in (f"{web.url}/list.md", "https://github.com/o/awesome/blob/main/lists/gpu.md", "o/other"):
        assert fetch_list(where, transport)[0].decode() == LIST


@pytest.mark.parametrize(
    "reply", [Reply(200, b"<!DOCTYPE html><p>x"), Reply(200, b" "), Reply(200, b"x", {"content-type": "text/html"})]
)
def test_an_address_that_gives_no_list_is_said_so(web, transport, reply):
    web.sites["/list"] = reply
    with pytest.raises(ListError):
        fetch_list(f"{web.url}/list", transport)


def test_a_list_that_cannot_be_had_is_an_error(web, transport):
    with pytest.raises(FetchFailed):
        fetch_list("o/none", transport)
    with pytest.raises(FetchTransient):
        fetch_list("http://nowhere.example/list.md", transport)
