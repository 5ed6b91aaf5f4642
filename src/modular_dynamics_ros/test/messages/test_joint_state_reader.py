import time
from array import array

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.joint_state_reader import JointStateReader

NAN = float("nan")


def state(names, position, velocity=(), effort=()):
    q, v, tau = ([float(x) for x in part] for part in (position, velocity, effort))
    return JointState(name=list(names), position=q, velocity=v, effort=tau)


def test_optional_joints_are_measured_where_they_are_there_and_finite():
    reader = JointStateReader(["a", "b"], ["p", "q"])
    assert np.isnan(reader.read(state("ab", [1.0, 2.0])).optional).all()
    assert reader.read(state("p", [5.0])).optional[0] == 5.0
    sample = reader.read(state("qbpa", [4.0, 2.0, 3.0, 1.0]))
    assert (sample.q.tolist(), sample.optional.tolist()) == ([1.0, 2.0], [3.0, 4.0])
    assert np.isnan(reader.read(state("apbx", [1.0, np.inf, 2.0, 9.0])).optional).all()
    with pytest.raises(BadMessage, match="'p' named more than once"):
        reader.read(state("abpp", [1.0, 2.0, 3.0, 3.0]))


def test_efforts_are_read_only_where_they_are_asked_for():
    reader = JointStateReader(["a", "b", "c"])
    message = state("cxba", [1.0] * 4, effort=[3.0, 9.0, np.inf, 1.0])
    huge = state("cxba", [1.0] * 4, effort=[3.0, 9.0, -1e308, 1.0])
    np.testing.assert_array_equal(reader.read(huge, efforts=True).effort, [1.0, NAN, 3.0])
    assert reader.read(message).effort is None
    np.testing.assert_array_equal(reader.read(message, efforts=True).effort, [1.0, NAN, 3.0])
    assert np.isinf(message.effort[2])  # the message stays as it is
    np.testing.assert_array_equal(reader.read(state("ba", [1.0, 2.0]), efforts=True).effort, [NAN, NAN])
    with pytest.raises(BadMessage, match="effort has 1 values for 2 joint names"):
        reader.read(state("ab", [1.0, 2.0], effort=[1.0]), efforts=True)


def test_joints_are_matched_by_name_and_strangers_ignored():
    reader = JointStateReader(["a", "b", "c"])
    for names in (["a", "b", "c"], ["c", "x", "a", "b"], ["a", "b", "c"]):
        values = {"a": 1.0, "b": 2.0, "c": 3.0, "x": NAN}
        message = state(names, [values[n] for n in names], [10 * values[n] for n in names])
        message.header.stamp = Time(sec=1, nanosec=5)
        sample = reader.read(message)
        assert sample.q.tolist() == [1.0, 2.0, 3.0]
        assert sample.v.tolist() == [10.0, 20.0, 30.0]
        assert sample.layout.complete
        assert sample.stamp == 1_000_000_005


@pytest.mark.parametrize(
    ("message", "cause", "offender"),
    [
        (state("aba", [9.0, 9.0, 9.0]), "duplicate joints", "'a' named more than once"),
        (state("ab", [9.0]), "wrong length", "position has 1 values for 2 joint names"),
        (state("ab", [9.0, 9.0, 9.0]), "wrong length", "position has 3 values for 2 joint names"),
        (state("ab", []), "wrong length", "position has 0 values for 2 joint names"),
        (state("ab", [9.0, 9.0], [9.0]), "wrong length", "velocity has 1 values for 2 joint names"),
        (state("ab", [9.0, 9.0], [], [9.0]), "wrong length", "effort has 1 values for 2 joint names"),
        (state("ab", [9.0, NAN]), "not finite", "position of 'b'"),
        (state("ab", [-np.inf, 9.0]), "not finite", "position of 'a'"),
        (state("ab", [9.0, -2e9]), "too large", "position of 'b' is beyond 1e+09"),
        (state("ab", [9.0, 9.0], [9.0, np.inf]), "not finite", "velocity of 'b'"),
        (state("ab", [9.0, 9.0], [NAN, -1e10]), "too large", "velocity of 'b' is beyond 1e+09"),
    ],
)
def test_a_bad_state_is_refused_by_name_and_does_not_disturb_the_others(message, cause, offender):
    reader = JointStateReader(["a", "b"])
    good = reader.read(state("ba", [2.0, 1.0], [4.0, 3.0]))
    with pytest.raises(BadMessage) as caught:
        reader.read(message)
    assert caught.value.cause == cause
    assert offender in str(caught.value)
    after = reader.read(state("ab", [5.0, 6.0], [7.0, 8.0]))
    assert (after.q.tolist(), after.v.tolist()) == ([5.0, 6.0], [7.0, 8.0])
    assert (good.q.tolist(), good.v.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_missing_velocities_are_not_numbers():
    reader = JointStateReader(["a", "b"])
    for velocity, expected in (((), [NAN, NAN]), ([3.0, NAN], [3.0, NAN])):
        np.testing.assert_array_equal(reader.read(state("ab", [1.0, 2.0], velocity)).v, expected)


def test_a_message_may_hold_some_of_the_joints():
    reader = JointStateReader(["a", "b", "c"])
    sample = reader.read(state("cxa", [3.0, 9.0, 1.0], [30.0, 9.0, 10.0]))
    assert sample.layout.joints.tolist() == [0, 2]
    assert (sample.q.tolist(), sample.v.tolist(), sample.layout.complete) == ([1.0, 3.0], [10.0, 30.0], False)
    for names in ("", "x"):
        assert reader.read(state(names, [9.0] * len(names))).q.size == 0


def test_forty_thousand_joints_named_twice_are_found_at_once():
    """Counting each name in the list of all grew with the square: 40 s."""
    names = [f"j{k % 20_000}" for k in range(40_000)]
    reader = JointStateReader(names[:20_000])
    began = time.monotonic()
    with pytest.raises(BadMessage, match="and 19996 more named more than once"):
        reader.read(state(names, np.zeros(40_000)))
    assert time.monotonic() - began < 5.0


def test_a_stranger_named_twice_does_no_harm():
    reader = JointStateReader(["a"])
    assert reader.read(state("xax", [7.0, 1.0, 8.0])).q.tolist() == [1.0]


def test_reading_does_not_keep_the_message():
    reader, message = JointStateReader(["a"]), state("a", [1.0])
    sample = reader.read(message)
    message.position = array("d", [5.0])
    assert sample.q.tolist() == [1.0]
    message.position[0] = 6.0
    sample = reader.read(message)
    message.position[0] = 7.0
    assert sample.q.tolist() == [6.0]


@pytest.mark.parametrize("bad", [NAN, np.inf, 2e9, -1e300])
def test_an_optional_position_that_measures_nothing_is_missing(bad):
    reader = JointStateReader(["a"], ["b", "c"])
    optional = reader.read(state("abc", [1.0, bad, 3.0])).optional
    np.testing.assert_array_equal(optional, [NAN, 3.0])
