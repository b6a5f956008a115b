"""A link is called dead only when two probes a day apart agree, whatever the clock does in between."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.checking import LinkHealth, health_from_json, health_to_json, judge, observed
from accelrag.types import Observation

URL = "https://n.example/page"
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
DEAD = ("gone", "timeout", "dns", "failing")
ALIVE = ("ok", "moved", "blocked")


@pytest.mark.parametrize(
    ("status", "more", "state"),
    [
        (200, {}, "ok"),
        (204, {}, "ok"),
        (200, {"final": "https://other.example/", "permanent": True}, "moved"),
        (200, {"final": "https://other.example/", "permanent": False}, "ok"),
        (200, {"final": "http://www.n.example/page/", "permanent": True}, "ok"),
        (403, {}, "blocked"),
        (429, {}, "blocked"),
        (503, {}, "blocked"),
        (999, {}, "blocked"),
        (404, {}, "gone"),
        (410, {}, "gone"),
        (404, {"final": "https://other.example/", "permanent": True}, "gone"),
        (500, {}, "failing"),
        (400, {}, "failing"),
        (0, {"error": "timeout"}, "timeout"),
        (0, {"error": "dns"}, "dns"),
        (0, {"error": "connection refused"}, "failing"),
    ],
)
def test_outcomes_of_a_probe_have_classes(status, more, state):
    seen = observed(URL, status, **more)
    assert seen.state == state
    assert bool(seen.target) == (state == "moved")


@pytest.mark.parametrize("first", DEAD)
@pytest.mark.parametrize("second", DEAD)
@pytest.mark.parametrize(("hours", "dead"), [(0, False), (23.9, False), (24, True), (500, True)])
def test_two_dead_probes_a_day_apart_make_a_link_dead(first, second, hours, dead):
    one = judge(None, Observation(URL, first), START)
    assert one.suspected
    assert not one.dead
    two = judge(one, Observation(URL, second), START + timedelta(hours=hours))
    assert two.dead is dead


@pytest.mark.parametrize("between", ALIVE)
def test_an_answer_in_between_starts_the_count_again(between):
    one = judge(None, Observation(URL, "gone"), START)
    two = judge(one, Observation(URL, between), START + timedelta(days=1))
    three = judge(two, Observation(URL, "gone"), START + timedelta(days=2))
    assert not three.dead
    assert judge(three, Observation(URL, "gone"), START + timedelta(days=3)).dead


def test_many_probes_within_a_day_agree_on_nothing_but_the_first_is_remembered():
    health = None
    for hour in range(24):
        health = judge(health, Observation(URL, "timeout"), START + timedelta(hours=hour))
        assert not health.dead
    assert judge(health, Observation(URL, "timeout"), START + timedelta(hours=24)).dead


def test_a_clock_that_was_set_back_makes_nothing_dead():
    one = judge(None, Observation(URL, "gone"), START)
    back = judge(one, Observation(URL, "gone"), START - timedelta(days=400))
    assert not back.dead
    assert not judge(back, Observation(URL, "gone"), START - timedelta(days=400, hours=-1)).dead


@given(st.lists(st.tuples(st.sampled_from(DEAD + ALIVE), st.integers(0, 48)), min_size=1, max_size=20))
def test_dead_means_dead_in_every_probe_of_the_last_day_or_more(probes):
    now, health, seen = START, None, []
    for state, hours in probes:
        now += timedelta(hours=hours)
        health = judge(health, Observation(URL, state), now)
        seen.append((now, state))
    run = []
    for at, state in reversed(seen):
        if state in ALIVE:
            break
        run.append(at)
    assert health.dead == (bool(run) and run[0] - run[-1] >= timedelta(days=1))


@given(st.lists(st.tuples(st.sampled_from(DEAD + ALIVE), st.text(max_size=5)), max_size=5))
def test_the_state_survives_being_written_down(observations):
    health = {
        f"https://n{i}.example": judge(None, Observation(f"https://n{i}.example", state, 0, "", detail), START)
        for i, (state, detail) in enumerate(observations)
    }
    assert health_from_json(health_to_json(health)) == health


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "3",
        '{"a": 1}',
        "[1]",
        '[{"url": "u"}]',
        '[{"url": "u", "state": "ok", "more": 1}]',
        '[{"url": "u", "state": "unheard"}]',
        '[{"url": "u", "state": "gone", "first_seen_dead": "yesterday"}]',
        '[{"url": "u", "state": "gone", "first_seen_dead": "2026-01-01T00:00:00"}]',
        '[{"url": 3, "state": "gone"}]',
        '[{"url": "u", "state": ["gone"]}]',
        '[{"url": "u", "state": "gone", "checked_at": 5}]',
    ],
)
def test_a_damaged_state_is_no_state(text):
    assert health_from_json(text) == {}


def test_what_an_older_run_left_is_read():
    (health,) = health_from_json('[{"url": "https://n.example", "state": "ok"}]').values()
    assert health == LinkHealth("https://n.example", "ok")
