"""SIGKILL at random moments of a fetch: the next run goes on, and asks again for at most the answer on its way."""

import os
import random
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from accelrag.corpus import Corpus
from fake_servers import Paper, Reply, Repository, Web

CHILD = Path(__file__).parents[1] / "fetch_child.py"
WORDS = (
    "It is said here that the board moves 819 gigabytes in a second, which is enough for the layers of a network. "
)


def fill(web):
    urls = []
    for n in range(120):
        web.papers[f"2301.{n:05d}"] = Paper(f"Paper {n}", f"{WORDS} Paper {n}.")
        urls.append(f"https://arxiv.org/abs/2301.{n:05d}")
    for n in range(60):
        web.repositories[f"o/r{n}"] = Repository({"README.md": f"{WORDS} Repository {n}."})
        urls.append(f"https://github.com/o/r{n}")
    for n in range(30):
        page = f"<title>Page {n}</title><article><h1>Page {n}</h1><p>{WORDS * 5}</p></article>"
        web.sites[f"/page{n}"] = Reply(200, page.encode(), {"content-type": "text/html"})
        urls.append(f"{web.url}/page{n}")
    return urls


@contextmanager
def started(home, listing, web):
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(home), str(listing)],
        env={**os.environ, **web.environment}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with child:
        try:
            yield child
        finally:
            child.kill()


def documents_asked_for(log):
    """The keys of the documents that requests asked for, one item a request and document."""
    found = []
    for asked in log:
        if asked.path.startswith("/arxiv/"):
            found.append(tuple(asked.query["id_list"].split(",")))
        elif asked.path.endswith("/readme"):
            found.append((asked.path.split("/")[3] + "/" + asked.path.split("/")[4],))
        elif asked.path.startswith("/page"):
            found.append((asked.path[1:],))
    return found


def stored(home):
    with Corpus.open(home / "corpus", read_only=True) as corpus:
        return {
            d.metadata.get("eprint") or d.metadata.get("repository") or d.source.rpartition("/")[2]
            for d in corpus.documents()
        }


def run(tmp_path, kills, seed):
    chance = random.Random(seed)
    home, listing = tmp_path / "home", tmp_path / "list.md"
    with Web() as web:
        urls = fill(web)
        listing.write_text("# L\n\n" + "\n".join(f"- [E{n}]({u}) - Note {n}." for n, u in enumerate(urls)))
        known: set[str] = set()
        killed = 0
        while killed < kills:
            seen = len(web.log)
            with started(home, listing, web) as child:
                assert child.stdout.readline() == "ready\n"
                try:
                    # Anywhere between the first request and the last.
                    child.wait(timeout=chance.uniform(0.0, 0.9))
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGKILL)
                    killed += 1
                child.wait()
            asked = [d for answer in documents_asked_for(web.log[seen:]) for d in answer]
            assert not known & set(asked), "what was stored is not asked for again"
            now = stored(home)
            answers = [a for a in documents_asked_for(web.log[seen:]) if not set(a) <= now]
            assert len(answers) <= 1, "at most the answer that was on its way is lost"
            assert not any(set(a) & now for a in answers), "an answer is stored whole or not at all"
            known = now
            with Corpus.open(home / "corpus") as corpus:
                assert corpus.problems() == []
            if child.returncode == 0:
                for path in (home / "corpus").iterdir():  # all was there before the last kill: once more from nothing
                    path.unlink()
                known = set()
        with started(home, listing, web) as child:
            out, _ = child.communicate(timeout=60)
            assert child.returncode == 0
        assert out.split() == ["ready", "210", "210"]
        assert len(stored(home)) == 210
        with Corpus.open(home / "corpus") as corpus:
            assert corpus.problems() == []
            assert corpus.failures() == {}


def test_five_kills_lose_nothing(tmp_path):
    run(tmp_path, kills=5, seed=7)


@pytest.mark.slow
def test_fifty_kills_lose_nothing(tmp_path):
    run(tmp_path, kills=50, seed=11)
