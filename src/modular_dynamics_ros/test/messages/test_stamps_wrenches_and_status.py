import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.status import WARN, Status, diagnostic_array
from modular_dynamics_ros.messages.wrenches import WrenchWriter, wrench_from_message


def test_stamps_survive_the_round_trip():
    for nanoseconds in (0, 1, 999_999_999, 1_700_000_000_123_456_789):
        assert stamp_nanoseconds(stamp_message(nanoseconds)) == nanoseconds
    assert stamp_message(1_500_000_000) == Time(sec=1, nanosec=500_000_000)


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


def test_diagnostics():
    message = diagnostic_array(Time(sec=1), [Status(WARN, "input", "words", "robot", {"key": "value"})])
    (status,) = message.status
    assert (status.level, status.name, status.message, status.hardware_id) == (
        b"\x01",
        "input",
        "words",
        "robot",
    )
    assert [(entry.key, entry.value) for entry in status.values] == [("key", "value")]
