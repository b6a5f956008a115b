"""Cards and papers of Hugging Face against a server that answers as its documented interface does."""

import json

import pytest

from accelrag.errors import FetchFailed
from accelrag.settings import Settings
from accelrag.sources import Request, Unchanged, registered
from accelrag.sources.hosts.huggingface import HubTarget, hub_target
from accelrag.transport import Transport
from fake_entries import entries
from fake_servers import Reply, Web
from fake_time import FakeTime

CARD = "---\nlicense: apache-2.0\ntags: [speech]\n---\n# Tiny\n\nTiny turns speech into text on a phone."
ABOUT = {
    "id": "acme/tiny", "author": "acme", "lastModified": "2026-01-02T03:04:05.000Z", "pipeline_tag": "asr",
    "downloads": 12, "likes": 3, "tags": ["speech"], "cardData": {"license": "apache-2.0"},
    "createdAt": "2025-02-03T00:00:00.000Z",
}  # fmt: skip


def answer(value):
    return Reply(200, json.dumps(value).encode(), {"content-type": "application/json"})


@pytest.fixture
def web():
    with Web() as web:
        yield web


@pytest.fixture
def fetch(web):
    def fetch(url, known=None):
        fake = FakeTime()
        settings = Settings(**web.settings, bases={"huggingface": web.url})
        with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            (request,) = [Request(e, known) for e in entries(url)]
            assert registered().route(request.entry) == "huggingface"
            source = registered().build(settings, transport)["huggingface"]
            ((_, outcome),) = next(iter(source.fetch([request])))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return fetch


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://huggingface.co/acme/tiny", HubTarget("models", "acme/tiny")),
        ("https://huggingface.co/acme/tiny/tree/main", HubTarget("models", "acme/tiny")),
        ("https://hf.co/datasets/acme/words", HubTarget("datasets", "acme/words")),
        ("https://huggingface.co/datasets/squad", HubTarget("datasets", "squad")),
        ("https://huggingface.co/spaces/acme/demo", HubTarget("spaces", "acme/demo")),
        ("https://huggingface.co/papers/2309.06180", HubTarget("papers", "2309.06180")),
        ("https://huggingface.co/blog/tiny", None),
        ("https://huggingface.co/docs/transformers/index", None),
        ("https://huggingface.co/acme", None),
        ("https://example.org/acme/tiny", None),
    ],
)
def test_a_link_names_a_card_a_paper_or_an_ordinary_page(url, target):
    assert hub_target(url) == target


@pytest.mark.parametrize("kind", ["models", "datasets", "spaces"])
def test_a_card_comes_without_its_head_and_with_its_licence(web, fetch, kind):
    folder = "" if kind == "models" else f"{kind}/"
    web.sites[f"/{folder}acme/tiny/raw/main/README.md"] = Reply(200, CARD.encode(), {"content-type": "text/plain"})
    web.sites[f"/api/{kind}/acme/tiny"] = answer(ABOUT)
    made = fetch(f"https://huggingface.co/{folder}acme/tiny")
    assert made.text == "# Tiny\n\nTiny turns speech into text on a phone."
    assert (made.coverage, made.licence, made.published) == ("readme", "apache-2.0", "2025-02-03")
    assert (made.metadata["updated"], made.metadata["task"]) == ("2026-01-02", "asr")


def test_a_dataset_without_a_card_gives_its_description(web, fetch):
    web.sites["/api/datasets/acme/words"] = answer(ABOUT | {"description": "Ten thousand words."})
    assert fetch("https://huggingface.co/datasets/acme/words").text == "Ten thousand words."


def test_a_card_is_kept_when_the_interface_is_out_of_order(web, fetch):
    web.sites["/acme/tiny/raw/main/README.md"] = Reply(200, CARD.encode())
    web.sites["/api/models/acme/tiny"] = Reply(500)
    assert "speech into text" in fetch("https://huggingface.co/acme/tiny").text


def test_a_paper_gives_its_abstract(web, fetch):
    web.sites["/api/papers/2309.06180"] = answer(
        {"title": "Pages", "summary": "It keeps keys in pages.", "authors": [{"name": "A. Author"}],
         "publishedAt": "2023-09-12T00:00:00.000Z"}
    )  # fmt: skip
    made = fetch("https://huggingface.co/papers/2309.06180")
    assert (made.text, made.coverage, made.authors) == ("It keeps keys in pages.", "abstract", ("A. Author",))
    assert (made.metadata["eprint"], made.published) == ("2309.06180", "2023-09-12")


def test_what_is_not_there_says_so(web, fetch):
    with pytest.raises(FetchFailed) as raised:
        fetch("https://huggingface.co/acme/none")
    assert raised.value.reason == "not-found"


def test_an_unchanged_card_keeps_its_text(web, fetch):
    card = Reply(200, CARD.encode(), {"etag": '"1"'})
    web.sites["/acme/tiny/raw/main/README.md"] = lambda a: (
        Reply(304) if a.headers.get("if-none-match") == '"1"' else card
    )
    web.sites["/api/models/acme/tiny"] = answer(ABOUT)
    assert isinstance(fetch("https://huggingface.co/acme/tiny", fetch("https://huggingface.co/acme/tiny")), Unchanged)
