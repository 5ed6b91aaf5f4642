"""Load cases of a robot with closed loops: the bodies' required wrenches, points, known forces."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import frame_poses
from ...dynamics.arrays.arguments import Array
from ...dynamics.transmitted_wrenches import TransmittedWrenches
from ...exceptions import StateError
from ...kernels.reactions.sharing import RequiredWrenches
from ...model import Subsystem, SubsystemGraph
from ...model.number_arrays import number_array
from ..cross_products import cross
from ..dynamics.solver import ClosedLoopDynamics
from .free_bodies import FreeBodies, FreeBodyCuts, LoadCase
from .joint_reactions import Reaction
from .rules_on_graph import carrying_bodies, rods_between, rule_points
from .sharing_rules import Rules

__all__ = ["LoadCases", "load_case_of", "wrenches_of"]

ConnectionWrenches = Mapping[str, tuple[str, ArrayLike]]


def load_case_of(
    graph: SubsystemGraph,
    dynamics: ClosedLoopDynamics,
    rules: Rules,
    connection_wrenches: ConnectionWrenches | None = None,
) -> LoadCase:
    """The load case of one instant: see `LoadCases`, which is faster for many."""
    return LoadCases(graph, rules)(dynamics, connection_wrenches)


class _Load(NamedTuple):
    """A subsystem as a load.

    Attributes:
        place: among the subsystems. shared: whether it is part of the mechanism itself.
        signs: by body of the rules, 1 for the one that carries it; None where none does.
    """

    place: int
    shared: bool
    signs: Array | None


class LoadCases:
    """Load cases of bodies that are links of a graph, and of joints whose points are elements of it.

    Attributes:
        carried_subsystems: names of the subsystems that a body of the rules carries directly.

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
        self._joint_links = np.array([self._link_index[body.name] for body in graph.bodies])
        self._signs = self._signs_of_joints()
        self._loads = {s.name: self._load(k, s) for k, s in enumerate(graph.subsystems)}
        self.carried_subsystems = tuple(s.name for s in graph.subsystems if self._is_carried(s))

    def __call__(
        self, dynamics: ClosedLoopDynamics, connection_wrenches: ConnectionWrenches | None = None
    ) -> LoadCase:
        """The load case of one instant.

        A body's required wrench is that at its joint in the open tree, less those of the next bodies of the
        rules: its own inertia, weight and external wrenches, and the wrenches of the subsystems it carries.

        Args:
            dynamics: poses, motions and tensions of that instant; its multipliers do not matter.
            connection_wrenches: of subsystems that the bodies carry, as measured or computed elsewhere,
                instead of those that follow from their motion: {subsystem: (link, [force, moment])}, of the
                predecessor on the subsystem, at and in the link's frame
                (``InverseDynamicsResult.connection_wrench_in_link``).

        Raises:
            StateError: a subsystem or link that the graph does not have, or a bad wrench.
        """
        graph, of = self.graph, self.required_wrenches(dynamics, connection_wrenches)
        matrices = frame_poses(graph.tree, dynamics.coordinates, graph.links)
        R, o = matrices[:, :3, :3], matrices[:, :3, 3]
        parts = np.split(of.wrenches, 2, axis=1)
        forces, moments = ((R[of.links] @ part[..., None])[..., 0] for part in parts)
        at = self._body_links
        required = _sums_of_wrenches(of.signs, R[at], o[at], o[of.links], forces, moments)
        points = o[self._point_links] + (R[self._point_links] @ self._positions[..., None])[..., 0]
        return LoadCase(
            dict(zip(graph.links, R, strict=True)),
            dict(zip(graph.links, o, strict=True)),
            dict(zip(self.rules.bodies, required, strict=True)),
            dict(dynamics.tensions),
            dict(zip(self.rules.joints, points, strict=True)),
        )

    def required_wrenches(
        self, dynamics: ClosedLoopDynamics, connection_wrenches: ConnectionWrenches | None = None
    ) -> RequiredWrenches:
        """The wrenches of one instant whose sums the bodies require; arguments and errors as of a call."""
        tree = dynamics.open_tree
        links, signs, wrenches = self._joint_links, self._signs, tree.joint_wrenches
        if replacements := list(self._replacements(connection_wrenches or {}, tree)):
            more_links, more_signs, more_wrenches = zip(*replacements, strict=True)
            links = np.concatenate([links, more_links])
            signs = np.concatenate([signs, np.transpose(more_signs)], axis=1)
            wrenches = np.concatenate([wrenches, more_wrenches])
        return RequiredWrenches(wrenches, links, signs)

    def free_bodies(self, cuts: FreeBodyCuts, motions: Array) -> FreeBodies:
        """The bodies of many instants, cut free.

        Args:
            motions (n, links, 8, 3): of all links, see :func:`.frame_motions`.
        """
        R, o = motions[:, :, :3], motions[:, :, 3]
        points = o[:, self._point_links] + (R[:, self._point_links] @ self._positions[..., None])[..., 0]
        index, joint_index = self._link_index, {name: k for k, name in enumerate(self.rules.joints)}

        def stacked(table: str, names: Sequence[str]) -> Array:
            if table == "points":
                named: Array = points[:, [joint_index[name] for name in names]]
                return named
            chosen: Array = (R if table == "rotations" else o)[:, [index[name] for name in names]]
            return chosen

        at = self._body_links
        required = self._required(motions)
        axes = stacked("rotations", cuts.frames)
        return cuts.cut(R[:, at], o[:, at], axes, cuts.at(stacked), cuts.starts(stacked), required)

    def _required(self, motions: Array) -> Array:
        """(n, bodies of the rules, 6): what they require, [force, moment] at their origins in their axes."""
        graph, of = self.graph, motions[:, self._joint_links]
        R, o, omega, alpha, a = of[:, :, :3], of[:, :, 3], of[:, :, 4], of[:, :, 6], of[:, :, 7]
        masses = np.array([body.mass for body in graph.bodies])[:, None]
        inertias = np.array([body.inertia for body in graph.bodies])
        centres = (R @ np.array([body.com for body in graph.bodies])[..., None])[..., 0]
        turned = R @ inertias @ R.swapaxes(-1, -2)
        forces = masses * (a + cross(alpha, centres) + cross(omega, cross(omega, centres)) - graph.gravity)
        moments = (turned @ alpha[..., None])[..., 0] + cross(omega, (turned @ omega[..., None])[..., 0])
        own = np.array([[self._carriers[b.name] == name for b in graph.bodies] for name in self.rules.bodies])
        onto = motions[:, self._body_links, :3].swapaxes(-1, -2)
        arms = (o + centres)[:, None] - motions[:, :, 3][:, self._body_links, None]
        about = np.einsum("bk,nbki->nbi", own.astype(float), moments[:, None] + cross(arms, forces[:, None]))
        return np.concatenate([(onto @ part[..., None])[..., 0] for part in (own @ forces, about)], axis=-1)

    def _signs_of_joints(self) -> Array:
        """(bodies of the rules, joints of the tree): of the joints' wrenches in what a body requires."""
        graph, bodies = self.graph, self.rules.bodies
        signs = np.zeros((len(bodies), len(graph.bodies)))
        for k, (body, parent) in enumerate(zip(graph.bodies, graph.parents, strict=True)):
            if body.name in bodies:
                signs[bodies.index(body.name), k] = 1.0
                if parent is not None and (carrier := self._carriers[graph.bodies[parent].name]):
                    signs[bodies.index(carrier), k] = -1.0
        return signs

    def _replacements(
        self, given: ConnectionWrenches, tree: TransmittedWrenches
    ) -> Iterator[tuple[int, Array, Array]]:
        """(link, signs, wrench) of carried subsystems: the given ones, and minus the computed ones."""
        for name, (link, wrench) in given.items():
            load = self._loads.get(name)
            if load is None or link not in self._link_index:
                raise self._unknown(name, link)
            if load.shared:
                raise StateError(
                    f"connection wrench of '{name}': it belongs to the mechanism '{self.rules.name}' itself; "
                    "only subsystems attached to it are loads"
                )
            numbers = number_array(_where(name), wrench)
            if numbers.shape != (6,) or not np.isfinite(numbers).all():
                raise StateError(f"{_where(name)} is {wrench!r}; six finite numbers are needed")
            if load.signs is not None:
                own_link, computed = tree.connection_wrench_in_link(load.place)
                yield self._link_index[link], load.signs, numbers
                yield self._link_index[own_link], -load.signs, computed

    def _unknown(self, name: str, link: str) -> StateError:
        """For a subsystem or a link that the graph does not have."""
        if name not in self._loads:
            what = f"has no subsystem '{name}'; it has {', '.join(self._loads)}"
        else:
            what = f"has no link '{link}'"
        return StateError(f"{_where(name)}: '{self.graph.name}' {what}")

    def _load(self, index: int, subsystem: Subsystem) -> _Load:
        carrier = self._carriers[subsystem.connection.link]
        signs = np.array([1.0 if body == carrier else 0.0 for body in self.rules.bodies])
        return _Load(index, self._is_shared(subsystem), None if carrier is None else signs)

    def _is_shared(self, subsystem: Subsystem) -> bool:
        """Whether it contains a body of the rules, or a rod, which transmits what the rules share."""
        return any(body.name in {*self.rules.bodies, *self._rods} for body in subsystem.bodies)

    def _is_carried(self, subsystem: Subsystem) -> bool:
        """Whether a body of the rules carries it directly, not by way of another subsystem."""
        if self._is_shared(subsystem) or self._carriers[subsystem.connection.link] is None:
            return False
        above = self.graph.subsystems[subsystem.predecessor] if subsystem.predecessor is not None else None
        return above is None or any(body.name in self.rules.bodies for body in above.bodies)


def _sums_of_wrenches(
    signs: Array, R: Array, o: Array, points: Array, forces: Array, moments: Array
) -> Array:
    """(k, 6): [force, moment] at and in frames R (k, 3, 3), o (k, 3) of ``signs`` (k, n) times n wrenches.

    These are forces and moments (n, 3) at points (n, 3), like R and o in the root link's axes.
    """
    arms, onto = points - o[:, None], np.transpose(R, (0, 2, 1))
    about = np.einsum("kn,kni->ki", signs, moments + cross(arms, forces))
    return np.concatenate([(onto @ part[..., None])[..., 0] for part in (signs @ forces, about)], axis=1)


def _where(name: str) -> str:
    return f"connection wrench of '{name}'"


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
