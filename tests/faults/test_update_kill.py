"""SIGKILL at random moments of update and index: readers never fail nor see a mix, every restart finishes."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from accelrag.corpus import Corpus
from accelrag.pipeline import Assistant, examine
from fake_servers import Repository, Web
from followed_home import Followed, Item, readme

CHILD = Path(__file__).parents[1] / "update_child.py"
NAMES = [f"tool{n}" for n in range(15)]
EXPECTED = re.compile(
    r"corpus/(?:chips\.md|lists\.json|corpus\.db(?:-wal|-shm)?|\.lock)"
    r"|index/(?:CURRENT|\.lock)"
    r"|index/gen-\d{6}-[0-9a-f]{8}/(?:manifest\.json|passages\.db|vectors/\w+\.(?:faiss|f32)|lexical/.+|encoder/[\w.]+)"
    r"|index/cache/(?:encoder-[\w.-]+/[\w.]+|vectors-[0-9a-f]+\.db(?:-wal|-shm)?)"
)


def edition(number: int) -> list[Item]:
    """A state of the list in which each entry says which state it is."""
    section = "Even" if number % 2 else "Odd"
    return [Item(name, f"A tool of edition {number} for memory traces.", section) for name in NAMES]


def publish(home: Followed, number: int) -> None:
    home.write(edition(number))
    for name in NAMES[number % 5 :: 5]:
        said = f"is in edition {number} of its README"
        home.web.repositories[f"o/{name}"] = Repository({"README.md": readme(name, said)})


def editions_in(search) -> set[str]:
    found = set()
    for result in search.results:
        found.add(re.search(r"edition (\d+)", result.entry.note)[1])
        found |= set(re.findall(r"of edition (\d+)", " ".join(h.passage.text for h in result.hits)))
    return found


class Reader(threading.Thread):
    """Asks all the while: a newly opened assistant each time, and one that stays open."""

    def __init__(self, settings) -> None:
        super().__init__(daemon=True)
        self.settings, self.stop = settings, threading.Event()
        self.problems: list[str] = []
        self.asked = 0
        self.standing = Assistant.open(settings, build=False)
        self.first = editions_in(self.standing.search("memory traces edition"))

    def run(self) -> None:
        while not self.stop.wait(0.02):
            try:
                fresh = Assistant.open(self.settings, build=False)
                try:
                    search = fresh.search("memory traces edition", limit=15)
                finally:
                    fresh.close()
                if len(search.results) != 15 or len(editions_in(search)) != 1:
                    self.problems.append(f"{len(search.results)} results of editions {editions_in(search)}")
                again = self.standing.search("memory traces edition")
                if editions_in(again) != self.first:
                    self.problems.append(f"the open assistant changed: {editions_in(again)}")
                self.asked += 1
            except Exception as error:
                self.problems.append(repr(error))


def killed(home: Followed, what: str, delay: float) -> bool:
    """Start a run, kill it after ``delay`` seconds of work; whether it was killed before it was done."""
    child = subprocess.Popen(
        [sys.executable, str(CHILD), what, str(home.home), str(home.encoder)],
        env={**os.environ, **home.web.environment, "ACCELRAG_REFRESH_DAYS": "0"},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with child:
        assert child.stdout.readline() == "ready\n"
        try:
            child.wait(delay)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        return child.wait() == -signal.SIGKILL


def run(tmp_path, encoder, kills: int, seed: int, whole: float) -> None:
    chance = random.Random(seed)
    with Web() as web:
        home = Followed(tmp_path, web, encoder)
        publish(home, 0)
        home.follow()
        home.settings = replace(home.settings, refresh_days=0.0)
        reader = Reader(home.settings)
        reader.start()
        hits = 0
        try:
            for number in range(1, kills + 1):
                publish(home, number)
                what = "index" if number % 4 == 0 else "update"
                if what == "index":
                    shutil.copyfile(home.source, home.settings.corpus_dir / "chips.md")
                hits += killed(home, what, chance.uniform(0.0, whole))
                if number % 2:  # every other one is followed by another kill before anything finishes
                    continue
                report = home.update()
                assert report.index is not None
                assert {f"edition {number} " in e.note for e in home.entries()} == {True}
        finally:
            reader.stop.set()
            reader.join()
        assert reader.problems == []
        assert reader.asked > kills / 4
        assert hits > kills / 3, f"only {hits} of {kills} runs were killed before they were done"
        with Corpus.open(home.settings.corpus_dir, read_only=True) as corpus:
            assert corpus.problems() == []
        killed(home, "update", whole / 2)
        examine(home.settings, fix=True, servers=list, free=lambda _: 10**12)
        left = {str(p.relative_to(home.home)) for p in home.home.rglob("*") if p.is_file()}
        assert {name for name in left if not EXPECTED.fullmatch(name)} == set()
        home.update()
        assert examine(home.settings, servers=list, free=lambda _: 10**12).findings == ()


def test_eight_kills_leave_the_old_answers_and_every_restart_finishes(tmp_path, tiny_encoder):
    run(tmp_path, tiny_encoder, 8, seed=6, whole=0.35)


@pytest.mark.slow
def test_two_hundred_kills_leave_the_old_answers_and_every_restart_finishes(tmp_path, tiny_encoder):
    run(tmp_path, tiny_encoder, 200, seed=206, whole=0.5)
