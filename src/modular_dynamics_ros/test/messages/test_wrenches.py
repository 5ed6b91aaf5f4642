import re

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


@pytest.mark.parametrize("huge", [1.1e9, -1e300, 1.7e308])
def test_a_huge_wrench_is_refused_by_name_and_the_largest_is_not(huge):
    message = WrenchStamped()
    message.header.frame_id = "tool"
    message.wrench.force.z = -1e9
    assert wrench_from_message(message)[2] == -1e9
    message.wrench.torque.y = huge
    words = f"'tool' holds {abs(huge):.3g}; sizes of at most 1e+09 are taken"
    with pytest.raises(BadMessage, match=re.escape(words)) as caught:
        wrench_from_message(message)
    assert caught.value.cause == "too large"
