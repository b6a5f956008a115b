"""OpenReview against a server that answers as both of its documented interfaces do."""

import pytest

from accelrag.errors import FetchFailed
from accelrag.sources import Unchanged
from accelrag.sources.hosts.openreview import openreview_id
from fake_servers import Reply, Web
from fetch_place import fetch_place, json_reply

URL = "https://openreview.net/forum?id=aBc-123_Xy"
NEW = {
    "id": "aBc-123_Xy",
    "pdate": 1_700_000_000_000,
    "tmdate": 1_710_000_000_000,
    "license": "CC BY 4.0",
    "content": {
        "title": {"value": "Sparse Tiles"},
        "abstract": {"value": "We skip the tiles that hold zeros."},
        "authors": {"value": ["Ada B.", "Eve C."]},
        "venue": {"value": "ICLR 2024 poster"},
        "pdf": {"value": "/pdf/0123.pdf"},
        "keywords": {"value": ["sparsity", "tiles"]},
    },
}
OLD = {
    "id": "aBc-123_Xy",
    "cdate": 1_500_000_000_000,
    "content": {
        "title": "Old Tiles",
        "abstract": "We tile loops by hand.",
        "authors": ["Ada B."],
        "pdf": "/pdf/9.pdf",
    },
}


@pytest.fixture
def web():
    with Web() as web:
        yield web


def fetch(web, known=None):
    bases = {"openreview": f"{web.url}/v2", "openreview1": f"{web.url}/v1"}
    return fetch_place(web, "openreview", URL, bases, known)


@pytest.mark.parametrize(
    ("url", "id_"),
    [
        (URL, "aBc-123_Xy"),
        ("https://www.openreview.net/pdf?id=aBc-123_Xy", "aBc-123_Xy"),
        ("https://openreview.net/forum?id=aBc-123_Xy&noteId=zzzzzzzz", "aBc-123_Xy"),
        ("https://openreview.net/group?id=ICLR.cc/2024", None),
        ("https://openreview.net/forum", None),
        ("https://example.org/forum?id=aBc-123_Xy", None),
    ],
)
def test_a_link_names_a_paper_or_none(url, id_):
    assert openreview_id(url) == id_


def test_a_note_of_the_newer_interface_gives_its_abstract_venue_and_pdf(web):
    web.sites["/v2/notes?id=aBc-123_Xy"] = json_reply({"notes": [NEW], "count": 1})
    made = fetch(web)
    assert (made.text, made.title, made.coverage) == (
        "We skip the tiles that hold zeros.",
        "Sparse Tiles",
        "abstract",
    )
    assert (made.authors, made.published, made.licence) == (("Ada B.", "Eve C."), "2023-11-14", "CC BY 4.0")
    assert made.metadata["venue"] == "ICLR 2024 poster"
    assert made.metadata["pdf"] == "https://openreview.net/pdf/0123.pdf"
    assert not web.asked("/v1")


@pytest.mark.parametrize("newer", [json_reply({"notes": [], "count": 0}), json_reply({"name": "NotFoundError"}, 404)])
def test_a_note_that_only_the_older_interface_knows_is_read_there(web, newer):
    web.sites["/v2/notes?id=aBc-123_Xy"] = newer
    web.sites["/v1/notes?id=aBc-123_Xy"] = json_reply({"notes": [OLD]})
    made = fetch(web)
    assert (made.text, made.published) == ("We tile loops by hand.", "2017-07-14")


def test_a_note_that_is_closed_to_readers_says_so(web):
    web.sites["/v2/notes?id=aBc-123_Xy"] = web.sites["/v1/notes?id=aBc-123_Xy"] = Reply(403, b"{}")
    with pytest.raises(FetchFailed) as raised:
        fetch(web)
    assert raised.value.reason == "blocked"


def test_a_note_without_an_abstract_says_so(web):
    web.sites["/v2/notes?id=aBc-123_Xy"] = json_reply({"notes": [{"id": "x", "content": {"title": {"value": "T"}}}]})
    with pytest.raises(FetchFailed) as raised:
        fetch(web)
    assert raised.value.reason == "no-abstract"


def test_an_unchanged_note_keeps_its_text(web):
    web.sites["/v2/notes?id=aBc-123_Xy"] = json_reply({"notes": [NEW]})
    assert isinstance(fetch(web, fetch(web)), Unchanged)
