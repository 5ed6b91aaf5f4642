"""Wrenches, poses and odometry: messages and arrays.

A wrench is [force N, moment N m] at the origin of a frame, in its axes. Quaternions are w x y z in the
library, x y z w in messages. Rotations are converted by tf_transformations or by transforms3d, which it
wraps: tf_transformations comes with a ROS 2 distribution (ros-jazzy-tf-transformations) and not from PyPI.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import algebra
from modular_dynamics.algebra import rotation_matrix, translation
from modular_dynamics_ros.computation.floating_base import FloatingBase
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import LARGEST, UNIT_NORM, Array
from modular_dynamics_ros.exceptions import BadMessage

if TYPE_CHECKING:  # not every distribution has nav_msgs, and the command bag runs without ROS
    from geometry_msgs.msg import Accel, Twist
    from nav_msgs.msg import Odometry
try:
    from builtin_interfaces.msg import Time
    from geometry_msgs.msg import Pose, Quaternion, Wrench, WrenchStamped
except ImportError:  # the command bag runs without ROS: there messages are only read
    Time = Pose = Quaternion = Wrench = WrenchStamped = None
try:
    import tf_transformations
except ImportError:
    import transforms3d

    tf_transformations = None


def set_wrench(message: Wrench, wrench: NDArray[np.float64]) -> Wrench:
    """Write [force, moment] (6,) to a message, and return it."""
    force, moment = message.force, message.torque
    force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()
    return message


def wrench_message(wrench: NDArray[np.float64]) -> Wrench:
    """Return [force, moment] (6,) as a message without a frame."""
    return set_wrench(Wrench(), wrench)


class WrenchWriter:
    """One stamped wrench message, written again and again.

    Args:
        frame_prefix: begins every frame in TF.
    """

    def __init__(self, frame_prefix: str = "") -> None:
        self._prefix = frame_prefix
        self.message = WrenchStamped()

    def write(self, stamp: Time, link: str, wrench: NDArray[np.float64]) -> WrenchStamped:
        """Return the message of [force, moment] at the origin of the frame of `link`, in its axes."""
        self.message.header.stamp, self.message.header.frame_id = stamp, self._prefix + link
        set_wrench(self.message.wrench, wrench)
        return self.message


def wrench_array(message: Wrench) -> NDArray[np.float64]:
    """Return [force, moment] (6,) of a message without a frame."""
    force, moment = message.force, message.torque
    return np.array([force.x, force.y, force.z, moment.x, moment.y, moment.z])


def wrench_from_message(message: WrenchStamped) -> NDArray[np.float64]:
    """Return [force, moment] (6,). Raises BadMessage: a component is not finite, or huge."""
    wrench = wrench_array(message.wrench)
    require_usable(wrench, f"wrench in frame '{message.header.frame_id:.80}'")
    return wrench


def require_usable(values: NDArray[np.floating[Any]], what: str) -> None:
    """Refuse numbers of a size that descriptions and requests refuse: no digit of a torque would be right.

    Args:
        what: begins the text.

    Raises:
        BadMessage: one is NaN, infinite or huge.
    """
    sizes = np.abs(values)
    if (sizes <= LARGEST).all():  # False for NaN
        return
    if not np.isfinite(sizes).all():
        raise BadMessage("not finite", f"{what} holds NaN or infinite values")
    raise BadMessage("too large", f"{what} holds {sizes.max():.3g}; sizes of at most {LARGEST:g} are taken")


def set_rates(message: "Twist | Accel", values: NDArray[np.float64]) -> None:
    """Write [linear, angular] (6,) to a message."""
    linear, angular = message.linear, message.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = values.tolist()


def rates_array(message: "Twist | Accel") -> NDArray[np.float64]:
    """Return [linear, angular] (6,) of a message."""
    linear, angular = message.linear, message.angular
    return np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])


def quaternion_message(rotation: NDArray[np.float64]) -> Quaternion:
    """Return a rotation matrix (3, 3) as a unit quaternion."""
    if tf_transformations is not None:
        matrix = np.eye(4)
        matrix[:3, :3] = rotation
        x, y, z, w = tf_transformations.quaternion_from_matrix(matrix)
    else:
        w, x, y, z = transforms3d.quaternions.mat2quat(rotation)
    return Quaternion(x=float(x), y=float(y), z=float(z), w=float(w))


def pose_message(pose: md.DualQuaternion) -> Pose:
    """Return a unit dual quaternion x_a_b as the pose of b in a."""
    message = Pose(orientation=quaternion_message(rotation_matrix(pose.primary)))
    message.position.x, message.position.y, message.position.z = translation(pose).tolist()
    return message


def unit_quaternion(message: Quaternion) -> algebra.Quaternion:
    """Return a message as a unit quaternion.

    Raises:
        BadMessage: its norm differs from 1 by more than rounding, or it is not finite.
    """
    read = algebra.Quaternion(message.w, message.x, message.y, message.z)
    norm = read.norm()
    if not abs(norm - 1.0) <= UNIT_NORM:
        numbers = f"x y z w = {message.x:g} {message.y:g} {message.z:g} {message.w:g}"
        raise BadMessage("no orientation", f"its quaternion {numbers} has the norm {norm:g} instead of 1")
    return read * (1.0 / norm)


def base_state_from_message(
    message: "Odometry", robot: Robot, base: FloatingBase
) -> tuple[algebra.Quaternion, Array]:
    """Return orientation and twist (6,) of the base, as of `BaseState`.

    Raises:
        BadMessage: frames that do not say how the base moves, values that are not finite, no unit quaternion.
    """
    x_base_link = base.frame(robot.link(message.child_frame_id))
    world = base.world(robot.link(message.header.frame_id))
    position, twist = message.pose.pose.position, message.twist.twist
    linear, angular = (np.array([v.x, v.y, v.z]) for v in (twist.linear, twist.angular))
    moved = base.twist(x_base_link, linear, angular)
    if not np.isfinite([*moved, position.x, position.y, position.z]).all():
        raise BadMessage("not finite", "its pose or twist holds NaN, infinite or too large values")
    if np.abs(moved).max() > LARGEST:
        raise BadMessage("too large", f"its twist is beyond {LARGEST:g} m/s or rad/s, the most that is taken")
    orientation = world * unit_quaternion(message.pose.pose.orientation)
    return orientation * x_base_link.primary.conjugate(), moved
