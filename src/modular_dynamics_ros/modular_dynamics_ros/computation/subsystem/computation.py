"""Torques of one subsystem, from its joints' state, the motion of its connection point and wrenches."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.closed_loop import ClosedLoop
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.subsystem.motion import (
    ConnectionMotion,
    ConnectionPoint,
    MotionPropagation,
    fixed_motion,
    pose_matrix,
)
from modular_dynamics_ros.computation.subsystem.part import SubsystemPart
from modular_dynamics_ros.computation.values import (
    AppliedWrenches,
    Array,
    BaseState,
    ComputationSettings,
    Configuration,
    State,
)
from modular_dynamics_ros.computation.wrenches.frames import connection_frame, wrench_matrix
from modular_dynamics_ros.exceptions import BadMessage, listed

UNTURNED = Quaternion(1.0)  # of the floating joint: gravity is in its acceleration, and nothing else turns


@dataclass(frozen=True, eq=False)
class MovingState:
    """A state of the part whose connection point moves.

    Attributes:
        state: with the motion of the link that carries the point, in free fall's frame. configuration: of
            all joints. outgoing: motions of the connection points that the part carries, by subsystem.
    """

    state: State
    configuration: Configuration
    outgoing: dict[str, ConnectionMotion]


class SubsystemComputation(Computation):
    """See `Computation`; the state of the floating joint is the motion of the connection point.

    Attributes:
        part: the subsystem. description: digest of the robot description that it was cut from; empty: not
            known.
    """

    def __init__(self, part: SubsystemPart, settings: ComputationSettings) -> None:
        super().__init__(part.robot, settings)
        self.base_states = None  # no sample of another stamp may count
        self.part, self.description = part, ""
        self._propagation = MotionPropagation(part.robot.graph, part.connection, part.successors)
        assert part.robot.base is not None  # `subsystem_part` has made it
        self._base = part.robot.base
        self._base_columns = part.robot.graph.v_slice(self._base.joint)
        self._wrench_frames = {one.subsystem: _frames(one) for one in part.successors}

    @property
    def own_motion(self) -> ConnectionMotion | None:
        """Return the motion of a connection point on the ground; None if a predecessor carries it."""
        x, part = self.part.x_root_connection, self.part
        return None if x is None else fixed_motion(x, part.gravity, self.description)

    def move(
        self, state: State, motion: ConnectionMotion, previous: MovingState | None = None
    ) -> MovingState:
        """Return all joints at a state, and the motions of the connection points that the part carries.

        Args:
            previous: loops are closed from it where the state follows it closely.

        Raises:
            BadMessage: the loops do not close or the configuration is singular; joints move freely, and so
                as the successors' wrenches push them.
        """
        to_link = self.part.connection.to_link
        twist, falling = to_link @ motion.twist, to_link @ motion.falling()
        moving = state._replace(base=BaseState(UNTURNED, twist, falling))
        before = () if previous is None else (previous.configuration,)
        configuration = self.solver.configuration_at(moving, *before)
        if not self.part.successors:
            return MovingState(moving, configuration, {})
        q, v, a = self._motion(moving, configuration)
        a[self._base_columns] = to_link @ motion.acceleration
        return MovingState(moving, configuration, self._propagation.at_successors(motion, q, v, a))

    def _motion(self, moving: State, configuration: Configuration) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations of all joints."""
        base = moving.base
        assert base is not None  # `move` has set it
        if not isinstance(self.solver, ClosedLoop):
            v, a = self._base.rates(moving.v, base.twist), self._base.rates(moving.a, base.acceleration)
            return configuration.coordinates, v, a
        result = self.solver.solve(configuration, moving, AppliedWrenches()).result
        if result.free:
            raise BadMessage(
                "free joints",
                f"{listed(list(result.free))} of '{self.part.name}' move as the successors' wrenches push "
                "them: the motion of the connection points is not known before these wrenches",
            )
        return result.coordinates, result.velocities, np.array(result.accelerations)

    def answer(self, moving: MovingState, wrenches: Mapping[str, Array]) -> Answer:
        """Return torques and the wrench at the own connection point.

        Args:
            wrenches: of all successors, by subsystem, see `at_link`.

        Raises:
            BadMessage: a singular configuration, or the torques overflow.
        """
        loads: dict[str, Array] = {}
        for one in self.part.successors:  # what holds the successor pulls at the part in return
            loads[one.link] = loads.get(one.link, 0.0) - wrenches[one.subsystem]
        return self._answer(moving.state, moving.configuration, AppliedWrenches(loads or None))

    def at_link(self, subsystem: str, frame: str, wrench: Array) -> Array:
        """Return the wrench on a successor at and in the link that carries its connection point.

        Args:
            frame: of a link that is fixed to that one, in which the wrench is given; or
                "NAME/connection_point", that of the point of successor NAME.

        Raises:
            BadMessage: another frame.
        """
        frames = self._wrench_frames[subsystem]
        # frames may come without the prefix, which may be the successor's name, too
        if (matrix := frames.get(self.robot.link(frame), frames.get(frame))) is None:
            raise BadMessage(
                "unknown frame",
                f"the frame of the wrench on '{subsystem}' is '{frame:.80}'; it must be that of its "
                f"connection point, or of a link which is fixed to that: {listed(list(frames), 8)}",
            )
        return np.asarray(matrix @ wrench)


def _frames(point: ConnectionPoint) -> dict[str, Array]:
    """Return by frame, of links and the point, the matrix (6, 6) that moves wrenches to the carrying link."""
    poses = {connection_frame(point.subsystem): point.x_link_connection} | point.links
    return {frame: wrench_matrix(pose_matrix(x)) for frame, x in poses.items()}
