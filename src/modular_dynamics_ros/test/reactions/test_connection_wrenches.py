"""Joint states that wait for wrenches of the same stamp."""

import numpy as np
import pytest

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.reactions.connection_wrenches import MOST, WrenchMatcher

MS = 1_000_000
WRENCH = "link", np.arange(6.0)


@pytest.fixture
def matcher():
    return WrenchMatcher(("arm", "head"), timeout=0.2)


def test_either_may_come_first_and_only_the_same_stamp_counts(matcher):
    matcher.add("arm", 5, WRENCH, 0)
    matcher.wait(5, "five", 0)
    matcher.wait(10, "ten", 0)
    matcher.add("head", 10, WRENCH, 0)
    assert matcher.take(5) is matcher.take(10) is None  # each has one of two
    matcher.add("head", 5, WRENCH, 0)
    assert matcher.take(5) == ("five", {"arm": WRENCH, "head": WRENCH})
    assert matcher.take(5) is None  # it is gone
    matcher.add("arm", 10, WRENCH, 0)
    assert matcher.take(10)[0] == "ten"
    assert matcher.overdue(10**12) == []


def test_what_waits_is_given_up_when_a_topic_is_silent(matcher):
    matcher.wait(5, "five", 0)
    matcher.add("arm", 5, WRENCH, 0)
    assert matcher.overdue(200 * MS) == []
    assert matcher.overdue(201 * MS) == [("head",)]
    assert matcher.overdue(202 * MS) == []
    assert matcher.ages(250 * MS) == {"arm": pytest.approx(0.25), "head": None}
    matcher.add("head", 5, WRENCH, 300 * MS)
    assert matcher.take(5) is None


def test_a_node_that_lags_behind_gives_nothing_up(matcher):
    matcher.wait(100, "late", 0)
    matcher.add("arm", 100, WRENCH, 0)
    for stamp in range(10, 100, 10):  # earlier wrenches are still coming: this one's will
        matcher.add("head", stamp, WRENCH, stamp * 10 * MS)
        assert matcher.overdue(stamp * 10 * MS) == []
    matcher.add("head", 100, WRENCH, 1000 * MS)
    assert matcher.take(100)[0] == "late"


def test_a_wrench_that_a_later_one_has_passed_will_not_come(matcher):
    matcher.wait(100, "lost", 0)
    for name in matcher.names:
        matcher.add(name, 200, WRENCH, 250 * MS)
    assert matcher.overdue(150 * MS) == []
    assert matcher.overdue(251 * MS) == [("arm", "head")]


def test_when_a_recording_begins_again_old_wrenches_are_not_used(matcher):
    matcher.add("arm", 5, WRENCH, 0)
    matcher.add("head", 5, WRENCH, 0)
    matcher.wait(100, "end", 0)
    matcher.wait(5, "begin", 0)
    assert matcher.take(5) is None
    assert matcher.ages(0) == {"arm": None, "head": None}
    assert matcher.overdue(0) == [("arm", "head")]  # "end" waits no more
    matcher.wait(100, "again", 0)


def test_states_with_the_same_stamp_are_not_answered(matcher):
    matcher.wait(5, "one", 0)
    for what in ("another", "a third"):  # wrenches of all three are on their way
        with pytest.raises(BadMessage, match="another joint state had its stamp"):
            matcher.wait(5, what, 0)
    for _ in range(3):
        for name in matcher.names:
            matcher.add(name, 5, WRENCH, 0)
        assert matcher.take(5) is None
    matcher.wait(6, "six", 0)
    matcher.wait(7, "seven", 0)
    with pytest.raises(BadMessage, match="another joint state had its stamp"):
        matcher.wait(6, "six of another sender", 0)
    for name in matcher.names:
        matcher.add(name, 6, WRENCH, 0)
        matcher.add(name, 7, WRENCH, 0)
    assert matcher.take(6) is None
    assert matcher.take(7)[0] == "seven"


def test_neither_side_grows_without_bounds(matcher):
    for stamp in range(MOST + 10):
        matcher.add("arm", stamp + 10**6, WRENCH, 0)
        matcher.wait(stamp, None, 0)
    assert len(matcher.overdue(0)) == 10
    assert len(matcher._wrenches) == MOST


def test_without_carried_subsystems_nothing_waits():
    matcher = WrenchMatcher((), 0.2)
    matcher.wait(5, "five", 0)
    assert matcher.take(5) == ("five", {})
