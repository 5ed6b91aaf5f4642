import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.wrenches import WrenchWriter, wrench_from_message


def test_wrenches_survive_the_round_trip():
    wrench = np.arange(1.0, 7.0)
    message = WrenchWriter().write(Time(sec=1), "tool", wrench)
    assert message.header.frame_id == "tool"
    assert message.wrench.torque.x == 4.0  # force first, moment second
    assert wrench_from_message(message).tolist() == wrench.tolist()


def test_a_wrench_with_nan_is_refused_by_name():
    message = WrenchStamped()
    message.header.frame_id = "tool"
    message.wrench.torque.y = float("nan")
    with pytest.raises(BadMessage, match="'tool'"):
        wrench_from_message(message)
