"""Joint states that wait for wrenches of the same stamp."""

import numpy as np
import pytest

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.reactions.connection_wrenches import MOST, WrenchMatcher

MS = 1_000_000
WRENCHES = {"arm": ("link", np.arange(6.0)), "head": ("link", np.ones(6))}


@pytest.fixture
def matcher():
    return WrenchMatcher(timeout=0.2)


def test_either_may_come_first_and_only_the_same_stamp_counts(matcher):
    matcher.add(5, WRENCHES, 0)
    matcher.wait(4, "four", 0)
    assert matcher.take(4) is matcher.take(5) is None
    matcher.wait(5, "five", 0)
    assert matcher.take(5) == ("five", WRENCHES)
    assert matcher.take(5) is None  # it is gone
    matcher.wait(10, "ten", 0)
    assert matcher.take(10) is None
    matcher.add(10, WRENCHES, 0)
    assert matcher.take(10)[0] == "ten"


def test_what_waits_is_given_up_when_the_topic_is_silent(matcher):
    matcher.wait(5, "five", 0)
    assert matcher.age(100 * MS) is None
    assert matcher.overdue(200 * MS) == 0
    assert matcher.overdue(201 * MS) == 1
    assert matcher.overdue(202 * MS) == 0
    matcher.add(5, WRENCHES, 300 * MS)
    assert matcher.age(350 * MS) == pytest.approx(0.05)
    assert matcher.take(5) is None


def test_a_node_that_lags_behind_gives_nothing_up(matcher):
    matcher.wait(100, "late", 0)
    for stamp in range(10, 100, 10):  # earlier wrenches are still coming: this one's will
        matcher.add(stamp, WRENCHES, stamp * 10 * MS)
        assert matcher.overdue(stamp * 10 * MS) == 0
    matcher.add(100, WRENCHES, 1000 * MS)
    assert matcher.take(100)[0] == "late"


def test_wrenches_that_later_ones_have_passed_will_not_come(matcher):
    matcher.wait(100, "lost", 0)
    matcher.add(200, WRENCHES, 250 * MS)
    assert matcher.overdue(150 * MS) == 0
    assert matcher.overdue(251 * MS) == 1


def test_when_a_recording_begins_again_old_wrenches_are_not_used(matcher):
    matcher.add(5, WRENCHES, 0)
    matcher.wait(100, "end", 0)
    matcher.wait(5, "begin", 0)
    assert matcher.take(5) is None
    assert matcher.age(0) is None
    assert matcher.overdue(0) == 1  # "end" waits no more
    matcher.wait(100, "again", 0)


def test_states_with_the_same_stamp_are_not_answered(matcher):
    matcher.wait(5, "one", 0)
    for what in ("another", "a third"):  # wrenches of all three are on their way
        with pytest.raises(BadMessage, match="another joint state had its stamp"):
            matcher.wait(5, what, 0)
    for _ in range(3):
        matcher.add(5, WRENCHES, 0)
        assert matcher.take(5) is None
    matcher.wait(6, "six", 0)
    matcher.wait(7, "seven", 0)
    with pytest.raises(BadMessage, match="another joint state had its stamp"):
        matcher.wait(6, "six of another sender", 0)
    for stamp in (6, 7):
        matcher.add(stamp, WRENCHES, 0)
    assert matcher.take(6) is None
    assert matcher.take(7)[0] == "seven"


def test_neither_side_grows_without_bounds(matcher):
    for stamp in range(MOST + 10):
        matcher.add(stamp + 10**6, WRENCHES, 0)
        matcher.wait(stamp, None, 0)
    assert matcher.overdue(0) == 10
    assert len(matcher._wrenches) == MOST


def test_after_closing_nothing_waits(matcher):
    matcher.wait(5, "five", 0)
    assert matcher.close() == 1
    with pytest.raises(BadMessage, match="the robot was replaced"):
        matcher.wait(6, "six", 0)
