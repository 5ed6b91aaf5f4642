"""References as the state of a joint_trajectory_controller, control_msgs/JointTrajectoryControllerState."""

from array import array
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.trajectories import trajectory_from_message

try:
    from control_msgs.msg import JointTrajectoryControllerState
except ImportError:  # the wheels of ROS 2 do not have it
    JointTrajectoryControllerState = None

__all__ = ["ControllerStateReader", "JointTrajectoryControllerState"]


class ControllerStateReader:
    """Reads the states of one controller, also of one that does not fill in its speed scaling.

    Before ros2_controllers 4.39 joint_trajectory_controller left speed_scaling_factor at zero, whatever its
    speed was. A controller that is scaled to zero stands still: where the set point moves between two
    messages with zero, the field is not filled in, and counts as 1.

    Attributes:
        unfilled: whether that is so of the last message.
    """

    def __init__(self) -> None:
        self._last: Any = None
        self.unfilled = False

    def read(
        self, message: Any, joint_names: Sequence[str], arrival: int, validity: int
    ) -> ReferenceTrajectory:
        """Return the set point's accelerations, valid from the stamp for `validity` [ns].

        The controller follows q(s t) with its speed scaling s, and reports the acceleration of q: the joints
        are to have s^2 times that.

        Args:
            message: its fields header, joint_names, reference and, from Jazzy on, speed_scaling_factor are
                read.
            joint_names, arrival: see `trajectory_from_message`.

        Raises:
            BadMessage: no accelerations, an impossible scaling factor; and as `trajectory_from_message`.
        """
        last, self._last, scaling = self._last, message, _scaling(message)
        stopped = last is not None and _scaling(last) == scaling == 0.0
        self.unfilled = stopped and last.reference.positions != message.reference.positions
        scaling = 1.0 if self.unfilled else scaling
        return _trajectory(message, joint_names, arrival, validity, scaling)


def _scaling(message: Any) -> float:
    return float(getattr(message, "speed_scaling_factor", 1.0))


def _trajectory(
    message: Any, joint_names: Sequence[str], arrival: int, validity: int, scaling: float
) -> ReferenceTrajectory:
    accelerations = message.reference.accelerations
    if not len(accelerations):
        text = "its field reference has no accelerations; interpolation_method 'splines' gives some"
        raise BadMessage("reference", f"the controller's state cannot be used: {text}")
    if not (isfinite(scaling) and scaling >= 0.0):
        text = f"its speed_scaling_factor is {scaling:g}; 0 or more is needed"
        raise BadMessage("reference", f"the controller's state cannot be used: {text}")
    scaled = array("d", (np.asarray(accelerations) * scaling**2).tobytes())
    point, end = JointTrajectoryPoint(accelerations=scaled), JointTrajectoryPoint(accelerations=scaled)
    until = stamp_message(validity)
    end.time_from_start.sec, end.time_from_start.nanosec = until.sec, until.nanosec
    held = JointTrajectory(header=message.header, joint_names=message.joint_names, points=[point, end])
    return trajectory_from_message(held, joint_names, arrival)
