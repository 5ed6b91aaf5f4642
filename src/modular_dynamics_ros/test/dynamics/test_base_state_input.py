"""What odometry and imu messages have in common, without DDS: messages come when the test says."""

import pytest
from sensor_msgs.msg import Imu

from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.imu_input import ImuInput
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

S, NOW = 1_000_000_000, 1_700_000_000_000_000_000


@pytest.mark.parametrize("simulated", [False, True])
def test_a_message_without_a_stamp_is_as_old_as_its_sending(four_link, simulated):
    """The node was stopped for three seconds, and the sensor ended meanwhile."""
    node = lone_node()
    node.time, node.simulated = NOW, simulated
    computation = Computation(load_robot(four_link, "", base_source="imu"), ComputationSettings())
    ImuInput(node, computation)
    message = Imu()
    message.header.frame_id, message.orientation.w = "base", 1.0
    node.create_subscription.call_args.args[2](message, message_info(NOW - 3 * S))
    if simulated:  # the middleware does not know that clock
        assert computation.base_states.newest == NOW
        return
    assert computation.base_states.newest == NOW - 3 * S
    with pytest.raises(BadMessage, match=r"3\.000 s older than the joint state"):
        computation.base_states.at(NOW)
