"""The store of documents: one fate an entry, whole after anything."""

import sqlite3
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.corpus import Corpus
from accelrag.errors import StorageError
from accelrag.types import Document, Entry, EntryLink, Failure, Place

MADE = Document(
    "text:a", "a", "Words.\n\nMöre 漢字.", "full", title="T", source="https://a.example",
    fetched_at="2024-01-01T00:00:00Z", revision='etag:"1"', licence="MIT", authors=("Ada B.",), published="2024",
    metadata={"doi": "10.1/x"}, pages=(0, 8), markdown=True,
)  # fmt: skip
FAILED = Failure("a", "gone", "410", "https://a.example", True, "2024-02-01T00:00:00Z", 2)


@pytest.fixture
def corpus(tmp_path):
    with Corpus.open(tmp_path) as corpus:
        yield corpus


def test_a_document_comes_back_as_it_was_stored(corpus, tmp_path):
    corpus.put(MADE)
    assert corpus.document("a") == MADE
    with Corpus.open(tmp_path, read_only=True) as reader:
        assert list(reader.documents()) == [MADE]
    assert corpus.digests() == {"a": (MADE.digest, "full", False)}


def test_a_failure_comes_back_as_it_was_stored(corpus):
    corpus.put_failure(FAILED)
    assert corpus.failure("a") == FAILED
    assert corpus.failure("b") is None


def test_a_document_replaces_a_failure_and_a_failure_keeps_a_document_as_stale(corpus):
    corpus.put_failure(FAILED)
    corpus.put(MADE)
    assert corpus.failures() == {}
    corpus.put_failure(FAILED)
    corpus.put_failure(replace(FAILED, failed_at="2024-03-01T00:00:00Z"))
    kept = corpus.document("a")
    assert corpus.failures() == {}
    assert kept.stale
    assert kept.text == MADE.text
    said = {"stale_reason": "gone", "stale_since": "2024-02-01T00:00:00Z", "stale_for_good": "yes"}
    assert said.items() <= kept.metadata.items()
    corpus.touch("a", "2024-04-01T00:00:00Z")
    assert corpus.document("a") == replace(MADE, fetched_at="2024-04-01T00:00:00Z")


def test_an_imported_entry_comes_back_and_goes_with_its_text(corpus):
    entry = Entry(
        "a",
        "k",
        "https://a.example",
        "paper",
        (Place("T", ("S", "U"), "N", line=3),),
        ("https://b.example",),
        links=(EntryLink("https://a.example", "paper", "T"), EntryLink("https://b.example", "code")),
        authors=("Ada B.",),
        year=2024,
        venue="ICML",
    )
    corpus.put_imported(entry)
    corpus.put(MADE)
    assert list(corpus.imported()) == [entry]
    corpus.remove("a")
    assert list(corpus.imported()) == []
    assert corpus.document("a") is None


def test_a_batch_is_kept_whole_or_not_at_all(corpus):
    def half():
        with corpus.batch():
            corpus.put(MADE)
            corpus.put_failure(replace(FAILED, entry_id="b"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert corpus.digests() == {}
    assert corpus.failures() == {}
    with corpus.batch(), corpus.batch():
        corpus.put(MADE)
    assert list(corpus.digests()) == ["a"]


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=200))
def test_any_text_is_stored_to_the_letter(text):
    with Corpus.open_in_memory() as corpus:
        corpus.put(replace(MADE, text=text))
        assert corpus.document("a").text == text
        assert corpus.problems() == []


def test_reading_a_home_without_a_corpus_makes_nothing(tmp_path):
    with Corpus.open(tmp_path / "none", read_only=True) as corpus:
        assert list(corpus.documents()) == []
    assert not (tmp_path / "none").exists()


def test_many_may_open_a_new_corpus_at_once(tmp_path):
    start = threading.Barrier(8)
    problems = []

    def work():
        start.wait()
        try:
            Corpus.open(tmp_path).close()
        except StorageError as error:
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_corpus_is_said_so(tmp_path, content):
    (tmp_path / "corpus.db").write_bytes(content)
    with pytest.raises(StorageError) as error, Corpus.open(tmp_path) as corpus:
        list(corpus.documents())
    assert error.value.hint


def test_a_corpus_of_a_newer_version_is_left_alone(tmp_path):
    Corpus.open(tmp_path).close()
    with sqlite3.connect(tmp_path / "corpus.db") as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(StorageError) as error:
        Corpus.open(tmp_path)
    assert "newer" in str(error.value)


def test_a_changed_text_is_found_by_its_digest(corpus, tmp_path):
    corpus.put(MADE)
    db = sqlite3.connect(tmp_path / "corpus.db")
    db.execute("UPDATE documents SET text='changed'")
    db.commit()
    db.close()
    assert corpus.problems() == ["the text of a does not match its digest"]
