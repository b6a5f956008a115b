"""Zenodo, bioRxiv and HAL against a server that answers as their documented interfaces do."""

import pytest

from accelrag.errors import FetchFailed
from accelrag.sources import Unchanged
from accelrag.sources.hosts.archives import ArchiveTarget, archive_target
from fake_servers import Web
from fetch_place import fetch_place, json_reply

ZENODO = {
    "id": 4242,
    "doi": "10.5281/zenodo.4242",
    "metadata": {
        "title": "Traces of a Chip",
        "description": "<p>Traces of <b>ten</b> runs.</p><p>As CSV.</p>",
        "creators": [{"name": "B., Ada"}, {"name": "Eve C."}],
        "publication_date": "2024-05-06",
        "license": {"id": "cc-by-4.0"},
        "resource_type": {"title": "Dataset"},
    },
    "files": [{"key": "about.pdf", "links": {"self": "https://zenodo.org/api/records/4242/files/about.pdf/content"}}],
}
RXIV = {
    "messages": [{"status": "ok"}],
    "collection": [
        {
            "title": "Folding on a Chip",
            "abstract": "First words.",
            "authors": "B., A.",
            "version": "1",
            "date": "2023-01-02",
        },
        {
            "title": "Folding on a Chip",
            "abstract": "We fold in memory.",
            "authors": "B., A.; C., E. F.",
            "version": "2",
            "date": "2023-04-05",
            "license": "cc_by_nc",
            "category": "bioinformatics",
        },
    ],
}
HAL = {
    "response": {
        "numFound": 1,
        "docs": [
            {
                "title_s": ["Des puces", "Chips"],
                "abstract_s": ["Nous montrons une puce."],
                "authFullName_s": ["Ada B."],
                "publicationDate_s": "2021-02-03",
                "doiId_s": "10.1/x",
                "uri_s": "https://hal.science/hal-01234567v2",
                "fileMain_s": "https://hal.science/hal-01234567v2/document",
            }
        ],
    }
}


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://zenodo.org/record/4242", ArchiveTarget("zenodo", "4242")),
        ("https://zenodo.org/records/4242/files/x.zip", ArchiveTarget("zenodo", "4242")),
        ("https://doi.org/10.5281/zenodo.4242", ArchiveTarget("zenodo", "4242")),
        (
            "https://www.biorxiv.org/content/10.1101/2023.01.02.522222v2.full",
            ArchiveTarget("biorxiv", "10.1101/2023.01.02.522222"),
        ),
        (
            "https://www.medrxiv.org/content/10.1101/2023.01.02.23299999v1",
            ArchiveTarget("medrxiv", "10.1101/2023.01.02.23299999"),
        ),
        ("https://www.biorxiv.org/content/early/2017/05/06/133333", ArchiveTarget("biorxiv", "10.1101/133333")),
        ("https://hal.science/hal-01234567v2/document", ArchiveTarget("hal", "hal-01234567")),
        ("https://inria.hal.science/hal-01234567", ArchiveTarget("hal", "hal-01234567")),
        ("https://hal.archives-ouvertes.fr/tel-01234567", ArchiveTarget("hal", "tel-01234567")),
        ("https://zenodo.org/communities/chips", None),
        ("https://doi.org/10.1145/3579371", None),
        ("https://www.biorxiv.org/about", None),
    ],
)
def test_a_link_names_a_record_or_none(url, target):
    assert archive_target(url) == target


def test_a_zenodo_record_gives_its_description_without_tags_and_its_file(web):
    web.sites["/api/records/4242"] = json_reply(ZENODO)
    made = fetch_place(web, "archives", "https://zenodo.org/records/4242")
    assert made.text == "Traces of ten runs.\n\nAs CSV."
    assert (made.authors, made.licence, made.published) == (("Ada B.", "Eve C."), "cc-by-4.0", "2024-05-06")
    assert made.metadata["pdf"].endswith("about.pdf/content")


def test_a_preprint_gives_the_abstract_of_its_last_version(web):
    web.sites["/details/biorxiv/10.1101/2023.01.02.522222"] = json_reply(RXIV)
    made = fetch_place(web, "archives", "https://www.biorxiv.org/content/10.1101/2023.01.02.522222v1")
    assert (made.text, made.authors) == ("We fold in memory.", ("A. B.", "E. F. C."))
    assert (made.licence, made.published) == ("CC-BY-NC", "2023-04-05")
    assert made.metadata["pdf"] == "https://www.biorxiv.org/content/10.1101/2023.01.02.522222v2.full.pdf"


def test_a_hal_record_is_asked_for_by_its_number(web):
    web.sites["/search/"] = json_reply(HAL)
    made = fetch_place(web, "archives", "https://hal.science/hal-01234567v2")
    assert (made.text, made.title, made.metadata["doi"]) == ("Nous montrons une puce.", "Des puces", "10.1/x")
    assert web.asked("/search/")[0].query["q"] == "halId_s:hal-01234567"


@pytest.mark.parametrize(
    ("url", "path", "answer"),
    [
        (
            "https://www.biorxiv.org/content/10.1101/2023.01.02.522222v1",
            "/details/biorxiv/10.1101/2023.01.02.522222",
            {"messages": [{"status": "no posts found"}], "collection": []},
        ),
        ("https://hal.science/hal-01234567", "/search/", {"response": {"numFound": 0, "docs": []}}),
        ("https://hal.science/hal-01234567", "/search/", {"error": "x"}),
    ],
)
def test_a_record_that_the_archive_does_not_know_says_so(web, url, path, answer):
    web.sites[path] = json_reply(answer)
    with pytest.raises(FetchFailed) as raised:
        fetch_place(web, "archives", url)
    assert raised.value.reason == "unknown-id"


def test_the_same_abstract_is_unchanged(web):
    web.sites["/api/records/4242"] = json_reply(ZENODO)
    known = fetch_place(web, "archives", "https://zenodo.org/records/4242")
    assert isinstance(fetch_place(web, "archives", "https://zenodo.org/records/4242", known=known), Unchanged)
