"""From closed loops to the reactions of a mechanism with redundant joints, without ROS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from modular_dynamics.closure import (
    ClosedLoopDynamics,
    LoadCase,
    LoadCases,
    ReactionSharing,
    Rules,
    SharedReactions,
    closed_loop_inverse_dynamics,
    read_rules,
)
from modular_dynamics.closure.dynamics.solver import solver_of
from modular_dynamics.exceptions import SingularityError
from modular_dynamics_ros.computation.robot import Robot, RobotError
from modular_dynamics_ros.messages.bad_message import BadMessage

__all__ = ["AGREED", "MechanismReactions", "ReactionComputation"]

AGREED = 1e-6  # by what actuators' forces may differ from virtual power's, relative to the largest reaction


@dataclass(frozen=True, eq=False)
class MechanismReactions:
    """All that is known of one instant.

    Attributes:
        pushes: of the actuators [N]. lengths, tensions: of the springs [m], [N].
        residual: the largest force and moment that a body lacks of equilibrium [N], [N m].
        disagreement: the largest difference of an actuator's force from what the whole robot's virtual power
            gives [N]; NaN with loads from topics, of which that knows nothing.
    """

    dynamics: ClosedLoopDynamics
    situation: LoadCase
    shared: SharedReactions
    pushes: np.ndarray
    lengths: np.ndarray
    tensions: np.ndarray
    residual: tuple[float, float]
    disagreement: float

    @property
    def dead_point_distance(self) -> float:
        """1 / condition number: how far, relatively, the dependent joints' Jacobian is from singular."""
        return 1.0 / self.dynamics.condition

    @property
    def contradiction(self) -> str:
        """Words for actuators' forces that are not those of virtual power; empty where they agree."""
        largest = max(map(abs, self.shared.components.values()))
        if not self.disagreement > AGREED * max(largest, 1.0):
            return ""
        return (
            f"actuator forces by the rules differ from those of virtual power by {self.disagreement:.3g} N: "
            "a joint of the rules does not lie where the robot has it, or bears what it cannot"
        )


class ReactionComputation:
    """The reactions of one robot by one file of rules.

    Args:
        tolerance: of equilibrium, relative to the largest reaction.

    Attributes:
        actuators: joints of the rules that push and drive the robot. limits: theirs [N], infinite without.
        springs: joints of the rules that are springs of the robot. free_lengths: theirs [m].
        hanging: subsystems that load the mechanism.

    Raises:
        RobotError: the rules cannot be read, or do not fit the robot.
    """

    def __init__(self, robot: Robot, rules_file: str, tolerance: float) -> None:
        if not rules_file:
            raise RobotError("rules_file is empty; give the path of a YAML file of rules")
        if not robot.closed:
            raise RobotError(f"'{robot.graph.name}' has no closed loops: its joints share nothing")
        self.robot, self.tolerance, graph = robot, tolerance, robot.graph
        try:
            self.rules: Rules = read_rules(rules_file)
            self._situations, self._sharing = LoadCases(graph, self.rules), ReactionSharing(self.rules)
        except md.ModularDynamicsError as error:
            raise RobotError(str(error)) from error
        self.hanging = self._situations.hanging
        self.actuators = self._bearing("push", graph.independent_joint_names)
        self._places = [graph.independent_joint_names.index(name) for name in self.actuators]
        limits = (graph.joint(name).limits.effort for name in self.actuators)
        self.limits = np.array([limit or np.inf for limit in limits])
        free = {spring.name: spring.free_length for spring in graph.springs}
        self.springs = self._bearing("pull", tuple(free))
        self.free_lengths = np.array([free[name] for name in self.springs])
        self._try()

    def _bearing(self, component: str, names: Sequence[str]) -> tuple[str, ...]:
        joints = self.rules.joints.values()
        return tuple(joint.name for joint in joints if component in joint.bears and joint.name in names)

    def _try(self) -> None:
        """Share once: what compiles does so now, and rules that cannot work are told now."""
        graph = self.robot.graph
        start, solver = solver_of(graph).reference(), solver_of(graph)
        rest = np.zeros(len(solver.independent_v))
        try:
            found = self(closed_loop_inverse_dynamics(graph, start[solver.independent_q], rest, rest, start))
        except SingularityError:
            return  # only the first configuration is a dead point
        except (md.ModularDynamicsError, BadMessage) as error:
            raise RobotError(f"the rules do not work where the robot is at rest: {error}") from error
        if found.contradiction:
            raise RobotError(f"the rules do not fit the robot, at rest: {found.contradiction}")

    def __call__(
        self, dynamics: ClosedLoopDynamics, wrenches: Mapping[str, tuple[str, np.ndarray]] | None = None
    ) -> MechanismReactions:
        """Reactions.

        Args:
            wrenches: of hanging subsystems, instead of what their motion tells.

        Raises:
            BadMessage: the rules have no answer here, or it is none.
        """
        try:
            situation = self._situations(dynamics, wrenches)
            shared = self._sharing(situation)
        except md.StateError as error:
            raise BadMessage("cannot be shared", str(error)) from error
        residual = self._balanced(shared)
        pushes = np.array([shared.components[name, "push"] for name in self.actuators])
        ends = np.array([situation.points[name] for name in self.springs]).reshape(-1, 2, 3)
        return MechanismReactions(
            dynamics,
            situation,
            shared,
            pushes,
            np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)),
            np.array([dynamics.tensions[name] for name in self.springs]),
            residual,
            np.nan if wrenches else float(np.abs(pushes - dynamics.tau[self._places]).max(initial=0.0)),
        )

    def _balanced(self, shared: SharedReactions) -> tuple[float, float]:
        """Residual [N], [N m]. Raises BadMessage: equilibrium is not reached, or nothing finite is."""
        left = np.abs(np.array(list(shared.residual.values())))
        force, moment = float(left[:, :3].max()), float(left[:, 3:].max())
        largest = max(map(abs, shared.components.values()))
        if not max(force, moment) <= self.tolerance * max(largest, 1.0):
            raise BadMessage(
                "no equilibrium",
                f"the rules leave {force:.2g} N, {moment:.2g} N m of a body's equilibrium; the largest "
                f"reaction is {largest:.3g}",
            )
        return force, moment
