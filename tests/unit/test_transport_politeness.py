from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import FetchTransient
from accelrag.transport.politeness import FAILURES_TO_OPEN, OPEN_SECONDS, Host, backoff, retry_after
from fake_time import FakeTime

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0), ("17", 17.0), (" 5 ", 5.0), (formatdate(NOW + 90, usegmt=True), 90.0),
        (formatdate(NOW - 90, usegmt=True), 0.0), ("soon", None), ("", None), ("-5", None), ("1.5", None),
        ("٣", None),
    ],
)  # fmt: skip
def test_both_forms_of_retry_after_are_understood(value, seconds):
    assert retry_after(value, NOW) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_makes_it_raise(value):
    asked = retry_after(value, NOW)
    assert asked is None or asked >= 0


@given(st.integers(1, 6), st.floats(0, 1))
def test_waits_double_with_jitter(attempt, chance):
    assert 2 ** (attempt - 1) * 0.5 <= backoff(attempt, None, lambda: chance) <= 2 ** (attempt - 1) * 1.5


@given(st.floats(0, 100), st.floats(0, 1))
def test_a_wait_is_never_shorter_than_what_the_host_asked_for(asked, chance):
    assert backoff(1, asked, lambda: chance) >= asked


def test_requests_are_spaced():
    time, host = FakeTime(), Host("h")
    host.wait_for_turn(3.0, time.clock, time.sleep)
    time.now += 1.0
    host.wait_for_turn(3.0, time.clock, time.sleep)
    assert time.slept == [2.0]


def test_a_clock_that_is_set_back_costs_one_pause_at_most():
    time, host = FakeTime(), Host("h")
    host.wait_for_turn(3.0, time.clock, time.sleep)
    time.now -= 86_400
    host.wait_for_turn(3.0, time.clock, time.sleep)
    assert time.slept == [3.0]


def test_a_circuit_opens_after_failures_and_closes_after_a_rest():
    host = Host("h")
    for _ in range(FAILURES_TO_OPEN):
        host.check(NOW)
        host.failed(NOW)
    with pytest.raises(FetchTransient) as transient:
        host.check(NOW + OPEN_SECONDS - 1)
    assert transient.value.reason == "circuit-open"
    host.check(NOW + OPEN_SECONDS)
    host.worked()
    host.check(NOW)
