"""The floating joint at the root of a robot, and where its numbers stand in the solvers' vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.algebra import DualQuaternion, Quaternion, adjoint
from modular_dynamics.model import root_floating_joints
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage, RobotError, listed

EARTH_CENTRED = "earth", "ecef"  # names of world frames


@dataclass(frozen=True, eq=False)
class FloatingBase:
    """A floating joint that carries the whole robot.

    The solvers take the coordinates of all joints or, with closed loops, of the independent ones.

    Attributes:
        source: of its state: odometry, or imu where the root is fixed and only its orientation changes.
        joint: its name. link: that it moves, in whose frame the twist and the wrench of the base are.
        velocities: its six numbers in the solvers' velocities and torques.
        rate_indices: (n,) of the robot's `state_names` in the solvers' velocities.
    """

    source: str
    joint: str
    link: str
    velocities: slice
    _graph: md.SubsystemGraph
    _quaternion: slice
    _joints: NDArray[np.intp] = field(repr=False)  # indices in positions
    rate_indices: NDArray[np.intp] = field(repr=False)
    _lengths: tuple[int, int]

    def positions(self, q: Array, orientation: Quaternion) -> Array:
        """Return the solvers' positions from those of `state_names` (n,) and the base's orientation.

        The base is at the origin: no torque depends on where it is.
        """
        every = np.zeros(self._lengths[0])
        every[self._joints] = q
        every[self._quaternion] = orientation.w, orientation.x, orientation.y, orientation.z
        return every

    def rates(self, v: Array, base: Array | None) -> Array:
        """Return the solvers' velocities or accelerations; ``base`` None: the base's are zero."""
        every = np.zeros(self._lengths[1])
        every[self.rate_indices] = v
        if base is not None:
            every[self.velocities] = base
        return every

    def equals(self, other: "FloatingBase | None") -> bool:
        """Return whether states of the other base are states of this one."""
        return (
            other is not None
            and (self.source, self.link) == (other.source, other.link)
            and self._start.is_close(other._start)
        )

    @property
    def _start(self) -> DualQuaternion:
        """Return the pose from which the base's joint starts."""
        return self._graph.joint(self.joint).x_parent_joint

    def twist(self, x_base_link: DualQuaternion, linear: Array, angular: Array) -> Array:
        """Return the twist (6,) of the base at and in its link, from that at and in a link it carries."""
        moved = adjoint(x_base_link, DualQuaternion.pure(angular, linear))
        return np.concatenate((moved.dual.vector, moved.primary.vector))

    def frame(self, name: str) -> DualQuaternion:
        """Return x_base_link of a link that is rigidly connected to the base.

        Raises:
            BadMessage: there is no such link, or it moves against the base.
        """
        body = self._graph.bodies[self._graph.joint_index(self.joint)]
        if name not in body.links:
            raise BadMessage(
                "unknown frame",
                f"its frame is '{name}'; the root link '{self.link}' is needed, or a link that is rigidly "
                f"connected to it: {listed([link for link in body.links if link != self.link]) or 'none'}",
            )
        return body.links[name]

    @property
    def root(self) -> Quaternion:
        """Return the rotation from the robot's root frame to the frame that the base's joint starts from."""
        return self._start.primary.conjugate()

    def world(self, name: str) -> Quaternion:
        """Return the rotation from a world frame to the frame that the base's joint starts from.

        A frame that is no link of the robot has the axes of the robot's root frame, as the parameter gravity.

        Raises:
            BadMessage: it is a link that moves; or its z axis points down, or to the pole.
        """
        graph = self._graph
        joint = self.root
        if name in graph.ground.links:
            return joint * graph.ground.links[name].primary
        if not name or name in graph.links:
            raise BadMessage(
                "unknown frame",
                f"its world frame is '{name}'; a fixed frame with z up is needed, as odom and map of REP 105",
            )
        if name.lower().endswith("_ned"):
            raise BadMessage("unknown frame", f"z of its world frame '{name}' points down: z up is needed")
        if name.lower().rpartition("/")[2] in EARTH_CENTRED or name.lower().endswith("_ecef"):
            raise BadMessage(
                "unknown frame",
                f"z of its world frame '{name}', which is earth-centred (REP 105), points to the north pole: "
                "a fixed frame with z up is needed, such as odom, map or world",
            )
        return joint


def floating_base_of(
    graph: md.SubsystemGraph, source: str, names: Sequence[str], state_names: Sequence[str]
) -> FloatingBase:
    """Return the graph's floating base.

    Args:
        source: of its state. names: joints of the solvers' vectors. state_names: the robot's.

    Raises:
        RobotError: there are several, or it is inside a black box.
    """
    joint, *others = root_floating_joints(graph)
    if others:
        raise RobotError(
            f"floating_base needs one floating joint at the root, not {listed([joint, *others])}"
        )
    index = graph.joint_index(joint)
    if boxes := [one.name for one in graph.subsystems if one.black_box and index in one.indices]:
        raise RobotError(f"the floating base '{joint}' is inside the black box '{boxes[0]}'")
    kinds = [graph.joint(name).type for name in names]
    starts = np.cumsum([(0, 0), *((kind.nq, kind.nv) for kind in kinds)], axis=0)
    q, v = (dict(zip(names, column.tolist(), strict=True)) for column in starts[:-1].T)
    return FloatingBase(
        source,
        joint,
        graph.bodies[index].name,
        slice(v[joint], v[joint] + 6),
        graph,
        slice(q[joint] + 3, q[joint] + 7),
        np.array([q[name] for name in state_names], dtype=np.intp),
        np.array([v[name] for name in state_names], dtype=np.intp),
        (int(starts[-1][0]), int(starts[-1][1])),
    )
