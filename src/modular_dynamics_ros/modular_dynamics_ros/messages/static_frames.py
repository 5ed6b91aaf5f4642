"""Frames that TF knows as fixed, from tf2_msgs/TFMessage on /tf_static."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from modular_dynamics.algebra import Quaternion, rotation_matrix
from modular_dynamics.algebra.matrix_forms import homogeneous
from modular_dynamics_ros.computation.values import UNIT_NORM
from modular_dynamics_ros.exceptions import BadMessage

if TYPE_CHECKING:  # the command bag runs without ROS
    from geometry_msgs.msg import TransformStamped

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # the wheels of ROS 2 do not have it
    TFMessage = None

__all__ = ["TFMessage", "fixed_frame_from_message"]


def fixed_frame_from_message(transform: "TransformStamped") -> tuple[str, str, NDArray[np.float64]]:
    """Return child, parent and H_parent_child (4, 4) of one transform.

    Raises:
        BadMessage: a frame has no name or is its own parent; numbers are not finite, or no unit quaternion.
    """
    child, parent = transform.child_frame_id, transform.header.frame_id
    if not child or not parent or child == parent:
        text = f"a transform from '{parent:.80}' to '{child:.80}'; two different names are needed"
        raise BadMessage("bad transform", text)
    p, r = transform.transform.translation, transform.transform.rotation
    position, quaternion = np.array([p.x, p.y, p.z]), Quaternion(r.w, r.x, r.y, r.z)
    norm = quaternion.norm()
    if not np.isfinite(position).all() or not abs(norm - 1.0) <= UNIT_NORM:
        raise BadMessage(
            "bad transform",
            f"the transform from '{parent:.80}' to '{child:.80}' needs a finite translation and a unit "
            f"quaternion; its norm is {norm:g}",
        )
    return child, parent, homogeneous(rotation_matrix(quaternion * (1.0 / norm)), position)
