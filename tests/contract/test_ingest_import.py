"""Import of JSON Lines: what people have already."""

import gzip
import json

import pytest

from accelrag.corpus import Corpus
from accelrag.errors import UsageError
from accelrag.ingest import import_jsonl

TEXT = "The board moves 819 gigabytes in a second."


@pytest.fixture
def corpus(tmp_path):
    with Corpus.open(tmp_path / "corpus") as corpus:
        yield corpus


@pytest.fixture
def load(tmp_path, corpus):
    def load(*records, name="a.jsonl", pack=bytes):
        lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
        (tmp_path / name).write_bytes(pack("\n".join(lines).encode("utf-8", "surrogatepass")))
        summary = import_jsonl(tmp_path / name, corpus)
        assert summary.accounted == summary.total
        assert corpus.problems() == []
        return summary

    return load


def test_a_record_becomes_an_entry_with_its_text(corpus, load):
    load({
        "title": "Boards", "text": TEXT, "url": "https://arxiv.org/abs/2301.00001v2", "authors": ["Ada B.", "Eve C."],
        "note": "Fast.", "section": "Memory > HBM", "year": 2023,
    })  # fmt: skip
    (entry,) = corpus.imported()
    made = corpus.document(entry.id)
    assert (entry.title, entry.key, entry.note) == ("Boards", "https://arxiv.org/abs/2301.00001", "Fast.")
    assert entry.sections == (("Memory", "HBM"),)
    assert (made.text, made.authors, made.published, made.id) == (
        TEXT,
        ("Ada B.", "Eve C."),
        "2023",
        f"text:{entry.id}",
    )


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Ada B., Eve C.", ("Ada B.", "Eve C.")),
        ("Ada B.; Eve C.", ("Ada B.", "Eve C.")),
        ("B., Ada and C., Eve", ("Ada B.", "Eve C.")),
        ("Ada B., Eve C. and Dan D.", ("Ada B.", "Eve C.", "Dan D.")),
        ([{"name": "Ada B."}], ("Ada B.",)),
        (None, ()),
    ],
)
def test_authors_in_the_forms_that_people_write(corpus, load, said, names):
    load({"title": "T", "text": TEXT, "url": "https://a.example/1", "authors": said})
    assert next(corpus.documents()).authors == names


@pytest.mark.parametrize(
    ("name", "pack"), [("a.jsonl", bytes), ("a.jsonl.gz", gzip.compress), ("zipped", gzip.compress)]
)
def test_gzip_is_told_by_its_bytes(load, name, pack):
    assert load({"title": "T", "abstract": TEXT, "url": "https://a.example"}, name=name, pack=pack).fetched == 1


def test_bad_lines_are_told_by_number_and_the_others_are_kept(corpus, load):
    good = {"title": "T", "text": TEXT, "url": "https://a.example/1"}
    summary = load(
        "{broken", good, "[1]", {"title": "T"}, {"text": TEXT}, "", {**good, "url": "javascript:alert(1)"}, "null"
    )
    assert (summary.total, summary.fetched, summary.failed) == (7, 1, 6)
    assert [e.split(":")[1] for e in summary.errors] == ["1", "3", "4", "5", "7", "8"]
    assert len(corpus.digests()) == 1


def test_a_file_without_a_usable_line_is_an_error(load):
    with pytest.raises(UsageError) as error:
        load("not json", "nor this")
    assert ":1:" in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x1f\x8b broken gzip"])
def test_an_empty_or_damaged_file_is_an_error(tmp_path, corpus, content):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(UsageError):
        import_jsonl(tmp_path / "a", corpus)


def test_a_missing_file_is_an_error(tmp_path, corpus):
    with pytest.raises(UsageError):
        import_jsonl(tmp_path / "missing.jsonl", corpus)


def test_a_record_without_address_keeps_its_id_from_run_to_run(corpus, load):
    record = {"title": "T", "text": TEXT}
    assert load(record).fetched == 1
    assert load(record).unchanged == 1
    (entry,) = corpus.imported()
    assert entry.url.startswith("urn:accelrag:")


def test_what_is_imported_is_clean(corpus, load):
    load({"title": "T\u202eitle\n2", "text": f"\x1b[31m{TEXT}\x00\u200b<script>", "url": "https://a.example"},
         '{"title": "B", "text": "\\ud800 lone", "url": "https://b.example"}')  # fmt: skip
    texts = {d.title: d.text for d in corpus.documents()}
    assert texts == {"Title 2": f"{TEXT}<script>", "B": " lone"}
