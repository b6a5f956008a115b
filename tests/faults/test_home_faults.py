"""What a machine does to a home: no space, no permission, a clock set back, damage. The old index answers."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from accelrag.corpus import Corpus
from accelrag.errors import Busy, IndexDamaged, IndexMismatch, StorageError
from accelrag.index import Index, current_generation
from accelrag.pipeline import Assistant, build_index, collect_garbage, examine, status, update_home
from accelrag.settings import Settings
from accelrag.storage import hold
from fake_servers import Web
from followed_home import Followed, Item, snapshot

ITEMS = [Item(f"tool{n}", f"A tool number {n} for traces of memory.") for n in range(12)]


@pytest.fixture
def web():
    with Web() as server:
        yield server


@pytest.fixture
def followed(tmp_path, web, tiny_encoder):
    home = Followed(tmp_path, web, tiny_encoder, ITEMS)
    home.follow()
    return home


def answers(settings) -> list[str]:
    assistant = Assistant.open(settings, build=False)
    try:
        return [f"{r.entry.title} {r.score:.4f}" for r in assistant.search("traces of memory", limit=20).results]
    finally:
        assistant.close()


@contextmanager
def mounted(folder: Path, size: str):
    """A small file system at ``folder``; the test is skipped where mounting is not permitted."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system takes root")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if done.returncode:
        pytest.skip(f"mounting is not permitted here: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def bound(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python as a user whom permissions bind: root loses the right to pass over them."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root is not bound by permissions, and setpriv is not here to bind it")
        rights = "-dac_override,-dac_read_search,-fowner"
        command = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *command]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_full_disk_leaves_the_old_answers_and_the_run_finishes_once_there_is_room(tmp_path, web, tiny_encoder):
    with mounted(tmp_path / "small", "3m") as small:
        home = Followed(tmp_path, web, tiny_encoder, ITEMS)
        home.home = small / "home"
        home.settings = replace(home.settings, home=home.home)
        home.follow()
        before = answers(home.settings)
        ballast = small / "ballast"
        failures = 0
        for left in (0, 8_192, 40_000, 120_000, 250_000, 400_000):
            free = shutil.disk_usage(small).free
            ballast.write_bytes(b"\0" * max(0, free - left))
            home.write([replace(i, note=f"{i.note} Now with {left} more words of note.") for i in ITEMS])
            try:
                home.update()
                before = answers(home.settings)
            except StorageError as error:
                failures += bool(error.hint)
            assert answers(home.settings) == before
            ballast.unlink()
            with Corpus.open(home.settings.corpus_dir, read_only=True) as corpus:
                assert corpus.problems() == []
        assert failures >= 2
        report = home.update()
        assert report.index is not None
        assert all("400000 more words" in e.note for e in home.entries())
        assert examine(home.settings, servers=list, free=lambda _: 10**12).findings == ()


def test_a_home_on_a_file_system_that_cannot_be_written_answers_and_says_so_otherwise(followed, tmp_path):
    before = answers(followed.settings)
    with mounted(tmp_path / "disk", "20m") as disk:
        home = disk / "home"
        shutil.copytree(followed.home, home)
        settings = replace(followed.settings, home=home)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert answers(settings) == before
        assert status(settings).entries == len(ITEMS)
        for work in (build_index, update_home, collect_garbage):
            with pytest.raises(StorageError) as caught:
                work(settings)
            assert caught.value.hint
        found = examine(settings, servers=list, free=lambda _: 10**12)
        assert [f.about for f in found.findings] == ["home", "home"]
        assert "cannot be written" in found.findings[0].message


def test_a_folder_that_may_not_be_written_gives_one_line_and_the_old_answers(followed, tmp_path):
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from accelrag.pipeline import Assistant, build_index, update_home\n"
        "from accelrag.errors import StorageError\n"
        "from accelrag.settings import Settings\n"
        "settings = Settings(home=Path(sys.argv[1]), model=sys.argv[2], threads=1)\n"
        "assistant = Assistant.open(settings, build=False)\n"
        "print(len(assistant.search('traces of memory', limit=20).results))\n"
        "for work in (build_index, update_home):\n"
        "    try:\n"
        "        work(settings)\n"
        "    except StorageError as error:\n"
        "        print('refused:', error, '|', error.hint)\n"
    )
    for folder in (followed.settings.index_dir, followed.settings.corpus_dir):
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        done = bound(code, str(followed.home), str(followed.encoder))
    finally:
        for folder in (followed.settings.index_dir, followed.settings.corpus_dir):
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == str(len(ITEMS))
    assert [line.partition(":")[0] for line in lines[1:]] == ["refused", "refused"]


def test_permissions_that_change_in_the_middle_of_a_build_leave_the_old_answers(followed):
    before = answers(followed.settings)
    followed.write([replace(i, note=f"{i.note} Another note.") for i in ITEMS])

    class Meddler:
        """Takes the folder away while texts are being encoded, as an administrator might."""

        def start(self, task, total):
            if task == "encoding":
                for path in followed.settings.index_dir.glob(".building-*"):
                    shutil.rmtree(path)

        def advance(self, task, count=1):
            return None

        def done(self, task):
            return None

    with pytest.raises(StorageError) as caught:
        followed.update(progress=Meddler())
    assert caught.value.hint
    assert answers(followed.settings) == before
    assert followed.update().index.passages
    assert all("Another note" in e.note for e in followed.entries())


def test_a_clock_set_back_neither_hides_a_new_index_nor_keeps_old_texts(followed):
    index = followed.settings.index_dir
    for path in [*index.rglob("*"), *followed.settings.corpus_dir.rglob("*")]:
        if path.is_file() and "gen-" not in str(path):
            os.utime(path, (4_000_000_000, 4_000_000_000))  # written in 2096
    with Corpus.open(followed.settings.corpus_dir) as corpus:
        for document in list(corpus.documents()):
            corpus.touch(document.entry_id, "2096-10-02T07:06:40Z")
    followed.write([replace(ITEMS[0], note="Of a later edition."), *ITEMS[1:]])
    report = followed.update()
    assert report.fetched.unchanged == len(ITEMS), "texts from the future are asked for again"
    assert followed.entries()[0].note == "Of a later edition."
    assert followed.update().index.unchanged


def test_a_second_writer_leaves_with_a_line_that_names_the_first(followed):
    with hold_elsewhere(followed.settings.corpus_dir):
        with pytest.raises(Busy) as caught:
            followed.update()
        assert "accelrag update" in str(caught.value)
        assert caught.value.hint
        assert answers(followed.settings)
    assert followed.update().index.unchanged


@contextmanager
def hold_elsewhere(folder: Path):
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(folder, ready, done))
    other.start()
    try:
        assert ready.wait(60)
        yield
    finally:
        done.set()
        other.join()


def _hold(folder, ready, done):
    with hold(folder, doing="accelrag update"):
        ready.set()
        done.wait(60)


def bundle_files(settings) -> list[Path]:
    folder = current_generation(settings.index_dir)
    return [p for p in sorted(folder.rglob("*")) if p.is_file() and p.stat().st_size]


def test_a_flipped_byte_in_any_file_of_the_bundle_is_refused_with_the_mending_command(followed):
    settings = followed.settings
    before = answers(settings)
    names = [p.relative_to(current_generation(settings.index_dir)) for p in bundle_files(settings)]
    assert {"manifest.json", "passages.db", "vectors/note.faiss"} <= {str(n) for n in names}
    for name in names:
        path = current_generation(settings.index_dir) / name
        whole = path.read_bytes()
        few = {0, len(whole) // 3, len(whole) // 2, len(whole) - 1}
        for at in range(0, len(whole), 7) if name.name == "manifest.json" else few:
            data = bytearray(whole)
            data[at] ^= 1
            path.write_bytes(data)
            with pytest.raises((IndexDamaged, IndexMismatch)) as caught:
                Index.open(settings.index_dir, model=settings.model)
            assert "accelrag index" in caught.value.hint, name
        path.write_bytes(whole)
    assert answers(settings) == before
    path.write_bytes(data)
    build_index(settings, rebuild=True)
    assert answers(settings) == before


def test_a_flipped_byte_in_the_vector_cache_reaches_no_index(followed):
    before = answers(followed.settings)
    (cache,) = (followed.settings.index_dir / "cache").glob("vectors-*.db")
    keys = followed.encoded()
    data = bytearray(cache.read_bytes())
    key = sorted(keys)[3]
    at = data.find(key)
    assert at > 0
    data[at + 60] ^= 0x40  # in the vector that stands behind its key
    cache.write_bytes(data)
    report = build_index(followed.settings, rebuild=True)
    assert report.encoded == 1
    assert answers(followed.settings) == before


def test_a_bundle_that_was_copied_half_is_refused_at_every_stage_of_the_copy(followed, tmp_path):
    settings = followed.settings
    files = bundle_files(settings)
    other = Settings(home=tmp_path / "copy", model=settings.model, threads=1)
    source = current_generation(settings.index_dir)
    for count in range(len(files)):
        shutil.rmtree(other.home, ignore_errors=True)
        target = other.index_dir / source.name
        target.mkdir(parents=True)
        (other.index_dir / "CURRENT").write_text(source.name)
        for path in files[:count]:
            (target / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / path.relative_to(source))
        half = target / files[count].relative_to(source)
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(files[count].read_bytes()[: files[count].stat().st_size // 2])
        with pytest.raises(IndexDamaged) as caught:
            Index.open(other.index_dir, model=settings.model)
        assert "accelrag index" in caught.value.hint
    shutil.rmtree(other.home)
    shutil.copytree(settings.index_dir, other.index_dir)
    shutil.copytree(settings.corpus_dir, other.corpus_dir)
    assert answers(other) == answers(settings)


@pytest.mark.parametrize("name", ["with some spaces", "硬件加速器 のリスト", "x" * 200, 'it\'s "q" #1?%20&é'])
def test_a_home_at_an_odd_path_is_built_updated_and_answers(tmp_path, web, tiny_encoder, name):
    folder = tmp_path / name
    folder.mkdir()
    home = Followed(folder, web, tiny_encoder, ITEMS[:3])
    home.follow()
    home.write([*ITEMS[:2], Item("tool9", "Another tool for traces of memory.")])
    home.update()
    assert len(answers(home.settings)) == 3
    assert home.update().index.unchanged
    assert examine(home.settings, servers=list, free=lambda _: 10**12).findings == ()


def test_a_home_that_was_moved_answers_and_is_not_behind(followed, tmp_path):
    before = answers(followed.settings)
    moved = tmp_path / "elsewhere"
    followed.home.rename(moved)
    settings = replace(followed.settings, home=moved)
    notices: list[str] = []
    assistant = Assistant.open(settings, notice=notices.append, build=False)
    assistant.close()
    assert notices == []
    assert answers(settings) == before
    files = snapshot(moved)
    with Web() as _:
        assert build_index(settings).unchanged
    assert snapshot(moved) == files


def test_a_note_of_twenty_thousand_characters_is_indexed_in_passages(tmp_path, web, tiny_encoder):
    home = Followed(tmp_path, web, tiny_encoder, [Item("one", "word " * 4_000 + "and traces of memory at its end.")])
    report = home.follow()
    assert report.index.passages > 100
    assert answers(home.settings)


def test_a_generation_that_never_answered_is_not_kept_in_place_of_the_one_that_readers_use(followed):
    answering = current_generation(followed.settings.index_dir)
    # A kill before CURRENT was written leaves this.
    shutil.copytree(answering, followed.settings.index_dir / "gen-000002-00000000")
    followed.write([replace(ITEMS[0], note="Of a later edition."), *ITEMS[1:]])
    report = followed.update()
    kept = sorted(p.name for p in followed.settings.index_dir.glob("gen-*"))
    assert kept == [answering.name, report.index.folder.name]
