"""The connection wrenches of one joint state, and modular_dynamics_interfaces/ConnectionWrenches."""

from collections.abc import Callable, Collection, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Wrench
from modular_dynamics_interfaces.msg import ConnectionWrenches

from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.wrenches import require_usable

__all__ = ["ConnectionWrenchesWriter", "connection_wrenches_from_message"]


class ConnectionWrenchesWriter:
    """One message of all subsystems, written again and again.

    Args:
        frame_prefix: begins every frame in TF.
    """

    def __init__(self, subsystems: Sequence[str], frame_prefix: str = "") -> None:
        self._prefix = frame_prefix
        self.message = ConnectionWrenches(
            subsystems=list(subsystems),
            frames=[""] * len(subsystems),
            wrenches=[Wrench() for _ in subsystems],
        )

    def write(self, stamp: Time, wrench_of: Callable[[int], StampedWrench]) -> ConnectionWrenches:
        """Return the message of the wrenches by index of the subsystem."""
        message = self.message
        message.header.stamp = stamp
        for k, part in enumerate(message.wrenches):
            link, wrench = wrench_of(k)
            message.frames[k] = self._prefix + link
            force, moment = part.force, part.torque
            force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()
        return message


def connection_wrenches_from_message(
    message: ConnectionWrenches, names: Sequence[str], links: Collection[str], frame_prefix: str = ""
) -> dict[str, StampedWrench]:
    """Return the wrenches of the subsystems `names`.

    Args:
        links: of the robot, one of which each frame must be. frame_prefix: that frames may have.

    Raises:
        BadMessage: lists of different lengths, a subsystem is missing, an unknown frame, values that are not
        finite, or huge.
    """
    if not len(message.subsystems) == len(message.frames) == len(message.wrenches):
        raise BadMessage("lengths", "subsystems, frames and wrenches have different lengths")
    parts = dict(zip(message.subsystems, zip(message.frames, message.wrenches, strict=True), strict=True))
    if missing := [name for name in names if name not in parts]:
        text = f"no wrench of {listed(missing)}: dynamics_node has another robot"
        raise BadMessage("missing wrench", text)
    wrenches = {}
    for name in names:
        frame, part = parts[name]
        if (link := frame.removeprefix(frame_prefix)) not in links:
            raise BadMessage("unknown frame", f"the frame '{link:.80}' of '{name}' is no link of the robot")
        force, moment = part.force, part.torque
        wrench = np.array([force.x, force.y, force.z, moment.x, moment.y, moment.z])
        require_usable(wrench, f"the wrench of '{name}'")
        wrenches[name] = link, wrench
    return wrenches
