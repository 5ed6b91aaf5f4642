"""Reactions of a mechanism with redundant joints, from its closed loops and rules; without ROS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import modular_dynamics as md
from modular_dynamics.loops import ReactionArrays, RobotReactions, Rules, read_rules, solver_of
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Array, StampedWrench
from modular_dynamics_ros.exceptions import BadMessage, RobotError, SettingError

#: Largest difference of actuators' forces from those of virtual power, relative to the largest reaction.
AGREEMENT = 1e-6


class Indices(NamedTuple):
    """Indices of the rules' joints and of the robot's links, by name, in arrays of reactions."""

    joints: Mapping[str, int]
    links: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class MechanismReactions:
    """The reactions of one state.

    Attributes:
        shared: the reactions, shared by the rules. indices: of joints and links in its arrays.
        actuator_forces: [N]. lengths, tensions: of the springs [m], [N].
        residual: the largest equilibrium residual of a body, force and moment [N], [N m].
        disagreement: the largest difference of an actuator's force from that of the whole robot's virtual
            power [N]; NaN with loads from topics, which virtual power does not contain.
    """

    dynamics: md.ClosedLoopResult
    shared: ReactionArrays
    indices: Indices
    actuator_forces: Array
    lengths: Array
    tensions: Array
    residual: tuple[float, float]
    disagreement: float

    @property
    def singularity_distance(self) -> float:
        """1 / condition number of the dependent joints' Jacobian: 0 at a singular configuration."""
        return 1.0 / self.dynamics.condition

    def rotation(self, link: str) -> Array:
        """Return R (3, 3) of a link in the root link's frame."""
        return np.asarray(self.shared.poses[self.indices.links[link], :3, :3])

    def wrench(self, name: str) -> Array:
        """Return [force, moment] at a joint of the rules, at its point along its axes."""
        return np.asarray(self.shared.wrenches[self.indices.joints[name]])

    def point(self, name: str) -> Array:
        """Return the point of a joint of the rules, in the root link's frame [m]."""
        return np.asarray(self.shared.points[self.indices.joints[name], 1])

    def wrench_on_link(self, name: str, link: str) -> StampedWrench:
        """Return the wrench at a joint, at and in the frame of a link."""
        wrench, pose = self.wrench(name).copy(), self.shared.poses[self.indices.links[link]]
        wrench[3:] += np.cross(pose[:3, :3].T @ (self.point(name) - pose[:3, 3]), wrench[:3])
        return link, wrench

    @property
    def contradiction(self) -> str:
        """Return an error text if actuators' forces contradict virtual power; empty if they agree."""
        largest = float(np.abs(self.shared.components).max())
        if not self.disagreement > AGREEMENT * max(largest, 1.0):
            return ""
        return (
            f"actuator forces by the rules differ from those of virtual power by {self.disagreement:.3g} N: "
            "a joint of the rules is not where the robot has it, or its `transmits` names a component that "
            "the real joint cannot transmit"
        )


class ReactionComputation:
    """Computes the reactions of one robot by one file of rules.

    Args:
        tolerance: of equilibrium, relative to the largest reaction.

    Attributes:
        actuators: driven joints of the rules that push. limits: their force limits [N], or infinite.
        springs: joints of the rules that are springs of the robot. free_lengths: theirs [m].
        load_names: subsystems that the mechanism carries.

    Raises:
        SettingError: the rules cannot be read, or do not fit the robot. RobotError: it has no closed loops.
    """

    def __init__(self, robot: Robot, rules_file: str, tolerance: float) -> None:
        if not rules_file:
            raise SettingError("rules_file is empty; give the path of a YAML file of rules")
        if not robot.closed:
            raise RobotError(f"'{robot.graph.name}' has no closed loops: its joints share no load")
        self.robot, self.tolerance, graph = robot, tolerance, robot.graph
        try:
            self.rules: Rules = read_rules(rules_file)
            self._share = RobotReactions(graph, self.rules)
        except md.ModularDynamicsError as error:
            raise SettingError(str(error)) from error
        self.load_names = self._share.carried_subsystems
        self.actuators = self._joints_with("push", graph.independent_joint_names)
        self._tau_indices = [graph.independent_joint_names.index(name) for name in self.actuators]
        limits = (graph.joint(name).limits.effort for name in self.actuators)
        self.limits = np.array([limit or np.inf for limit in limits])
        free = {spring.name: spring.free_length for spring in graph.springs}
        self.springs = self._joints_with("pull", tuple(free))
        self.free_lengths = np.array([free[name] for name in self.springs])
        joints, unknowns = tuple(self.rules.joints), self.rules.unknowns
        self._indices = Indices(
            *({name: k for k, name in enumerate(names)} for names in (joints, graph.links))
        )
        self._pushes = [unknowns.index((name, "push")) for name in self.actuators]
        self._spring_joints = [joints.index(name) for name in self.springs]
        self._check_at_rest()

    def _joints_with(self, component: str, names: Sequence[str]) -> tuple[str, ...]:
        """Return the joints of the rules among `names` that transmit this component."""
        joints = self.rules.joints.values()
        return tuple(joint.name for joint in joints if component in joint.transmits and joint.name in names)

    def _check_at_rest(self) -> None:
        """Compute the reactions at rest. Raises SettingError: the rules do not work there."""
        solver, rest = solver_of(self.robot.graph), np.zeros(len(self.robot.state_names))
        try:
            reactions = self(solver.inverse_dynamics(solver.reference(), rest, rest))
        except md.SingularityError:
            return  # only the first configuration is a singular configuration
        except (md.ModularDynamicsError, BadMessage) as error:
            raise SettingError(f"the rules do not work where the robot is at rest: {error}") from error
        if reactions.contradiction:
            raise SettingError(f"the rules do not fit the robot, at rest: {reactions.contradiction}")

    def __call__(
        self, dynamics: md.ClosedLoopResult, wrenches: Mapping[str, StampedWrench] | None = None
    ) -> MechanismReactions:
        """Return the reactions of one state.

        Args:
            wrenches: of the subsystems in `load_names`, instead of those that follow from their motion.

        Raises:
            BadMessage: the rules have no solution here, or a body is not in equilibrium.
        """
        try:
            shared = self._share(dynamics, wrenches)
        except md.StateError as error:
            raise BadMessage("cannot be shared", str(error)) from error
        residual, forces = self._checked_residual(shared), shared.components[self._pushes]
        ends = shared.points[self._spring_joints]
        return MechanismReactions(
            dynamics,
            shared,
            self._indices,
            forces,
            np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)),
            np.array([dynamics.tensions[name] for name in self.springs]),
            residual,
            np.nan if wrenches else float(np.abs(forces - dynamics.tau[self._tau_indices]).max(initial=0.0)),
        )

    def _checked_residual(self, shared: ReactionArrays) -> tuple[float, float]:
        """Return the largest residuals [N], [N m]. Raises BadMessage: too large, or not finite."""
        residuals = np.abs(shared.residual)
        force, moment = float(residuals[:, :3].max()), float(residuals[:, 3:].max())
        largest = float(np.abs(shared.components).max())
        if not max(force, moment) <= self.tolerance * max(largest, 1.0):
            raise BadMessage(
                "no equilibrium",
                f"the rules leave an equilibrium residual of {force:.2g} N, {moment:.2g} N m; the largest "
                f"reaction is {largest:.3g}",
            )
        return force, moment
