"""The arXiv source against a server that batches, leaves out and refuses as arXiv's API does."""

import math

import pytest

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources import Request, Unchanged
from accelrag.sources.hosts.arxiv import ArxivSource
from accelrag.transport import Transport
from accelrag.types import Document
from fake_entries import entries
from fake_servers import Paper, Reply, Web
from fake_time import FakeTime


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.fixture
def fake():
    return FakeTime()


@pytest.fixture
def fetch(web, fake):
    def fetch(urls, known=None):
        settings = Settings(**web.settings)
        with Transport(settings, clock=fake.clock, sleep=fake.sleep, random=lambda: 0.0) as transport:
            requests = [Request(e, (known or {}).get(e.id)) for e in entries(*urls)]
            source = ArxivSource(settings, transport)
            found = {w.entry.url: o for answer in source.fetch(requests) for w, o in answer}
        assert len(found) == len(requests), "every id is accounted for"
        return found

    return fetch


def put(web, count):
    ids = [f"2301.{n:05d}" for n in range(count)]
    for id_ in ids:
        web.papers[id_] = Paper(f"Paper {id_}", f"It is {id_} times as fast.")
    return ids


def urls(ids):
    return [f"https://arxiv.org/abs/{id_}" for id_ in ids]


def test_a_hundred_ids_are_one_request(web, fetch):
    found = fetch(urls(put(web, 100)))
    assert len(web.log) == 1
    assert all(isinstance(o, Document) for o in found.values())
    assert web.log[0].query["max_results"] == "100"


def test_requests_are_three_seconds_apart(web, fetch, fake):
    fetch(urls(put(web, 250)))
    assert len(web.log) == 3
    assert fake.slept == [3.0, 3.0]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("place", [0, 37, 99])
def test_one_malformed_id_costs_a_logarithm_and_loses_no_other(web, fetch, named, place):
    ids = put(web, 100)
    web.malformed, web.name_the_malformed = {ids[place]}, named
    found = fetch(urls(ids))
    assert len(web.log) <= 2 * math.ceil(math.log2(100)) + 1
    bad = found.pop(f"https://arxiv.org/abs/{ids[place]}")
    assert isinstance(bad, FetchFailed)
    assert bad.reason == "malformed-id"
    assert all(isinstance(o, Document) for o in found.values())


def test_several_malformed_ids_lose_no_other(web, fetch):
    ids = put(web, 40)
    web.malformed, web.name_the_malformed = {ids[3], ids[4], ids[31]}, False
    found = fetch(urls(ids))
    assert sum(isinstance(o, Document) for o in found.values()) == 37
    assert sum(isinstance(o, FetchFailed) and o.reason == "malformed-id" for o in found.values()) == 3


def test_an_id_that_cannot_be_one_is_never_sent(web, fetch):
    (id_,) = put(web, 1)
    found = fetch([*urls([id_]), "https://arxiv.org/abs/abc"])
    assert found["https://arxiv.org/abs/abc"].reason == "malformed-id"
    assert [a.query["id_list"] for a in web.log] == [id_]


def test_an_id_that_is_left_out_in_silence_is_accounted_for(web, fetch):
    (id_,) = put(web, 1)
    found = fetch(urls([id_, "2399.99999"]))
    assert isinstance(found[f"https://arxiv.org/abs/{id_}"], Document)
    assert found["https://arxiv.org/abs/2399.99999"].reason == "unknown-id"


@pytest.mark.parametrize(
    ("url", "id_"),
    [
        ("https://arxiv.org/pdf/2309.06180v2.pdf", "2309.06180"),
        ("https://ar5iv.org/html/2309.06180", "2309.06180"),
        ("https://arxiv.org/abs/astro-ph/0601001", "astro-ph/0601001"),
        ("https://arxiv.org/abs/math.GT/0309136v1", "math/0309136"),
    ],
)
def test_every_form_of_link_finds_its_abstract(web, fetch, url, id_):
    web.papers[id_] = Paper("A title", "An abstract.", version=4)
    (made,) = fetch([url]).values()
    assert (made.text, made.revision, made.source) == ("An abstract.", "v4", f"https://arxiv.org/abs/{id_}")


def test_what_the_catalogue_says_is_kept_apart_from_the_text(web, fetch):
    web.papers["2309.06180"] = Paper(
        "A  title\n over lines", "  One <fast> method.\nIt & others\n\nA second paragraph.\n", ("Ada B.", "C. Dé"),
        "2023-09-12T12:00:00Z",
        doi="10.1145/1", journal="SOSP 2023", primary="cs.DC",
    )  # fmt: skip
    (made,) = fetch(urls(["2309.06180"])).values()
    assert made.text == "One <fast> method. It & others\n\nA second paragraph."
    assert (made.title, made.authors, made.published) == ("A title over lines", ("Ada B.", "C. Dé"), "2023-09-12")
    assert (made.licence, made.coverage, made.id) == ("CC0-1.0", "abstract", f"text:{made.entry_id}")
    kept = {"eprint": "2309.06180", "primary_class": "cs.DC", "doi": "10.1145/1", "journal_ref": "SOSP 2023"}
    assert kept.items() <= made.metadata.items()


def test_the_same_version_and_text_are_unchanged(web, fetch):
    ids = put(web, 2)
    known = {made.entry_id: made for made in fetch(urls(ids)).values()}
    web.papers[ids[1]].abstract, web.papers[ids[1]].version = "New words.", 2
    found = fetch(urls(ids), known)
    assert isinstance(found[urls(ids)[0]], Unchanged)
    assert found[urls(ids)[1]].text == "New words."


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("asked", ["", "5"])
def test_a_busy_catalogue_is_asked_again(web, fetch, fake, status, asked):
    ids = put(web, 2)
    web.arxiv_replies = [Reply(status, b"Rate exceeded.", {"Retry-After": asked} if asked else {})]
    assert all(isinstance(o, Document) for o in fetch(urls(ids)).values())
    assert sum(fake.slept) >= (5 if asked else 3)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>down for maintenance</html>", b"<feed", b"\xff\xfe\x00",
     b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><feed xmlns="http://www.w3.org/2005/Atom">&a;'],
)  # fmt: skip
def test_an_answer_that_is_no_feed_is_said_so(web, fetch, body):
    web.arxiv_replies = [Reply(200, body)]
    with pytest.raises(FetchFailed) as failed:
        fetch(urls(["2309.06180"]))
    assert failed.value.reason == "bad-answer"


def test_entities_of_a_feed_are_not_followed(web, fetch, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    web.arxiv_replies = [
        Reply(
            200,
            (
                f'<!DOCTYPE x [<!ENTITY a SYSTEM "{secret.as_uri()}">]><feed xmlns="http://www.w3.org/2005/Atom"><entry>'
                "<id>http://arxiv.org/abs/2309.06180v1</id><title>T</title>"
                "<summary>before &a; after</summary></entry></feed>"
            ).encode(),
        )
    ]
    (made,) = fetch(urls(["2309.06180"])).values()
    assert "SECRET" not in made.text
