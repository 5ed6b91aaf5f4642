import numpy as np
import pytest
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage

from modular_dynamics.algebra import rotation_about, rotation_matrix
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.connection_motion import (
    ConnectionMotionWriter,
    connection_motion_from_message,
)
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = pytest.mark.ros


def written(angle=2.5) -> ConnectionMotionMessage:
    H = np.eye(4)
    H[:3, :3] = rotation_matrix(rotation_about(np.array([2.0, -1.0, 2.0]) / 3.0, angle))
    H[:3, 3] = 1.0, 2.0, 3.0
    motion = ConnectionMotion(H, np.arange(6.0), np.arange(6.0, 12.0), np.array([0.1, 0.2, -9.8]))
    return ConnectionMotionWriter("left/root", "arm").write(stamp_message(7), motion)


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.5, np.pi, 5.0, -1.0])
def test_a_motion_comes_back(angle):
    message = written(angle)
    read = connection_motion_from_message(message, "arm", "root", "left/")
    r = message.pose.orientation
    assert np.linalg.norm([r.x, r.y, r.z, r.w]) == pytest.approx(1.0, abs=1e-15)
    half = np.sin(angle / 2) / 3.0 * np.sign(np.cos(angle / 2) or 1.0)
    assert [abs(r.x), abs(r.y)] == pytest.approx([2 * abs(half), abs(half)], abs=1e-15)
    turned = rotation_matrix(rotation_about(np.array([2.0, -1.0, 2.0]) / 3.0, angle))
    assert read.H_root_point[:3, :3] == pytest.approx(turned, abs=1e-14)
    assert read.H_root_point[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert (read.twist.tolist(), read.acceleration.tolist()) == (list(range(6)), list(range(6, 12)))
    assert read.gravity.tolist() == [0.1, 0.2, -9.8]
    assert (message.twist.linear.y, message.twist.angular.x, message.acceleration.angular.z) == (
        1.0,
        3.0,
        11.0,
    )
    assert (message.subsystem, message.header.frame_id, message.header.stamp.nanosec) == (
        "arm",
        "left/root",
        7,
    )


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda m: setattr(m, "subsystem", "leg"), "another subsystem"),
        (lambda m: setattr(m.header, "frame_id", "torso"), "unknown frame"),
        (lambda m: setattr(m.twist.angular, "y", np.nan), "not finite"),
        (lambda m: setattr(m.gravity, "x", np.inf), "not finite"),
        (lambda m: setattr(m.acceleration.linear, "z", -1e300), "too large"),
        (lambda m: setattr(m.pose.orientation, "w", 2.0), "no orientation"),
    ],
)
def test_a_motion_that_cannot_be_used_is_refused(change, cause):
    message = written()
    change(message)
    with pytest.raises(BadMessage) as refused:
        connection_motion_from_message(message, "arm", "root", "left/")
    assert refused.value.cause == cause
