import pickle
import re

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.messages.joint_states import EffortWriter, JointStateWriter

pytestmark = pytest.mark.ros


def read(data):
    return deserialize_message(data, JointState)


def commands(data):
    return deserialize_message(data, Float64MultiArray).data.tolist()


def test_states_are_written_again_and_again():
    writer = JointStateWriter(["a", "b", "c"], [0, 2], ("position", "effort"), "world")
    first = writer.write(3_000_000_001, np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    second = writer.write(4_000_000_000, np.zeros(3), np.ones(3))
    message = read(first)
    assert message.name == ["a", "c"]
    assert (message.position.tolist(), message.effort.tolist()) == ([1.0, 3.0], [4.0, 6.0])
    assert len(message.velocity) == 0
    assert (message.header.stamp, message.header.frame_id) == (Time(sec=3, nanosec=1), "world")
    assert read(second).effort.tolist() == [1.0, 1.0]
    assert read(second).header.stamp == Time(sec=4)


@pytest.mark.parametrize("joints", range(12))
@pytest.mark.parametrize(
    "fields", [("position", "velocity", "effort"), ("position", "velocity"), ("effort",)]
)
def test_whatever_the_lengths_of_names_are(joints, fields):
    """They decide what stands between names and numbers."""
    names = ["j" * (k + joints) + "ö" for k in range(joints)]
    values = np.random.default_rng(joints).normal(size=(len(fields), joints))
    message = read(JointStateWriter(names, range(joints), fields).write(-1, *values))
    assert message.name == names
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (-1, 999_999_999)
    for field, expected in zip(fields, values, strict=True):
        assert getattr(message, field).tolist() == expected.tolist()
    assert {len(getattr(message, field)) for field in {"position", "velocity", "effort"} - {*fields}} <= {0}


def test_the_robots_vectors_may_go_on_behind_the_written_joints():
    """Where its last joints are inside black boxes."""
    efforts = np.array([1.0, 2.0, np.nan])
    assert read(JointStateWriter(["a", "b"], [0, 1], ("effort",)).write(0, efforts)).effort.tolist() == [
        1.0,
        2.0,
    ]
    assert commands(EffortWriter([0, 1]).write(efforts)) == [1.0, 2.0]


def test_efforts_are_in_the_controllers_order():
    assert commands(EffortWriter([2, 0]).write(np.array([1.0, 2.0, 3.0]))) == [3.0, 1.0]
    assert commands(EffortWriter([]).write(np.zeros(3))) == []


@pytest.mark.parametrize(
    "other",
    [
        lambda x: pickle.loads(pickle.dumps(x)),  # its dtype is another object
        lambda x: np.repeat(x, 2)[::2],
        lambda x: x.astype(np.float32),
        lambda x: x.astype(">f8"),
        list,
    ],
)
def test_any_numbers_are_written(other):
    writer = JointStateWriter(["a", "b"], [1, 0], ("effort",))
    assert read(writer.write(5, other(np.array([1.0, 2.0])))).effort.tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("stamp", "vector"),
    [(2**31 * 10**9, np.ones(2)), (5, np.ones(1)), (5, np.ones((2, 1))), (5, np.array(1.0))],
)
def test_what_no_message_can_have_is_named(stamp, vector):
    writer = JointStateWriter(["a", "b"], [1, 0], ("effort",))
    text = f"no message can have the stamp {stamp} ns and vectors of the shapes {vector.shape}"
    with pytest.raises(ValueError, match=re.escape(text)):
        writer.write(stamp, vector)
