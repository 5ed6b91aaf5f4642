import numpy as np
from builtin_interfaces.msg import Time

from modular_dynamics_ros.messages.joint_states import EffortWriter, JointStateWriter


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


def test_the_robots_vectors_may_go_on_behind_the_written_joints():
    """Where its last joints are inside black boxes."""
    efforts = np.array([1.0, 2.0, np.nan])
    assert JointStateWriter(["a", "b"], [0, 1], ("effort",)).write(Time(), efforts).effort.tolist() == [
        1.0,
        2.0,
    ]
    assert EffortWriter([0, 1]).write(efforts).data.tolist() == [1.0, 2.0]


def test_efforts_are_in_the_controllers_order():
    assert EffortWriter([2, 0]).write(np.array([1.0, 2.0, 3.0])).data.tolist() == [3.0, 1.0]
    assert EffortWriter([]).write(np.zeros(3)).data.tolist() == []
