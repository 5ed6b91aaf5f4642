"""Set points of a joint_trajectory_controller that the nodes of all subsystems take."""

from types import SimpleNamespace

import numpy as np
import pytest
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectoryPoint

import modular_dynamics as md
from helpers.nodes.subsystem_bus import SubsystemBus, motion, step
from helpers.paths import ROBOTS
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = pytest.mark.ros
CHARMIE = str(ROBOTS / "charmie.urdf")


@pytest.fixture
def bus():
    """Without control_msgs, which the wheels of ROS 2 do not have, its fields are enough."""
    return SubsystemBus(CHARMIE, acceleration_source="reference", reference_type="controller_state")


def send(bus, stamp, names, a):
    point = JointTrajectoryPoint(accelerations=[float(one) for one in a])
    header = Header(stamp=stamp_message(stamp))
    message = SimpleNamespace(
        header=header, joint_names=list(names), reference=point, speed_scaling_factor=1.0
    )
    bus.publish("controller_state", message)


def refusals(bus):
    return {name: " ".join(session._node.log.texts("reference")) for name, session in bus.sessions.items()}


def test_a_controller_of_one_arm_leaves_the_other_joints_without_acceleration(bus):
    arm = [name for name in bus.names if name.startswith("left")]
    bus.set_time(1)
    send(bus, 1, arm, np.arange(len(arm)))
    stamp = step(bus, 1)
    a = np.zeros(19)
    a[[bus.names.index(name) for name in arm]] = np.arange(len(arm))
    assert a.any()
    expected = md.inverse_dynamics(bus.graph, *motion(bus, 1), a)
    assert bus.vector(stamp) == pytest.approx(expected, abs=1e-9)
    assert not any("names no joint" in text for text in refusals(bus).values())


def test_set_points_without_a_stamp_or_of_another_robot_are_refused_by_all(bus):
    bus.set_time(1)
    send(bus, 0, bus.names, np.ones(19))
    send(bus, 1, ["wheel"], [1.0])
    assert bus.torques(step(bus, 1)) == {}
    for text in refusals(bus).values():
        assert "its stamp is zero" in text
        assert "names no joint" in text
