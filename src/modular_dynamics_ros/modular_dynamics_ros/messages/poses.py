"""Poses of the library as messages: quaternions w x y z there, x y z w here.

Rotations are converted by tf_transformations or by transforms3d, which it wraps: tf_transformations comes
with a ROS 2 distribution (ros-jazzy-tf-transformations) and not from PyPI.
"""

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import algebra
from modular_dynamics.algebra import rotation_matrix, translation
from modular_dynamics_ros.computation.values import UNIT_NORM
from modular_dynamics_ros.exceptions import BadMessage

try:
    from geometry_msgs.msg import Pose, Quaternion
except ImportError:  # the command bag runs without ROS: there messages are only read
    Pose = Quaternion = None

try:
    import tf_transformations
except ImportError:
    import transforms3d

    tf_transformations = None

__all__ = ["pose_message", "quaternion_message", "unit_quaternion"]


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
