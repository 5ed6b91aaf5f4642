"""States and the wrenches with their stamps, in any order of arrival."""

import numpy as np
import pytest

from modular_dynamics_ros.computation.black_boxes.matching import MOST, StampMatcher
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival, TimedWrench
from modular_dynamics_ros.exceptions import BadMessage

SECOND = 10**9


class Trial:
    """A matcher of boxes a and b; `done`: (item, whether it has all wrenches, missing boxes)."""

    def __init__(self, boxes=("a", "b"), wait=1.0):
        self.done, self.now, self.used = [], 0, []
        self.matcher = StampMatcher(boxes, wait, self.complete)

    def complete(self, matched):
        self.done.append((matched.item, matched.missing))
        self.used.append({name: one.values[0] for name, one in matched.wrenches.items()})

    def state(self, stamp):
        self.matcher.add(stamp, f"state {stamp}", self.now)

    def wrench(self, box, stamp):
        timed = TimedWrench("link", np.full(6, float(stamp)), Arrival(stamp, self.now))
        self.matcher.add_wrench(box, stamp, timed, self.now)


def test_a_state_waits_for_all_boxes():
    trial = Trial()
    trial.state(5)
    trial.wrench("a", 5)
    assert trial.done == []
    trial.wrench("b", 5)
    assert trial.done == [("state 5", ())]
    assert trial.used == [{"a": 5.0, "b": 5.0}]


def test_wrenches_may_come_first():
    trial = Trial()
    for stamp in (5, 6):
        trial.wrench("a", stamp)
        trial.wrench("b", stamp)
    trial.state(5)
    trial.state(6)
    assert trial.done == [("state 5", ()), ("state 6", ())]
    assert [used["a"] for used in trial.used] == [5.0, 6.0]


def test_states_keep_their_order():
    trial = Trial()
    trial.state(5)
    trial.state(6)
    trial.wrench("a", 5)
    trial.wrench("a", 6)
    assert trial.done == []
    trial.wrench("b", 5)
    assert trial.done == [("state 5", ())]
    trial.wrench("b", 6)
    assert [item for item, _ in trial.done] == ["state 5", "state 6"]


def test_a_lost_wrench_costs_its_own_state_and_delays_none():
    trial = Trial(boxes=("a",))
    trial.state(5)
    trial.state(6)
    trial.wrench("a", 6)
    assert trial.done == [("state 5", ("a",)), ("state 6", ())]


def test_the_wait_is_bounded():
    trial = Trial(wait=0.5)
    trial.state(5)
    trial.wrench("a", 5)
    trial.matcher.look(SECOND // 2 - 1)
    assert trial.done == []
    trial.matcher.look(SECOND // 2)
    assert trial.done == [("state 5", ("b",))]


def test_a_repeated_stamp_is_refused():
    trial = Trial()
    trial.state(5)
    with pytest.raises(BadMessage, match="another joint state had its stamp"):
        trial.state(5)
    trial.wrench("a", 5)
    trial.wrench("b", 5)
    assert trial.done == [("state 5", ())]


def test_a_clock_that_was_set_back_begins_anew():
    trial = Trial(boxes=("a",))
    trial.state(100)
    trial.state(5)
    assert trial.done == [("state 100", ("a",))]
    trial.wrench("a", 5)
    assert trial.done[1:] == [("state 5", ())]


def test_wrenches_after_a_clock_was_set_back_count():
    trial = Trial(boxes=("a",))
    trial.wrench("a", 100)
    trial.wrench("a", 5)
    trial.state(5)
    assert trial.done == [("state 5", ())]


def test_what_waits_and_what_is_kept_is_bounded():
    trial = Trial(wait=1e6)
    for stamp in range(MOST):
        trial.state(stamp)
        trial.wrench("b", stamp)
    assert trial.done == []
    trial.state(MOST)
    trial.wrench("b", MOST)
    assert trial.done == [("state 0", ("a",))]
    trial.wrench("a", MOST)  # those before it never get theirs
    assert len(trial.done) == MOST + 1
    assert trial.used[-1] == {"a": MOST, "b": MOST}
    fewer = Trial(wait=1e6)
    for stamp in range(MOST + 1):
        for box in "ab":
            fewer.wrench(box, stamp)
    fewer.state(0)
    fewer.state(1)
    assert fewer.done == [("state 0", ("a", "b")), ("state 1", ())]  # the oldest wrenches were let go
