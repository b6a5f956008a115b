"""Wikipedia against a server that answers as its documented summary interface does."""

import pytest

from accelrag.errors import FetchFailed
from accelrag.sources import Unchanged
from accelrag.sources.hosts.wikipedia import article_of
from fake_servers import Web
from fetch_place import fetch_place, json_reply

SUMMARY = {
    "type": "standard",
    "title": "Systolic array",
    "extract": "A systolic array is a network of tightly coupled cells.",
    "description": "Type of parallel computer",
    "revision": "1234567",
    "timestamp": "2026-01-02T03:04:05Z",
    "lang": "en",
}


@pytest.fixture
def web():
    with Web() as web:
        yield web


def fetch(web, url="https://en.wikipedia.org/wiki/Systolic_array", known=None):
    return fetch_place(web, "wikipedia", url, {"wikipedia": f"{web.url}/{{language}}"}, known)


@pytest.mark.parametrize(
    ("url", "article"),
    [
        ("https://en.wikipedia.org/wiki/Systolic_array", ("en", "Systolic_array")),
        ("https://de.m.wikipedia.org/wiki/Systolisches%20Array", ("de", "Systolisches_Array")),
        ("https://zh-yue.wikipedia.org/wiki/GPU", ("zh-yue", "GPU")),
        ("https://en.wikipedia.org/wiki/TCP/IP", ("en", "TCP/IP")),
        ("https://en.wikipedia.org/wiki/Category:Processors", None),
        ("https://en.wikipedia.org/w/index.php?title=GPU", None),
        ("https://www.wikipedia.org/", None),
        ("https://en.wiktionary.org/wiki/chip", None),
    ],
)
def test_a_link_names_an_article_or_none(url, article):
    assert article_of(url) == article


def test_an_article_gives_its_lead_under_its_licence(web):
    web.sites["/en/api/rest_v1/page/summary/Systolic_array"] = json_reply(SUMMARY)
    made = fetch(web)
    assert (made.text, made.title) == (SUMMARY["extract"], "Systolic array")
    assert (made.coverage, made.licence, made.published) == ("abstract", "CC-BY-SA-4.0", "2026-01-02")


def test_an_article_is_asked_for_in_the_language_of_its_link_with_its_title_as_one_step(web):
    web.sites["/de/api/rest_v1/page/summary/TCP%2FIP"] = json_reply(SUMMARY)
    assert fetch(web, "https://de.wikipedia.org/wiki/TCP/IP").source == "https://de.wikipedia.org/wiki/TCP/IP"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [({"type": "disambiguation", "extract": "X may be"}, "no-abstract"), ({"type": "standard"}, "no-abstract")],
)
def test_a_page_that_names_several_articles_or_has_no_lead_is_no_text(web, answer, reason):
    web.sites["/en/api/rest_v1/page/summary/Systolic_array"] = json_reply(answer)
    with pytest.raises(FetchFailed) as raised:
        fetch(web)
    assert raised.value.reason == reason


def test_an_article_that_is_not_there_says_so(web):
    with pytest.raises(FetchFailed) as raised:
        fetch(web)
    assert raised.value.reason == "not-found"


def test_the_same_revision_is_unchanged(web):
    web.sites["/en/api/rest_v1/page/summary/Systolic_array"] = json_reply(SUMMARY)
    assert isinstance(fetch(web, known=fetch(web)), Unchanged)
