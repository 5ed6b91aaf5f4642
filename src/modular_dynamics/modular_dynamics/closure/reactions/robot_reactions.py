"""Reactions of a robot's mechanism by rules: load case and sharing in one compiled call."""

from dataclasses import dataclass

import numpy as np

from ...dynamics import frame_poses
from ...dynamics.arrays.arguments import Array
from ...exceptions import StateError
from ...kernels.reactions.sharing import SHARED, SharedArrays, share
from ...model import SubsystemGraph
from ..dynamics.solver import ClosedLoopDynamics
from .load_case import ConnectionWrenches, LoadCases
from .rules_on_graph import rule_components
from .sharing import ReactionSharing
from .sharing_rules import Rules

__all__ = ["ReactionArrays", "RobotReactions"]


@dataclass(frozen=True, eq=False)
class ReactionArrays:
    """Reactions of one state: of n components, j joints and b bodies, in the order of the rules.

    Attributes:
        components (n,): of ``rules.unknowns`` [N or N m].
        wrenches (j, 6): [force, moment] of ``by`` on ``on``, at the joint's point along its axes.
        points (j, 2, 3): ``from`` and ``at`` of each joint, in the root link's frame [m].
        residual (b, 6): D_b - E_b x, at the body's origin in its axes [N, N m]: zero in equilibrium.
        poses (links, 4, 4): of all links of the graph, see :func:`.frame_poses`.
    """

    components: Array
    wrenches: Array
    points: Array
    residual: Array
    poses: Array


class RobotReactions:
    """`ReactionSharing` of the load cases of one graph, for many states: several times as fast.

    Attributes:
        graph, rules: of which robot, and by which rules.
        carried_subsystems: names of the subsystems that a body of the rules carries directly.

    Raises:
        StateError: a body, joint or link that the graph does not have, or a step of the rules needs the force
            of a joint that is no spring.
        UnsupportedModelError: rods between the bodies that have mass.
    """

    def __init__(self, graph: SubsystemGraph, rules: Rules) -> None:
        self.graph, self.rules, self._tree = graph, rules, graph.tree
        self._load_cases, self._sharing = LoadCases(graph, rules), ReactionSharing(rules)
        self.carried_subsystems = self._load_cases.carried_subsystems
        self._components = rule_components(graph, rules, self._sharing.cuts.signs)
        self._balances = self._sharing.balances
        known = known_springs(graph, self._sharing)
        self._known = np.array([column for column, _ in known], int)
        self._springs = [graph.springs[k].name for _, k in known]

    def __call__(
        self, dynamics: ClosedLoopDynamics, connection_wrenches: ConnectionWrenches | None = None
    ) -> ReactionArrays:
        """Reactions of one state.

        Args:
            dynamics, connection_wrenches: as of :class:`.LoadCases`, and so the errors.

        Raises:
            StateError: also as of :class:`.ReactionSharing`: a balance without a lever arm.
        """
        required = self._load_cases.required_wrenches(dynamics, connection_wrenches)
        poses = frame_poses(self._tree, dynamics.coordinates)
        components, bodies, joints = (
            len(self._sharing.columns),
            len(self.rules.bodies),
            len(self.rules.joints),
        )
        out = SharedArrays(
            components=np.zeros(components),
            wrenches=np.empty((joints, 6)),
            points=np.empty((joints, 2, 3)),
            residual=np.empty((bodies, 6)),
            directions=np.empty((components, 3)),
            required=np.empty((bodies, 6)),
        )
        if self._springs:
            out.components[self._known] = [dynamics.tensions[name] for name in self._springs]
        if share(self._components, self._balances, required, poses, out) != SHARED:
            self._sharing(self._load_cases(dynamics, connection_wrenches))  # says what is wrong
            raise StateError(f"the rules '{self.rules.name}' do not give the reactions of this state")
        return ReactionArrays(out.components, out.wrenches, out.points, out.residual, poses)


def known_springs(graph: SubsystemGraph, sharing: ReactionSharing) -> list[tuple[int, int]]:
    """Of known forces, their places in x and their springs. Raises StateError: of a joint that is none."""
    springs = [spring.name for spring in graph.springs]
    if other := [joint for joint in sharing.known_joints if joint not in springs]:
        raise StateError(
            f"the rules '{sharing.rules.name}' need the known force of '{other[0]}', which is no spring of "
            f"'{graph.name}'; springs are {', '.join(springs) or 'none'}"
        )
    return [(column, springs.index(joint)) for joint, column in sharing.known_joints.items()]
