"""Following lists: from a path, an address or a repository, several in one home, refused when they are wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from accelrag.corpus import Corpus
from accelrag.errors import AccelragError, FetchFailed, ListError, UsageError
from accelrag.pipeline import Assistant, collect_garbage
from accelrag.pipeline.refresh import list_name
from fake_servers import Reply, Repository, Web
from followed_home import Followed, Item, list_text, snapshot

ITEMS = [
    Item("dram", "A cycle-accurate simulator of memory.", "Simulators"),
    Item("noc", "A simulator of networks on chip.", "Simulators"),
    Item("gemm", "Hand-tuned matrix multiply.", "Kernels"),
    Item("attend", "Attention that stays in the cache.", "Kernels"),
]
OTHERS = [Item("ring", "Collectives on a ring."), Item("gemm", "The multiply that all use.", "Numerics")]


@pytest.fixture
def web():
    with Web() as server:
        yield server


@pytest.fixture
def followed(tmp_path, web, tiny_encoder):
    home = Followed(tmp_path, web, tiny_encoder, ITEMS)
    home.follow()
    return home


def titles(settings, query="simulator of memory networks multiply cache ring"):
    assistant = Assistant.open(settings, build=False)
    try:
        return {r.entry.title for r in assistant.search(query, limit=20).results}
    finally:
        assistant.close()


def test_what_happened_is_told_in_words_and_as_json(followed):
    moved = replace(ITEMS[1], section="Networks")
    renamed = replace(ITEMS[2], title="FastGEMM")
    followed.write([ITEMS[0], moved, renamed, Item("ring", "Collectives on a ring.", "Kernels")])
    told = []
    shape = followed.update(told=told.append, dry_run=True).to_dict()
    words = "\n".join(told[0].changes.lines())
    assert "added: Ring (Kernels) https://github.com/o/ring" in words
    assert "removed: Attend (Kernels)" in words
    assert "moved: Noc from Simulators to Networks" in words
    assert "renamed: “Gemm” is now “FastGEMM”" in words
    changes = shape["lists"][0]["changes"]
    assert [c["title"] for c in changes["moved"]] == ["Noc"]
    assert changes["moved"][0]["before"] == ["Simulators"]
    assert shape["missing"] == 1
    assert json.loads(json.dumps(shape)) == shape


def test_a_dry_run_writes_nothing_even_into_a_new_home(tmp_path, web, tiny_encoder):
    home = Followed(tmp_path, web, tiny_encoder, ITEMS)
    report = home.follow(dry_run=True)
    assert report.lists[0].first
    assert not home.home.exists()
    home.follow()
    home.write(ITEMS[:3])
    files = snapshot(home.home)
    assert [e.title for e in home.update(dry_run=True).lists[0].changes.removed] == ["Attend"]
    assert snapshot(home.home) == files


def test_a_list_that_lost_more_than_half_is_refused_until_forced(followed):
    files = snapshot(followed.home)
    followed.write(ITEMS[:1])
    with pytest.raises(ListError, match="4 before, 1 now") as caught:
        followed.update()
    assert "--force" in caught.value.hint
    assert snapshot(followed.home) == files
    assert [e.title for e in followed.update(force=True).lists[0].changes.removed] == ["Noc", "Gemm", "Attend"]
    assert not followed.update().lists[0].changes


@pytest.mark.parametrize(
    "page",
    [b"<!DOCTYPE html><html><body><a href='https://x.example/'>Sign in</a></body></html>", b"", b"404: Not Found\n"],
)
def test_an_error_page_is_refused_and_everything_stays(followed, page):
    files = snapshot(followed.home)
    followed.source.write_bytes(page)
    with pytest.raises(ListError):
        followed.update(force=True)
    assert snapshot(followed.home) == files


def test_a_source_that_went_away_leaves_list_and_index(followed):
    files = snapshot(followed.home)
    followed.source.unlink()
    with pytest.raises(ListError, match="does not exist"):
        followed.update()
    assert snapshot(followed.home) == files
    assert "Dram" in titles(followed.settings)


def test_a_copy_that_was_deleted_is_named_and_made_again(followed):
    (followed.settings.corpus_dir / "chips.md").unlink()
    with pytest.raises(ListError) as caught:
        followed.index()
    assert "accelrag update" in caught.value.hint
    assert followed.update().index.unchanged


def test_removed_entries_keep_their_text_until_gc(followed):
    followed.write(ITEMS[:3])
    followed.update()
    with Corpus.open(followed.settings.corpus_dir, read_only=True) as corpus:
        assert len(corpus.digests()) == 4
    files = snapshot(followed.home)
    planned = collect_garbage(followed.settings, dry_run=True)
    assert planned.counts["texts"] == 1
    assert planned.counts["vectors"] > 0
    assert snapshot(followed.home) == files
    done = collect_garbage(followed.settings)
    assert {k: done.counts[k] for k in planned.counts} == planned.counts
    assert done.bytes > 0
    with Corpus.open(followed.settings.corpus_dir, read_only=True) as corpus:
        assert len(corpus.digests()) == 3
    assert collect_garbage(followed.settings).counts == {}
    assert followed.update().index.unchanged
    assert "Gemm" in titles(followed.settings)


def test_gc_keeps_everything_where_a_list_cannot_be_read(followed):
    (followed.settings.corpus_dir / "chips.md").unlink()
    with pytest.raises(ListError):
        collect_garbage(followed.settings)
    with Corpus.open(followed.settings.corpus_dir, read_only=True) as corpus:
        assert len(corpus.digests()) == 4


def test_gc_removes_what_another_encoder_left(followed, tmp_path):
    from tiny_encoder import write_tiny_encoder

    followed.settings = replace(followed.settings, model=str(write_tiny_encoder(tmp_path / "other", seed=8)))
    followed.update()
    counts = collect_garbage(followed.settings).counts
    assert counts["encoders"] == 1
    assert counts["vector files of other encoders"] == 1
    assert followed.update().index.unchanged


def test_a_list_in_a_repository_is_followed_by_its_short_name(tmp_path, web, tiny_encoder):
    home = Followed(tmp_path, web, tiny_encoder, ITEMS)
    web.repositories["curator/awesome-chips"] = Repository({"readme.md": list_text(ITEMS)})
    assert home.update(list="curator/awesome-chips").lists[0].name == "awesome-chips"
    web.repositories["curator/awesome-chips"].files["readme.md"] = list_text(ITEMS[:3])
    assert [e.title for e in home.update().lists[0].changes.removed] == ["Attend"]


def test_an_address_that_gives_a_page_is_no_list(tmp_path, web, tiny_encoder):
    home = Followed(tmp_path, web, tiny_encoder, ITEMS)
    web.sites["/list.md"] = Reply(200, b"<html><body>Sign in</body></html>", {"content-type": "text/html"})
    with pytest.raises(ListError, match="web page"):
        home.update(list=f"{web.url}/list.md")
    with pytest.raises(FetchFailed):
        home.update(list=f"{web.url}/gone.md")
    assert not (home.settings.corpus_dir / "lists.json").exists()


def test_several_lists_share_one_index_and_can_be_asked_alone(followed, tmp_path):
    other = tmp_path / "others.md"
    other.write_text(list_text(OTHERS, "Others"), encoding="utf-8")
    followed.web.repositories["o/ring"] = Repository({"README.md": "# ring\n\nCollectives.\n"})
    followed.update(list=str(other), name="others")
    assert {"Dram", "Ring"} <= titles(followed.settings)
    alone = replace(followed.settings, list="others")
    assert titles(alone) == {"Ring", "Gemm"}
    assert titles(replace(alone, list=str(other))) == {"Ring", "Gemm"}
    assistant = Assistant.open(alone, build=False)
    assert {e.title for e, _ in assistant.entries()} == {"Ring", "Gemm"}
    gemm = next(e for e, _ in assistant.entries() if e.title == "Gemm")
    assert gemm.lists == ("chips", "others")
    assistant.close()
    followed.write(ITEMS[:3])
    report = followed.update()
    assert {item.name: bool(item.changes) for item in report.lists} == {"chips": True, "others": False}


def test_one_list_that_cannot_be_had_does_not_hold_up_the_others(followed, tmp_path):
    other = tmp_path / "others.md"
    other.write_text(list_text(OTHERS, "Others"), encoding="utf-8")
    followed.update(list=str(other), name="others")
    other.unlink()
    followed.write([*ITEMS, Item("ring", "Also here.", "Kernels")])
    report = followed.update()
    assert report.exit_code == 1
    assert [bool(item.problem) for item in report.lists] == [False, True]
    assert "Ring" in titles(replace(followed.settings, list="chips"))


def test_the_list_of_a_home_goes_on_being_followed_when_another_is_added(tmp_path, web, tiny_encoder):
    home = Followed(tmp_path, web, tiny_encoder, ITEMS)
    corpus = home.settings.corpus_dir
    corpus.mkdir(parents=True)
    (corpus / "mine.md").write_text(list_text([Item("mine", "My own tool.")]), encoding="utf-8")
    home.web.repositories["o/mine"] = Repository({"README.md": "# mine\n\nMine.\n"})
    home.update()
    home.follow()
    assert {"Mine", "Dram"} <= titles(home.settings, "my own tool simulator memory")


def test_another_list_by_its_path_is_answered_from_an_index_of_its_own(followed, tmp_path):
    other = tmp_path / "elsewhere.md"
    other.write_text(list_text(OTHERS, "Elsewhere"), encoding="utf-8")
    elsewhere = replace(followed.settings, list=str(other))
    assistant = Assistant.open(elsewhere)
    assert {e.title for e, _ in assistant.entries()} == {"Ring", "Gemm"}
    assistant.close()
    assert "Dram" in titles(followed.settings)
    assert "Ring" not in titles(followed.settings)
    assert titles(elsewhere) == {"Ring", "Gemm"}
    other.unlink()
    assert collect_garbage(followed.settings).counts["indexes of lists that are gone"] == 1


def test_a_name_that_is_taken_or_cannot_be_a_file_is_refused(followed, tmp_path):
    other = tmp_path / "sub" / "chips.md"
    other.parent.mkdir()
    other.write_text(list_text(OTHERS), encoding="utf-8")
    with pytest.raises(UsageError, match="another list 'chips'"):
        followed.update(list=str(other))
    for name in ("../x", ".hidden", "a/b", "README", "x" * 80):
        with pytest.raises(AccelragError):
            followed.update(list=str(other), name=name)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("https://github.com/sindresorhus/awesome", "awesome"),
        ("https://raw.githubusercontent.com/sindresorhus/awesome/main/readme.md", "awesome"),
        ("gh:owner/chips", "chips"),
        ("/home/me/lists/README.md", "lists"),
        ("/home/me/硬件 清单.md", "硬件-清单"),
        ("https://example.org/a/Chips%20List.md?raw=1", "Chips-20List"),
        ("https://example.org/", "list"),
    ],
)
def test_a_list_is_named_by_the_last_part_of_its_source_that_says_something(source, name):
    assert list_name(source) == name
