"""Load cases of a robot with closed loops, for the sharing of reactions: demands, points, known forces."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import InverseDynamicsResult, frame_poses
from ...dynamics.arrays.arguments import Array
from ...exceptions import StateError
from ...model import Subsystem, SubsystemGraph
from ..cross_products import cross
from ..dynamics.solver import ClosedLoopDynamics
from .free_bodies import LoadCase
from .joint_reactions import Reaction, tree_dynamics
from .rules_on_graph import carrying_bodies, rods_between, rule_points
from .sharing_rules import Rules

__all__ = ["LoadCases", "load_case_of", "wrenches_of"]

Indices = NDArray[np.int64]
ConnectionWrenches = Mapping[str, tuple[str, ArrayLike]]


def load_case_of(
    graph: SubsystemGraph,
    dynamics: ClosedLoopDynamics,
    rules: Rules,
    connection_wrenches: ConnectionWrenches | None = None,
) -> LoadCase:
    """The load case of one instant: see `LoadCases`, which is faster for many."""
    return LoadCases(graph, rules)(dynamics, connection_wrenches)


class LoadCases:
    """Load cases of bodies that are links of a graph, and of joints whose points are elements of it.

    Attributes:
        hanging: names of the subsystems that a body of the rules carries directly.

    Raises:
        StateError: a body or a name that the graph does not have.
        UnsupportedModelError: rods between the bodies that have mass, which rules do not take into account.
    """

    def __init__(self, graph: SubsystemGraph, rules: Rules) -> None:
        self.graph, self.rules = graph, rules
        self._carriers = carrying_bodies(graph, rules)
        self._rods = rods_between(graph, rules, self._carriers)
        self._link_index = {link: k for k, link in enumerate(graph.links)}
        points = rule_points(graph, rules, self._carriers)
        self._point_links = np.array([[self._link_index[link] for link, _ in pair] for pair in points])
        self._positions = np.array([[position for _, position in pair] for pair in points])
        self._body_links = np.array([self._link_index[body] for body in rules.bodies])
        bodies, joints, signs = (np.array(column) for column in zip(*self._demand_terms(), strict=True))
        self._term_bodies, self._term_joints, self._term_signs = bodies, joints, signs[:, None]
        self._term_links = np.array([self._link_index[graph.bodies[k].name] for k in joints])
        self.hanging = tuple(subsystem.name for subsystem in graph.subsystems if self._hangs(subsystem))

    def __call__(
        self, dynamics: ClosedLoopDynamics, connection_wrenches: ConnectionWrenches | None = None
    ) -> LoadCase:
        """The load case of one instant.

        A body's demand is the wrench at its joint in the open tree, less those of the next bodies of the
        rules: its own inertia and weight, and the connection wrenches of the subsystems that hang on it.

        Args:
            dynamics: poses, motions and tensions of that instant; its multipliers do not matter.
            connection_wrenches: of subsystems that hang on the bodies, as measured or computed elsewhere,
                instead of those that follow from their motion: {subsystem: (link, [force, moment])}, of the
                predecessor on the subsystem, at and in the link's frame
                (``InverseDynamicsResult.connection_wrench_in_link``).

        Raises:
            StateError: a subsystem or link that the graph does not have, or a bad wrench.
        """
        graph, tree = self.graph, tree_dynamics(self.graph, dynamics, {})
        matrices = frame_poses(graph.tree, dynamics.coordinates, graph.links)
        R, o = matrices[:, :3, :3], matrices[:, :3, 3]
        wrenches = self._term_signs * tree.joint_wrenches[self._term_joints]
        links, bodies = self._term_links, self._term_bodies
        if replacements := list(self._replacements(connection_wrenches or {}, tree)):
            more_links, more_bodies, more_wrenches = zip(*replacements, strict=True)
            links, bodies = np.append(links, more_links), np.append(bodies, more_bodies)
            wrenches = np.append(wrenches, more_wrenches, axis=0)
        demands = self._summed(R, o, links, bodies, wrenches)
        points = o[self._point_links] + (R[self._point_links] @ self._positions[..., None])[..., 0]
        return LoadCase(
            dict(zip(graph.links, R, strict=True)),
            dict(zip(graph.links, o, strict=True)),
            dict(zip(self.rules.bodies, demands, strict=True)),
            dict(dynamics.tensions),
            dict(zip(self.rules.joints, points, strict=True)),
        )

    def _demand_terms(self) -> list[tuple[int, int, float]]:
        """(body of the rules, joint of the tree, sign): wrenches whose sum is the bodies' demands."""
        graph, index = self.graph, {body: k for k, body in enumerate(self.rules.bodies)}
        terms = []
        for k, body in enumerate(graph.bodies):
            if body.name in index:
                terms.append((index[body.name], k, 1.0))
                parent = graph.parents[k]
                carrier = None if parent is None else self._carriers[graph.bodies[parent].name]
                if carrier is not None:
                    terms.append((index[carrier], k, -1.0))
        return terms

    def _summed(self, R: Array, o: Array, links: Indices, bodies: Indices, wrenches: Array) -> Array:
        """Wrenches (n, 6) at and in links, summed up at and in the bodies: (bodies, 6)."""
        at = self._body_links[bodies]
        force, moment = ((R[links] @ part[..., None])[..., 0] for part in (wrenches[:, :3], wrenches[:, 3:]))
        moment = moment + cross(o[links] - o[at], force)
        onto = np.transpose(R[at], (0, 2, 1))
        in_bodies = np.concatenate([(onto @ part[..., None])[..., 0] for part in (force, moment)], axis=1)
        summed: Array = (bodies == np.arange(len(self._body_links))[:, None]) @ in_bodies
        return summed

    def _replacements(
        self, given: ConnectionWrenches, tree: InverseDynamicsResult
    ) -> Iterator[tuple[int, int, Array]]:
        """(link, body, wrench) of carried subsystems: the given ones, and minus the computed ones."""
        names = [subsystem.name for subsystem in self.graph.subsystems]
        for name, (link, wrench) in given.items():
            where = f"connection wrench of '{name}'"
            if name not in names:
                known = ", ".join(names)
                raise StateError(f"{where}: '{self.graph.name}' has no subsystem '{name}'; it has {known}")
            if link not in self._link_index:
                raise StateError(f"{where}: '{self.graph.name}' has no link '{link}'")
            subsystem = self.graph.subsystem(name)
            if self._is_shared(subsystem):
                raise StateError(
                    f"{where}: it belongs to the mechanism '{self.rules.name}' itself; only subsystems "
                    "attached to it are loads"
                )
            numbers = np.asarray(wrench, np.float64)
            if numbers.shape != (6,) or not np.isfinite(numbers).all():
                raise StateError(f"{where} is {wrench!r}; six finite numbers are needed")
            carrier = self._carriers[subsystem.connection.link]
            if carrier is not None:
                body = self.rules.bodies.index(carrier)
                own_link, computed = tree.connection_wrench_in_link(names.index(name))
                yield self._link_index[link], body, numbers
                yield self._link_index[own_link], body, -np.asarray(computed)

    def _is_shared(self, subsystem: Subsystem) -> bool:
        """Whether it contains a body of the rules, or a rod, which transmits what the rules share."""
        return any(body.name in {*self.rules.bodies, *self._rods} for body in subsystem.bodies)

    def _hangs(self, subsystem: Subsystem) -> bool:
        """Whether a body of the rules carries it directly, not by way of another subsystem."""
        if self._is_shared(subsystem) or self._carriers[subsystem.connection.link] is None:
            return False
        above = self.graph.subsystems[subsystem.predecessor] if subsystem.predecessor is not None else None
        return above is None or any(body.name in self.rules.bodies for body in above.bodies)


def wrenches_of(
    graph: SubsystemGraph, reactions: Mapping[str, Reaction], rules: Rules, load_case: LoadCase
) -> dict[str, Array]:
    """Reactions of a graph as those of the rules' joints: [force, moment] of ``by`` on ``on`` in ``axes``."""
    carriers = carrying_bodies(graph, rules)
    wrenches = {}
    for joint in rules.joints.values():
        reaction = reactions[str(joint.at)]
        sign = 1.0 if carriers[reaction.successor] == joint.on else -1.0
        at = np.asarray(load_case.points[joint.name])[1]
        about = reaction.moment + cross(reaction.point - at, reaction.force)
        onto = np.asarray(load_case.rotations[joint.axes]).T
        wrenches[joint.name] = sign * np.concatenate([onto @ reaction.force, onto @ about])
    return wrenches
