"""``check``: what links answer, kept from run to run; a report; a mended copy that is never the list itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accelrag.errors import UsageError
from accelrag.pipeline import build_index, check_lists, write_fixed
from accelrag.settings import Settings
from accelrag.transport import Transport
from fake_servers import Reply, Web
from fake_time import FakeTime

DAY = 86_400.0


@pytest.fixture
def web():
    with Web() as server:
        server.sites["/robots.txt"] = Reply(404)
        server.sites["/ok"] = Reply(200, b"here", {"content-type": "text/html"})
        server.sites["/moved"] = Reply(301, b"", {"location": "/new"})
        server.sites["/new"] = Reply(200, b"here", {"content-type": "text/html"})
        server.sites["/closed"] = Reply(403, b"no robots")
        server.sites["/broken"] = Reply(500, b"")
        yield server


@pytest.fixture
def settings(tmp_path, web):
    home = tmp_path / "home"
    (home / "corpus").mkdir(parents=True)
    names = ("ok", "moved", "closed", "gone", "broken")
    lines = [f"- [{n.title()} thing]({web.url}/{n}) - A thing that is {n}.\r\n" for n in names]
    text = "\ufeff# Things\r\n\r\n## All\r\n\r\n" + "".join(lines) + f"\r\n`{web.url}/moved` in code stays.\r\n"
    (home / "corpus" / "things.md").write_bytes(text.encode())
    return Settings(home=home, **web.settings)


def checked(settings, at=1_700_000_000.0, **how):
    time = FakeTime(at)
    transport = Transport(settings, clock=time.clock, sleep=time.sleep, spacing=0.0, attempts=1)
    with transport:
        (found,) = check_lists(settings, transport=transport, clock=lambda: at, **how)
    return found


def kinds(found):
    return {f.title.split()[0].lower(): f.kind for f in found.report.findings}


def test_links_are_told_by_class_with_their_lines(settings):
    found = checked(settings)
    assert kinds(found) == {
        "moved": "moved-link", "closed": "blocked-link", "gone": "suspect-link", "broken": "suspect-link",
    }  # fmt: skip
    assert {f.title.split()[0].lower(): f.lines for f in found.report.findings}["gone"] == (8,)
    assert found.report.exit_code == 0


def test_a_link_is_dead_only_when_two_runs_a_day_apart_agree(settings, web):
    checked(settings)
    assert kinds(checked(settings, at=1_700_000_000.0 + DAY - 60))["gone"] == "suspect-link"
    later = checked(settings, at=1_700_000_000.0 + DAY + 60)
    assert kinds(later)["gone"] == "dead-link"
    assert later.report.exit_code == 1
    web.sites["/gone"] = Reply(200, b"back", {"content-type": "text/html"})
    assert "gone" not in kinds(checked(settings, at=1_700_000_000.0 + 2 * DAY))
    del web.sites["/gone"]
    assert kinds(checked(settings, at=1_700_000_000.0 + 9 * DAY))["gone"] == "suspect-link", "counted anew"


def test_a_clock_set_back_makes_no_link_dead(settings):
    checked(settings, at=1_700_000_000.0 + 30 * DAY)
    assert kinds(checked(settings, at=1_700_000_000.0))["gone"] == "suspect-link"
    assert kinds(checked(settings, at=1_700_000_000.0 + DAY / 2))["gone"] == "suspect-link"


def test_offline_opens_no_connection_and_tells_what_is_known(settings, web):
    checked(settings)
    web.log.clear()
    (found,) = check_lists(settings, offline=True, clock=lambda: 1_700_000_100.0)
    assert kinds(found)["gone"] == "suspect-link"
    assert web.log == []


def test_the_mended_copy_differs_in_the_moved_links_alone(settings, web, tmp_path):
    found = checked(settings)
    original = (settings.corpus_dir / "things.md").read_bytes()
    out = tmp_path / "mended.md"
    assert write_fixed(found, out) == 1
    link = f"]({web.url}/moved)".encode()
    assert out.read_bytes() == original.replace(link, f"]({web.url}/new)".encode())
    assert (settings.corpus_dir / "things.md").read_bytes() == original


def test_the_list_itself_is_never_the_copy(settings, tmp_path):
    found = checked(settings)
    path = settings.corpus_dir / "things.md"
    before = path.read_bytes()
    link = tmp_path / "link.md"
    link.symlink_to(path)
    for out in (path, link, settings.corpus_dir / ".." / "corpus" / "things.md"):
        with pytest.raises(UsageError, match="never touched"):
            write_fixed(found, out)
    assert path.read_bytes() == before


def test_a_list_elsewhere_is_checked_without_being_followed(settings, tmp_path, web):
    other = tmp_path / "other.md"
    other.write_text(f"# Other\n\n- [A]({web.url}/ok) - Fine.\n- [A]({web.url}/new) - Same title.\n")
    found = checked(replace(settings, list=str(other)))
    assert [f.kind for f in found.report.findings] == ["same-title"]
    assert not (settings.corpus_dir / "lists.json").exists()


def test_what_links_answered_is_kept_through_a_build(settings, tiny_encoder):
    checked(settings)
    build_index(replace(settings, model=str(tiny_encoder)))
    assert kinds(checked(settings, at=1_700_000_000.0 + 2 * DAY))["gone"] == "dead-link"
