from array import array

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.joint_states import EffortWriter, JointStateReader, JointStateWriter

NAN = float("nan")


def state(names, position, velocity=(), effort=()):
    q, v, tau = ([float(x) for x in part] for part in (position, velocity, effort))
    return JointState(name=list(names), position=q, velocity=v, effort=tau)


def test_optional_joints_are_measured_where_they_are_there_and_finite():
    reader = JointStateReader(["a", "b"], ["p", "q"])
    assert np.isnan(reader.read(state("ab", [1.0, 2.0])).optional).all()
    sample = reader.read(state("qbpa", [4.0, 2.0, 3.0, 1.0]))
    assert (sample.q.tolist(), sample.optional.tolist()) == ([1.0, 2.0], [3.0, 4.0])
    assert np.isnan(reader.read(state("apbx", [1.0, np.inf, 2.0, 9.0])).optional).all()
    with pytest.raises(BadMessage, match="'p' named more than once"):
        reader.read(state("abpp", [1.0, 2.0, 3.0, 3.0]))


def test_joints_are_matched_by_name_and_strangers_ignored():
    reader = JointStateReader(["a", "b", "c"])
    for names in (["a", "b", "c"], ["c", "x", "a", "b"], ["a", "b", "c"]):
        values = {"a": 1.0, "b": 2.0, "c": 3.0, "x": NAN}
        message = state(names, [values[n] for n in names], [10 * values[n] for n in names])
        message.header.stamp = Time(sec=1, nanosec=5)
        sample = reader.read(message)
        assert sample.q.tolist() == [1.0, 2.0, 3.0]
        assert sample.v.tolist() == [10.0, 20.0, 30.0]
        assert sample.without_velocity == ()
        assert sample.stamp == 1_000_000_005


@pytest.mark.parametrize(
    ("message", "cause", "offender"),
    [
        (state("a", [9.0]), "missing joints", "'b'"),
        (state("", []), "missing joints", "'a', 'b'"),
        (state("aba", [9.0, 9.0, 9.0]), "duplicate joints", "'a' named more than once"),
        (state("ab", [9.0]), "wrong length", "position has 1 values for 2 joint names"),
        (state("ab", [9.0, 9.0, 9.0]), "wrong length", "position has 3 values for 2 joint names"),
        (state("ab", []), "wrong length", "position has 0 values for 2 joint names"),
        (state("ab", [9.0, 9.0], [9.0]), "wrong length", "velocity has 1 values for 2 joint names"),
        (state("ab", [9.0, 9.0], [], [9.0]), "wrong length", "effort has 1 values for 2 joint names"),
        (state("ab", [9.0, NAN]), "not finite", "position of 'b'"),
        (state("ab", [-np.inf, 9.0]), "not finite", "position of 'a'"),
        (state("ab", [9.0, 9.0], [9.0, np.inf]), "not finite", "velocity of 'b'"),
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


def test_missing_velocities_are_zero_and_named():
    reader = JointStateReader(["a", "b"])
    sample = reader.read(state("ab", [1.0, 2.0]))
    assert (sample.v.tolist(), sample.without_velocity) == ([0.0, 0.0], ("a", "b"))
    sample = reader.read(state("ab", [1.0, 2.0], [3.0, NAN]))
    assert (sample.v.tolist(), sample.without_velocity) == ([3.0, 0.0], ("b",))


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


def test_written_states_reuse_one_message():
    writer = JointStateWriter(["a", "b", "c"], [0, 2], ("position", "effort"))
    first = writer.write(Time(sec=3), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    assert first.name == ["a", "c"]
    assert (first.position.tolist(), first.effort.tolist()) == ([1.0, 3.0], [4.0, 6.0])
    assert len(first.velocity) == 0
    assert first.header.stamp == Time(sec=3)
    again = writer.write(Time(sec=4), np.zeros(3), np.ones(3))
    assert again is first
    assert again.effort.tolist() == [1.0, 1.0]


def test_efforts_are_in_the_controllers_order():
    assert EffortWriter([2, 0]).write(np.array([1.0, 2.0, 3.0])).data.tolist() == [3.0, 1.0]
    assert EffortWriter([]).write(np.zeros(3)).data.tolist() == []
