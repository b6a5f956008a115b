"""The fetch loop: one fate for every entry, stored as it comes."""

from dataclasses import replace

import pytest

from accelrag import ingest
from accelrag.corpus import Corpus
from accelrag.errors import FetchFailed, FetchTransient
from accelrag.settings import Settings
from accelrag.sources import REASONS, Unchanged
from accelrag.sources.requests import document
from accelrag.transport import Transport
from accelrag.types import Document
from fake_entries import entries
from fake_servers import Paper, Reply, Repository, Web
from fake_time import FakeTime

DAY = 86_400
PAGE = (
    "<title>T</title><article><h1>T</h1><p>"
    + "A sentence of a page that is long enough to be kept. " * 12
    + "</p></article>"
)


class Scripted:
    """A source that gives what it was told to give, and remembers what it was asked."""

    name, batch = "scripted", 1

    def __init__(self, **outcomes):
        self.outcomes = outcomes
        self.asked = []

    def fetch(self, requests):
        for request in requests:
            self.asked.append(request.entry.url)
            outcome = self.outcomes[request.entry.url.rpartition("/")[2]]
            if callable(outcome):
                outcome = outcome(request)
            if isinstance(outcome, BaseException):
                raise outcome
            yield [(request, document(request, outcome, "page", source="x") if isinstance(outcome, str) else outcome)]


class Told:
    def __init__(self):
        self.events = []

    def start(self, source, total):
        self.events.append(("start", source, total))

    def advance(self, source):
        self.events.append(("advance", source))

    def done(self, source):
        self.events.append(("done", source))


@pytest.fixture
def fake():
    return FakeTime()


@pytest.fixture
def corpus(tmp_path):
    with Corpus.open(tmp_path / "corpus") as corpus:
        yield corpus


@pytest.fixture
def fetch(corpus, fake):
    settings = Settings(fetch_workers=3)

    def fetch(source, names="abc", **options):
        with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            found = entries(*[f"https://{n}.example/{n}" for n in names])
            summary = ingest.fetch(found, corpus, settings, transport=transport, clock=fake.clock,
                                   sources={"page": source}, **options)  # fmt: skip
        assert summary.accounted == summary.total == len(names)
        known, failed = set(corpus.digests()), set(corpus.failures())
        assert not known & failed
        return summary

    return fetch


def text_of(corpus, name):
    (entry,) = entries(f"https://{name}.example/{name}")
    return corpus.document(entry.id)


def failure_of(corpus, name):
    (entry,) = entries(f"https://{name}.example/{name}")
    return corpus.failure(entry.id)


def test_every_entry_ends_as_a_document_or_a_failure(corpus, fetch):
    source = Scripted(a="Words.", b=FetchFailed("no", reason="gone"), c=FetchTransient("later", reason="timeout"))
    summary = fetch(source)
    assert (summary.fetched, summary.failed, dict(summary.reasons)) == (1, 2, {"gone": 1, "timeout": 1})
    made = text_of(corpus, "a")
    assert (made.text, made.id, made.fetched_at) == ("Words.", f"text:{made.entry_id}", "2023-11-14T22:13:20Z")
    assert failure_of(corpus, "b").permanent
    assert not failure_of(corpus, "c").permanent


def test_what_failed_for_good_is_not_asked_again_until_wanted(corpus, fetch):
    source = Scripted(a="Words.", b=FetchFailed("no", reason="not-found"), c=FetchTransient("later", reason="dns"))
    fetch(source)
    source.asked.clear()
    summary = fetch(source)
    assert source.asked == ["https://c.example/c"]
    assert (summary.fresh, summary.failed) == (1, 2)
    assert failure_of(corpus, "c").attempts == 2
    source.asked.clear()
    fetch(source, retry_failed=True)
    assert sorted(source.asked) == ["https://b.example/b", "https://c.example/c"]


def test_an_old_text_is_asked_for_again_and_a_young_one_is_not(corpus, fetch, fake):
    source = Scripted(a="Words.", b="Words.", c="Words.")
    fetch(source)
    source.outcomes = {"a": Unchanged(), "b": "Words.", "c": "Other words."}
    fake.now += 29 * DAY
    assert fetch(source).fresh == 3
    fake.now += 2 * DAY
    summary = fetch(source)
    assert (summary.unchanged, summary.fetched) == (2, 1)
    assert text_of(corpus, "c").text == "Other words."
    assert fetch(source).fresh == 3


def test_a_failed_refetch_keeps_the_old_text_as_stale(corpus, fetch, fake):
    source = Scripted(a="Words.", b="Words.", c="Words.")
    fetch(source)
    fake.now += 31 * DAY
    source.outcomes |= {"a": FetchTransient("x", reason="timeout"), "b": FetchFailed("x", reason="gone")}
    summary = fetch(source)
    assert (summary.stale_kept, summary.unchanged) == (2, 1)
    assert text_of(corpus, "a").stale
    assert text_of(corpus, "a").text == "Words."
    assert text_of(corpus, "b").metadata["stale_reason"] == "gone"
    assert corpus.failures() == {}
    source.asked.clear()
    source.outcomes["a"] = Unchanged()
    summary = fetch(source)
    assert source.asked == ["https://a.example/a"], "gone for good is not asked for again"
    assert (summary.unchanged, summary.stale_kept, summary.fresh) == (1, 1, 1)
    assert not text_of(corpus, "a").stale
    assert "stale_reason" not in text_of(corpus, "a").metadata


def test_a_fault_in_a_source_is_the_failure_of_its_entry_alone(corpus, fetch):
    summary = fetch(Scripted(a="Words.", b=ZeroDivisionError("oops"), c="Words."))
    assert summary.fetched == 2
    assert failure_of(corpus, "b").reason == "internal"
    assert "ZeroDivisionError" in failure_of(corpus, "b").detail


def test_a_source_that_forgets_an_entry_is_found_out(corpus, fetch):
    class Forgetful(Scripted):
        def fetch(self, requests):
            return iter(())

    assert fetch(Forgetful()).failed == 3


def test_offline_asks_nobody(corpus, fetch):
    source = Scripted(a="Words.")
    fetch(source, "a")
    summary = fetch(source, "abc", offline=True)
    assert source.asked == ["https://a.example/a"]
    assert (summary.fresh, summary.failed) == (1, 2)
    assert failure_of(corpus, "b").reason == "offline"


def test_a_limit_and_a_kind_leave_the_others_for_another_run(corpus, fetch):
    source = Scripted(a="Words.", b="Words.", c="Words.")
    assert (fetch(source, limit=2).skipped, len(source.asked)) == (1, 2)
    assert fetch(source, only="paper").skipped == 3
    assert fetch(source, only={"page"}).fetched == 1


def test_a_run_that_is_cancelled_keeps_what_it_has(corpus, fetch):
    source = Scripted(a="Words.", b="Words.", c="Words.")
    answers = iter([False, False, True, True])
    summary = fetch(source, cancelled=lambda: next(answers))
    assert summary.cancelled
    assert summary.fetched >= 1
    assert summary.skipped == 3 - summary.fetched
    assert fetch(source).accounted == 3
    assert len(corpus.digests()) == 3


def test_an_interrupt_keeps_what_was_stored(corpus, fetch):
    class Interrupting(Told):
        def advance(self, source):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(Scripted(a="Words.", b="Words.", c="Words."), progress=Interrupting())
    assert len(corpus.digests()) == 1
    assert fetch(Scripted(a="Words.", b="Words.", c="Words.")).fetched == 2


def test_progress_is_told_for_each_source(fetch):
    told = Told()
    fetch(Scripted(a="Words.", b="Words.", c=FetchFailed("x", reason="gone")), progress=told)
    assert told.events == [("start", "page", 3), *[("advance", "page")] * 3, ("done", "page")]


def test_note_only_kinds_are_not_fetched_and_not_failed(corpus, fake):
    settings = Settings()
    with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
        found = entries("https://www.youtube.com/@channel", "https://www.elsevier.com/books/x/978-0-12-811905-1")
        for _ in range(2):
            summary = ingest.fetch(found, corpus, settings, transport=transport, clock=fake.clock)
            assert (summary.note_only, summary.failed) == (2, 0)
    assert {f.reason for f in corpus.failures().values()} == {"note-only"}
    assert all(f.permanent for f in corpus.failures().values())


def test_a_whole_list_over_real_servers(corpus, fake):
    with Web() as web:
        web.papers["2309.06180"] = Paper("Paper", "An abstract.")
        web.repositories["o/r"] = Repository({"README.md": "Words of a README that is kept."})
        web.sites["/page"] = Reply(200, PAGE.encode(), {"content-type": "text/html", "etag": '"1"'})
        settings = Settings(**web.settings)
        urls = ["https://arxiv.org/abs/2309.06180", "https://arxiv.org/abs/2399.99999", "https://github.com/o/r",
                "https://github.com/o/none", f"{web.url}/page", f"{web.url}/gone", "https://youtu.be/x"]  # fmt: skip
        with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            summary = ingest.fetch(entries(*urls), corpus, settings, transport=transport, clock=fake.clock)
        assert (summary.fetched, summary.failed, summary.note_only, summary.total) == (3, 3, 1, 7)
        assert dict(summary.reasons) == {"unknown-id": 1, "not-found": 2}
        assert set(summary.reasons) <= set(REASONS)
        assert {d.coverage for d in corpus.documents()} == {"abstract", "readme", "page"}


def test_a_clock_that_was_set_back_asks_again_rather_than_never(corpus, fetch, fake):
    source = Scripted(a="Words.")
    fetch(source, "a")
    fake.now -= 400 * DAY
    source.outcomes["a"] = Unchanged()
    assert fetch(source, "a").unchanged == 1


def test_an_imported_text_is_not_fetched_over(corpus, fetch):
    (entry,) = entries("https://a.example/a")
    corpus.put(Document(f"text:{entry.id}", entry.id, "Mine.", "full", metadata={"imported": "file"}))
    source = Scripted(a="Words.")
    assert fetch(source, "a").fresh == 1
    assert replace(corpus.document(entry.id)).text == "Mine."
