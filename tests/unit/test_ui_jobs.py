"""Long runs behind the page, and the map's projection."""

from __future__ import annotations

import threading

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import StorageError
from accelrag.index.plane import NEIGHBOURLY, points_of
from accelrag.ui.jobs import Job, Jobs
from accelrag.ui.library import job_html


def ended(job: Job) -> Job:
    while job.running:
        threading.Event().wait(0.002)
    return job


def test_one_job_runs_at_a_time_and_tells_how_far_it_is() -> None:
    go = threading.Event()
    jobs = Jobs()

    def work(job: Job) -> str:
        job.start("encoding", 4)
        job.advance("encoding", 3)
        go.wait(30)
        return "all done"

    first = jobs.start("index", work)
    assert jobs.start("other", work) is first
    go.set()
    ended(first)
    assert (first.state, first.message, first.tasks) == ("done", "all done", {"encoding": (3, 4)})
    second = jobs.start("other", work)
    assert second is not first
    ended(second)


def test_a_cancelled_job_ends_at_its_next_step() -> None:
    def work(job: Job) -> str:
        job.start("encoding", None)
        while True:
            job.advance("encoding")

    job = Jobs().start("index", work)
    job.cancel()
    assert ended(job).state == "cancelled"


def test_a_job_that_fails_says_what_and_what_to_do() -> None:
    def work(job: Job) -> str:
        raise StorageError("the disk is <full>", hint="free some space")

    job = ended(Jobs().start("index", work))
    assert job.state == "failed"
    assert "the disk is &lt;full&gt; — free some space" in job_html(job)


@given(st.integers(1, 90), st.integers(0, 5))
def test_a_map_lies_in_its_square_and_is_the_same_each_time(count: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)
    groups = [str(i % 3) for i in range(count)]
    placed = points_of(vectors, groups)
    assert placed.shape == (count, 2)
    assert np.isfinite(placed).all()
    assert np.abs(placed).max() <= 1.0001
    assert np.array_equal(placed, points_of(vectors, groups))


def test_equal_vectors_do_not_break_the_map() -> None:
    placed = points_of(np.ones((70, 8), dtype=np.float32), ["a"] * 70)
    assert np.isfinite(placed).all()


def test_what_is_alike_lies_together() -> None:
    random = np.random.default_rng(1)
    centres = random.standard_normal((4, 16)) * 4
    for count in (120, NEIGHBOURLY + 40):
        member = np.arange(count) % 4
        vectors = (centres[member] + random.standard_normal((count, 16))).astype(np.float32)
        placed = points_of(vectors, ["one"] * count)
        near = np.linalg.norm(placed[:, None] - placed[None], axis=-1) + np.eye(count) * 9
        assert (member[near.argmin(axis=1)] == member).mean() > 0.9
