"""The scholarly source against Semantic Scholar, Crossref, OpenAlex and landing pages."""

import pytest

from accelrag.errors import AccelragError, FetchFailed
from accelrag.settings import Settings
from accelrag.sources import Request, Unchanged
from accelrag.sources.hosts.page import PageSource
from accelrag.sources.hosts.scholarly import ScholarlySource
from accelrag.transport import Transport
from accelrag.types import Document
from fake_entries import entries
from fake_servers import Reply, Web
from fake_time import FakeTime

ABSTRACT = (
    "We measure how often weights are read, and show that keeping them near the multipliers saves 41% of energy."
)
DOI = "10.1145/3579371.3589350"
S2 = {
    "title": "Weights at Home", "abstract": ABSTRACT, "authors": [{"name": "Ada B."}], "year": 2023, "venue": "ISCA",
    "externalIds": {"DOI": DOI.upper()},
}  # fmt: skip
CROSSREF = {
    "DOI": DOI, "title": ["Weights at <i>Home</i>"], "author": [{"given": "Ada", "family": "B."}],
    "abstract": f"<jats:title>Abstract</jats:title><jats:p>{ABSTRACT}</jats:p>",
    "published": {"date-parts": [[2023, 6, 17]]}, "container-title": ["ISCA"],
    "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/"}],
}  # fmt: skip
OPENALEX = {
    "title": "Weights at Home", "publication_date": "2023-06-17",
    "abstract_inverted_index": {w: [n for n, v in enumerate(ABSTRACT.split()) if v == w] for w in ABSTRACT.split()},
    "authorships": [{"author": {"display_name": "Ada B."}}],
}  # fmt: skip


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.fixture
def fetch(web):
    def fetch(*urls, known=None):
        fake = FakeTime()
        settings = Settings(**web.settings)

        def resolve(host, port):
            return ["127.0.0.1"]

        with Transport(settings, clock=fake.clock, sleep=fake.sleep, resolve=resolve, spacing=0.0) as transport:
            source = ScholarlySource(settings, transport, PageSource(settings, transport))
            requests = [Request(e, known) for e in entries(*urls, title="Weights at Home")]
            found = [o for answer in source.fetch(requests) for _, o in answer]
        assert len(found) == len(requests)
        return found

    return fetch


@pytest.mark.parametrize(
    "record", [{"s2": S2}, {"crossref": CROSSREF}, {"openalex": OPENALEX}], ids=lambda r: next(iter(r))
)
def test_any_catalogue_will_do(web, fetch, record):
    web.works[DOI] = record
    (made,) = fetch(f"https://doi.org/{DOI}")
    assert made.text == ABSTRACT
    assert (made.title, made.authors, made.published[:4], made.coverage) == (
        "Weights at Home",
        ("Ada B.",),
        "2023",
        "abstract",
    )
    assert made.metadata["doi"] == DOI
    assert made.licence == ("https://creativecommons.org/licenses/by/4.0/" if "crossref" in record else "")


def test_semantic_scholar_is_asked_once_for_all(web, fetch):
    web.works = {f"10.1145/{n}": {"s2": {**S2, "title": f"T{n}"}} for n in range(30)}
    found = fetch(*[f"https://doi.org/10.1145/{n}" for n in range(30)])
    assert all(isinstance(o, Document) for o in found)
    assert [o.title for o in found] == [f"T{n}" for n in range(30)]
    assert len(web.asked("/s2/")) == 1


def test_a_catalogue_that_fails_is_passed_over(web, fetch):
    web.works[DOI] = {"crossref": CROSSREF}
    web.answer = lambda asked, answer=web.answer: Reply(500) if asked.path.startswith("/s2") else answer(asked)
    assert fetch(f"https://doi.org/{DOI}")[0].text == ABSTRACT


def test_an_ieee_number_is_found_by_the_record_that_names_it_and_by_no_other(web, fetch):
    address = "https://ieeexplore.ieee.org/document/{}/"
    web.works["10.1109/wrong"] = {
        "crossref": {**CROSSREF, "DOI": "10.1109/wrong", "resource": {"primary": {"URL": address.format(77)}}}
    }
    web.works["10.1109/right"] = {
        "crossref": {**CROSSREF, "DOI": "10.1109/right", "resource": {"primary": {"URL": address.format(7)}}}
    }
    (made,) = fetch("https://ieeexplore.ieee.org/document/7")
    assert made.metadata["doi"] == "10.1109/right"


def test_a_title_that_merely_looks_alike_is_not_enough(web, fetch):
    web.works["10.1109/other"] = {"crossref": CROSSREF}
    (outcome,) = fetch("https://ieeexplore.ieee.org/document/7")
    assert isinstance(outcome, AccelragError)


@pytest.mark.parametrize(
    "body",
    [
        f'<meta name="citation_abstract" content="{ABSTRACT}">',
        f'</head><body><div class="abstract"><p>{ABSTRACT}</p></div>',
        f"</head><body><h4>Abstract</h4><p>{ABSTRACT}</p><h4>Files</h4><p>none</p>",
    ],
)
def test_a_landing_page_gives_its_abstract_and_names(web, fetch, body):
    page = f"""<html><head><title>x</title><meta name="citation_title" content="Weights at Home">
        <meta name="citation_author" content="B., Ada"><meta name="citation_author" content="Eve C.">
        <meta name="citation_publication_date" content="2023/06/17">{body}</body></html>"""
    url = f"http://www.usenix.org:{web.port}/conference/osdi22/presentation/yu"
    web.sites["/conference/osdi22/presentation/yu"] = Reply(200, page.encode(), {"content-type": "text/html"})
    (made,) = fetch(url)
    assert made.text == ABSTRACT
    assert (made.title, made.authors, made.published) == ("Weights at Home", ("Ada B.", "Eve C."), "2023-06-17")


def test_no_abstract_anywhere_is_said_so(web, fetch):
    web.works[DOI] = {"crossref": {**CROSSREF, "abstract": ""}}
    (outcome,) = fetch(f"http://doi.org:{web.port}/{DOI}")
    assert isinstance(outcome, FetchFailed)
    assert outcome.reason in {"no-abstract", "not-found"}


def test_the_same_abstract_is_unchanged(web, fetch):
    web.works[DOI] = {"s2": S2}
    (made,) = fetch(f"https://doi.org/{DOI}")
    assert isinstance(fetch(f"https://doi.org/{DOI}", known=made)[0], Unchanged)


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"[1, 2]", b'{"error": 1}', b"null", b"<html>", b'[{"abstract": 5, "authors": "x"}]']
)
def test_a_catalogue_that_answers_nonsense_is_passed_over(web, fetch, answer):
    web.works[DOI] = {"crossref": CROSSREF}
    web.answer = lambda asked, real=web.answer: Reply(200, answer) if asked.path.startswith("/s2") else real(asked)
    assert fetch(f"https://doi.org/{DOI}")[0].text == ABSTRACT


@pytest.mark.parametrize(
    "answer", [b'{"message": 1}', b'{"message": {"title": 5, "author": [1], "published": {"date-parts": [["x"]]}}}']
)
def test_a_crossref_record_of_the_wrong_shape_is_passed_over(web, fetch, answer):
    web.works[DOI] = {"openalex": OPENALEX}
    web.answer = lambda asked, real=web.answer: (
        Reply(200, answer) if asked.path.startswith("/crossref") else real(asked)
    )
    assert fetch(f"https://doi.org/{DOI}")[0].text == ABSTRACT
