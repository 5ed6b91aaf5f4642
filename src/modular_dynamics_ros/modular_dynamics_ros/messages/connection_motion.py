"""The motion of a connection point, and modular_dynamics_interfaces/ConnectionMotion."""

import numpy as np
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage

from modular_dynamics.algebra import rotation_matrix, rotation_quaternion
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.poses import unit_quaternion
from modular_dynamics_ros.messages.wrenches import require_usable

__all__ = ["ConnectionMotionWriter", "connection_motion_from_message"]


class ConnectionMotionWriter:
    """One message of one connection point, written again and again.

    Args:
        frame: of the robot's root link in TF. subsystem: that is connected at the point.
    """

    def __init__(self, frame: str, subsystem: str) -> None:
        self.message = ConnectionMotionMessage(subsystem=subsystem)
        self.message.header.frame_id = frame

    def write(self, stamp: Time, motion: ConnectionMotion) -> ConnectionMotionMessage:
        """Return the message of a motion."""
        message, H = self.message, motion.H_root_point
        message.header.stamp = stamp
        position, turned = message.pose.position, message.pose.orientation
        position.x, position.y, position.z = H[:3, 3].tolist()
        # not by tf_transformations, as elsewhere: that takes as long as the rest of the answer
        r = rotation_quaternion(H[:3, :3])
        turned.x, turned.y, turned.z, turned.w = r.x, r.y, r.z, r.w
        for part, values in ((message.twist, motion.twist), (message.acceleration, motion.acceleration)):
            a, b = part.linear, part.angular
            a.x, a.y, a.z, b.x, b.y, b.z = values.tolist()
        message.gravity.x, message.gravity.y, message.gravity.z = motion.gravity.tolist()
        return message


def connection_motion_from_message(
    message: ConnectionMotionMessage, subsystem: str, root: str, frame_prefix: str = ""
) -> ConnectionMotion:
    """Return a motion of a subsystem's connection point.

    Args:
        root: the robot's root link, which the frame must be. frame_prefix: that the frame may have.

    Raises:
        BadMessage: of another subsystem, in another frame, no orientation, or values that are not finite
        or huge.
    """
    if message.subsystem != subsystem:
        text = f"it is of '{message.subsystem:.80}', not of '{subsystem}': check the remapping"
        raise BadMessage("another subsystem", text)
    if (frame := message.header.frame_id.removeprefix(frame_prefix)) != root:
        raise BadMessage("unknown frame", f"its frame is '{frame:.80}'; the root link '{root}' is needed")
    numbers = np.array(
        [
            [part.x, part.y, part.z]
            for part in (
                message.pose.position,
                message.gravity,
                message.twist.linear,
                message.twist.angular,
                message.acceleration.linear,
                message.acceleration.angular,
            )
        ]
    )
    require_usable(numbers, "it")
    H = np.eye(4)
    H[:3, :3] = rotation_matrix(unit_quaternion(message.pose.orientation))
    H[:3, 3] = numbers[0]
    return ConnectionMotion(H, numbers[2:4].ravel(), numbers[4:].ravel(), numbers[1])
