from __future__ import annotations

from pathlib import Path

import pytest

from accelrag.corpus import Corpus
from accelrag.errors import ListError
from accelrag.pipeline import entries_of, home_lists
from accelrag.pipeline.registry import HomeList, write_registry
from accelrag.settings import DEFAULT_LIST, Settings
from accelrag.types import Entry, Place
from small_list import LIST


def settings(home: Path, **flags: str) -> Settings:
    return Settings.load({"home": home, **flags}, environ={})


def test_a_home_without_a_list_has_the_one_that_travels_with_accelrag(tmp_path):
    (only,) = home_lists(settings(tmp_path))
    assert only.path.name == DEFAULT_LIST
    entries, (mark,) = entries_of(settings(tmp_path))
    assert (len(entries), mark["entries"]) == (226, 226)


def test_the_one_list_in_the_corpus_is_the_list_of_the_home(home):
    (home / "corpus" / "README.md").write_text("About this folder.", encoding="utf-8")
    (only,) = home_lists(settings(home))
    assert only.path == home / "corpus" / "test-chips.md"


def test_several_lists_in_the_corpus_are_never_passed_over_in_silence(home):
    (home / "corpus" / "second.md").write_text(LIST, encoding="utf-8")
    with pytest.raises(ListError, match=r"holds 2 lists: second\.md, test-chips\.md") as error:
        home_lists(settings(home))
    assert "accelrag update --list" in error.value.hint
    (named,) = home_lists(settings(home, list=str(home / "corpus" / "second.md")))
    assert named.path.name == "second.md"


def test_an_entry_of_two_lists_is_one_entry_with_both_places(home):
    second = "# Second\n\n## Tools\n\n- [Fast GEMM](https://github.com/example/FastGEMM) — Again.\n"
    (home / "corpus" / "second.md").write_text(second, encoding="utf-8")
    names = ("first", "second")
    files = ("test-chips.md", "second.md")
    registered = [HomeList(n, home / "corpus" / f, f"https://x.org/{f}") for n, f in zip(names, files, strict=True)]
    write_registry(home / "corpus", registered)
    entries, marks = entries_of(settings(home))
    assert len(entries) == 6
    (shared,) = [e for e in entries if len(e.lists) > 1]
    assert shared.titles == ("FastGEMM", "Fast GEMM")
    assert [mark["name"] for mark in marks] == ["first", "second"]
    assert [known.name for known in home_lists(settings(home, list="second"))] == ["second"]
    assert [known.name for known in home_lists(settings(home, list="https://x.org/second.md"))] == ["second"]


def test_imported_entries_come_after_those_of_the_list(home):
    own = Entry("imp", "x.org/imp", "https://x.org/imp", "paper", (Place("Imported", ("Imported",), ""),))
    with Corpus.open(home / "corpus") as corpus:
        corpus.put_imported(own)
        entries, _ = entries_of(settings(home), corpus)
    assert [e.title for e in entries][-1] == "Imported"
    assert len(entries) == 7


@pytest.mark.parametrize("raw", ["{not json", "[]", '{"a": 1}', '{"a": {}}'])
def test_a_broken_registry_is_one_line(home, raw):
    (home / "corpus" / "lists.json").write_text(raw, encoding="utf-8")
    with pytest.raises(ListError, match=r"lists\.json cannot be read"):
        home_lists(settings(home))


def test_a_registry_cannot_name_a_file_outside_the_corpus(home):
    registry = '{"evil": {"source": "", "file": "../../../etc/passwd"}}'
    (home / "corpus" / "lists.json").write_text(registry, encoding="utf-8")
    (only,) = home_lists(settings(home))
    assert only.path == home / "corpus" / "passwd"


def test_a_list_of_an_unknown_user_is_one_line(home):
    with pytest.raises(ListError):
        entries_of(settings(home, list="~nobody-of-that-name/list.md"))
