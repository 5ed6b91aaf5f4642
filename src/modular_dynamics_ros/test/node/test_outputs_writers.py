import pickle

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message, serialize_message

from modular_dynamics_ros.node.outputs import EffortWriter, JointStateWriter

pytestmark = pytest.mark.ros


def read(message):
    """The message as a subscriber gets it."""
    return deserialize_message(serialize_message(message), type(message))


def test_states_are_written_again_and_again():
    writer = JointStateWriter(["a", "b", "c"], [0, 2], ("position", "effort"), "world")
    first = read(writer.write(3_000_000_001, np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])))
    second = read(writer.write(-1, np.zeros(3), np.ones(3)))
    assert first.name == ["a", "c"]
    assert (first.position.tolist(), first.effort.tolist()) == ([1.0, 3.0], [4.0, 6.0])
    assert len(first.velocity) == 0
    assert (first.header.stamp, first.header.frame_id) == (Time(sec=3, nanosec=1), "world")
    assert second.effort.tolist() == [1.0, 1.0]
    assert second.header.stamp == Time(sec=-1, nanosec=999_999_999)


def test_the_robots_vectors_may_go_on_behind_the_written_joints():
    """Where its last joints are inside black boxes."""
    efforts = np.array([1.0, 2.0, np.nan])
    assert JointStateWriter(["a", "b"], [0, 1], ("effort",)).write(0, efforts).effort.tolist() == [1.0, 2.0]
    assert EffortWriter([0, 1]).write(efforts).data.tolist() == [1.0, 2.0]


def test_efforts_are_in_the_controllers_order():
    assert read(EffortWriter([2, 0]).write(np.array([1.0, 2.0, 3.0]))).data.tolist() == [3.0, 1.0]
    assert read(EffortWriter([]).write(np.zeros(3))).data.tolist() == []


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
