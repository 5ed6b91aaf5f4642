"""How long wrenches are valid, by two clocks."""

import numpy as np
import pytest

from modular_dynamics_ros.computation.wrenches.timed_wrenches import (
    SLOWEST,
    Arrival,
    TimedWrench,
    TimedWrenches,
    check_age,
    longest_silence,
)
from modular_dynamics_ros.exceptions import BadMessage

S = 1_000_000_000
NOW = 1_700_000_000 * S


class Clock:
    steady = 500 * S

    def __call__(self):
        return self.steady


@pytest.fixture
def clock():
    return Clock()


def make(clock, *, ends_by_zero=True):
    return TimedWrenches(ends_by_zero=ends_by_zero, steady=clock)


def wrench(clock, value=1.0, stamp=NOW, *, simulated=False):
    return TimedWrench("tool", np.full(6, value), Arrival(stamp, clock.steady, simulated))


def valid(wrenches, now):
    return list(wrenches.by_validity(now, 0.2)[0])


def test_the_newest_of_each_source_counts_until_it_is_old(clock):
    wrenches = make(clock)
    assert wrenches.by_validity(NOW, 0.2) == ({}, {})
    wrenches.set("tool", wrench(clock))
    wrenches.set("tool", wrench(clock, 2.0, NOW + S // 10))
    wrenches.set("elbow", wrench(clock))
    good, stopped = wrenches.by_validity(NOW + S // 5, 0.2)
    assert (list(good), list(stopped)) == (["tool", "elbow"], [])
    assert good["tool"].values.tolist() == [2.0] * 6
    good, stopped = wrenches.by_validity(NOW + S // 4, 0.2)
    assert (list(good), list(stopped), wrenches.stops) == (["tool"], ["elbow"], 1)
    wrenches.by_validity(NOW + S // 4, 0.2)
    assert wrenches.stops == 1  # it stopped once
    wrenches.clear()
    assert wrenches.by_validity(NOW, 0.2) == ({}, {})


@pytest.mark.parametrize("step", [-33 * S, 33 * S])
def test_a_clock_that_is_set_ends_a_wrench_at_once_and_for_good(clock, step):
    wrenches = make(clock)
    wrenches.set("tool", wrench(clock))
    assert valid(wrenches, NOW) == ["tool"]
    assert valid(wrenches, NOW + step) == []
    assert valid(wrenches, NOW) == []  # it is set again
    wrenches.set("tool", wrench(clock))
    assert valid(wrenches, NOW) == ["tool"]


@pytest.mark.parametrize("step", [0, -S // 10])
def test_a_clock_that_stands_still_or_is_set_by_little_keeps_no_wrench(clock, step):
    wrenches = make(clock)
    wrenches.set("tool", wrench(clock))
    clock.steady += 21 * S // 100
    assert valid(wrenches, NOW + step) == []


def test_a_simulation_may_be_slow_or_pause_but_not_for_ever(clock):
    wrenches = make(clock)
    wrenches.set("tool", wrench(clock, simulated=True))
    clock.steady += int(SLOWEST * S)
    assert valid(wrenches, NOW + S // 10) == ["tool"]
    clock.steady += 1
    assert valid(wrenches, NOW + S // 10) == []
    assert longest_silence(60.0, simulated=True) == longest_silence(60.0, simulated=False) == 60.0


def test_a_last_wrench_of_zero_is_an_end_and_no_stop_where_that_is_so(clock):
    for ends_by_zero, stops in ((True, 0), (False, 1)):
        wrenches = make(clock, ends_by_zero=ends_by_zero)
        wrenches.set("tool", wrench(clock, 0.0))
        assert valid(wrenches, NOW) == ["tool"]
        _, stopped = wrenches.by_validity(NOW + S, 0.2)
        assert (len(stopped), wrenches.stops) == (stops, stops)


@pytest.mark.parametrize(("age", "cause"), [(0.21, "too old"), (-0.21, "ahead of the clock")])
def test_a_stamp_that_is_far_from_now_is_refused(age, cause):
    for good in (-0.2, 0.0, 0.2):
        check_age(NOW - int(good * S), NOW, 0.2)
    with pytest.raises(BadMessage, match=r"0\.2 s \(stale_after\).*use_sim_time") as caught:
        check_age(NOW - int(age * S), NOW, 0.2)
    assert caught.value.cause == cause
    with pytest.raises(BadMessage, match=r"(behind|ahead of) the bag's clock$"):
        check_age(NOW - int(age * S), NOW, 0.2, "the bag's clock")


def test_an_older_wrench_is_refused_while_the_newer_one_of_its_source_is_valid(clock):
    wrenches = make(clock)
    wrenches.require_order("tool", NOW, NOW, 0.2)
    wrenches.set("tool", wrench(clock))
    for source, stamp in (("tool", NOW), ("tool", NOW + 1), ("elbow", NOW - S // 10)):
        wrenches.require_order(source, stamp, NOW, 0.2)
    with pytest.raises(BadMessage, match=r"0\.100 s older than that of the last") as caught:
        wrenches.require_order("tool", NOW - S // 10, NOW, 0.2)
    assert caught.value.cause == "older than the last one"


@pytest.mark.parametrize(("step", "silent"), [(-S // 5 - 1, 0), (-33 * S, 0), (-S // 10, S // 5 + 1)])
def test_a_clock_that_was_set_back_silences_no_source_for_longer_than_a_wrench_is_valid(clock, step, silent):
    """It stands still afterwards: only the monotonic clock tells that time passes."""
    wrenches = make(clock)
    wrenches.set("tool", wrench(clock))
    clock.steady += silent
    wrenches.require_order("tool", NOW + step, NOW + step, 0.2)


def test_a_source_that_has_stopped_may_begin_anew_with_any_stamp(clock):
    wrenches = make(clock)
    wrenches.set("tool", wrench(clock))
    assert valid(wrenches, NOW + 33 * S) == []  # the clock is set, and set back
    wrenches.require_order("tool", NOW - S // 10, NOW, 0.2)
