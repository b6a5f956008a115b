"""An update does exactly what changed: texts encoded and requests made are counted, never timed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fake_servers import Repository, Web
from followed_home import Followed, Item, readme, snapshot

ITEMS = [
    Item("dram", "A cycle-accurate simulator of memory.", "Simulators"),
    Item("noc", "A simulator of networks on chip.", "Simulators"),
    Item("gemm", "Hand-tuned matrix multiply.", "Kernels"),
    Item("attend", "Attention that stays in the cache.", "Kernels"),
    Item("trace", "Reads traces of kernels.", "Profilers"),
]


@pytest.fixture
def followed(tmp_path, tiny_encoder):
    with Web() as web:
        home = Followed(tmp_path, web, tiny_encoder, ITEMS)
        report = home.follow()
        assert report.fetched is not None
        assert report.fetched.fetched == len(ITEMS)
        web.log.clear()
        yield home


def edited(items, name, **changes):
    return [replace(item, **changes) if item.name == name else item for item in items]


def test_one_changed_note_encodes_that_entrys_own_passages_and_asks_for_nothing(followed):
    before = followed.encoded()
    followed.write(edited(ITEMS, "gemm", note="Matrix multiply for tensor cores, in assembly."))
    report = followed.update()
    assert [c.entry.title for c in report.lists[0].changes.renoted] == ["Gemm"]
    fresh = followed.encoded() - before
    assert fresh
    assert fresh == followed.keys_of("gemm", "note:") - before
    assert report.index.encoded == len(fresh)
    assert followed.web.log == []


def test_one_readme_with_a_new_etag_is_the_only_text_that_is_taken_and_encoded(followed):
    before = followed.encoded()
    followed.web.repositories["o/noc"] = Repository({"README.md": readme("noc", "now models optical links too")})
    followed.settings = replace(followed.settings, refresh_days=0.0)
    report = followed.update()
    assert (report.fetched.fetched, report.fetched.unchanged) == (1, len(ITEMS) - 1)
    fresh = followed.encoded() - before
    assert fresh
    assert fresh <= followed.keys_of("noc", "text:")
    assert report.index.encoded == len(fresh)


def test_a_source_that_says_not_modified_makes_no_new_index(followed):
    built = followed.index().folder
    followed.settings = replace(followed.settings, refresh_days=0.0)
    report = followed.update()
    assert report.fetched.unchanged == len(ITEMS)
    assert report.index.unchanged
    assert report.index.folder == built


def test_a_reordered_list_encodes_nothing_and_asks_for_nothing_but_is_shown_in_its_new_order(followed):
    before = followed.encoded()
    followed.write(list(reversed(ITEMS)))
    report = followed.update()
    assert not report.lists[0].changes
    assert report.index.encoded == 0
    assert followed.encoded() == before
    assert followed.web.log == []
    assert followed.entries()[0].title == "Trace"


def test_a_renamed_section_encodes_only_its_entries_own_passages(followed):
    before = followed.encoded()
    followed.write([replace(i, section="Models of hardware") if i.section == "Simulators" else i for i in ITEMS])
    report = followed.update()
    assert {c.entry.title for c in report.lists[0].changes.moved} == {"Dram", "Noc"}
    fresh = followed.encoded() - before
    assert fresh
    assert fresh == (followed.keys_of("dram", "note:") | followed.keys_of("noc", "note:")) - before
    assert followed.web.log == []


def test_an_added_entry_is_the_only_one_asked_for_and_encoded(followed):
    before = followed.encoded()
    followed.write([*ITEMS, Item("ring", "Collectives on a ring.", "Kernels")])
    report = followed.update()
    assert [e.title for e in report.lists[0].changes.added] == ["Ring"]
    assert report.fetched.fetched == 1
    assert {a.bare.split("/")[4] for a in followed.web.log if "/o/" in a.bare and "/github/" in a.bare} == {"ring"}
    new = followed.encoded() - before
    assert new <= followed.keys_of("ring", "note:") | followed.keys_of("ring", "text:")


def test_a_removed_entry_leaves_the_index_and_nothing_is_encoded(followed):
    before = followed.encoded()
    followed.write([i for i in ITEMS if i.name != "trace"])
    report = followed.update()
    assert [e.title for e in report.lists[0].changes.removed] == ["Trace"]
    assert report.index.encoded == 0
    assert followed.encoded() == before
    assert "Trace" not in {e.title for e in followed.entries()}


def test_an_unchanged_update_encodes_nothing_and_writes_no_file(followed):
    before, files = followed.encoded(), snapshot(followed.home)
    report = followed.update()
    assert not report.lists[0].changes
    assert report.index.unchanged
    assert followed.encoded() == before
    assert snapshot(followed.home) == files
    assert followed.web.log == []


def test_an_unchanged_update_from_an_address_makes_one_conditional_request_and_writes_no_file(tmp_path, tiny_encoder):
    with Web() as web:
        home = Followed(tmp_path, web, tiny_encoder, ITEMS)
        web.repositories["curator/chips"] = Repository({"README.md": home.source.read_text()})
        home.update(list="curator/chips")
        web.log.clear()
        files = snapshot(home.home)
        report = home.update()
        assert report.index.unchanged
        assert [(a.bare, bool(a.headers.get("if-none-match"))) for a in web.log] == [
            ("/raw/curator/chips/HEAD/README.md", True)
        ]
        assert snapshot(home.home) == files


def test_entries_that_have_no_text_to_fetch_are_written_down_once(tmp_path, tiny_encoder):
    with Web() as web:
        home = Followed(tmp_path, web, tiny_encoder, ITEMS[:2])
        talk = "\n- [A talk](https://vimeo.com/123456789) - On memory.\n"
        home.source.write_text(home.source.read_text() + talk)
        assert home.follow().fetched.note_only == 1
        files = snapshot(home.home)
        assert home.update().fetched.note_only == 1
        assert snapshot(home.home) == files
