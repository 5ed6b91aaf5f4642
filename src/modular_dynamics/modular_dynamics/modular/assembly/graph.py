"""An assembly as a graph of subsystems: its modules' joints and bodies, and rings as loop joints."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import AssemblyError
from ...loops.assembly.assemble import Assembler, checked_guess, finite_guess
from ...loops.assembly.diagnosis import cannot_close
from ...loops.assembly.least_squares import LoopGroup, independent_groups
from ...loops.assembly.mechanism import closed_around, closes
from ...loops.constraints.constraint_system import ConstraintSystem
from ...loops.constraints.coordinates import Coordinates
from ...loops.constraints.newton import CLOSED
from ...model import Anchor, Body, Connection, Joint, Link, LoopJoint, Subsystem, SubsystemGraph
from ...model.changes.reindexing import attachment
from ..modules.module_type import mating
from ..names import shown
from .structure import WORLD, Docking, Site, Structure

Array = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)
_NORMAL = np.array([0.0, 0.0, 1.0])
#: Largest distance [m] and difference of directions of docked ports: rounding.
_ROUNDING = 1e-9
#: Rings that an error names.
MOST_NAMED = 3
#: Singular value of the constraint Jacobian below which, relative to the largest, it counts as zero.
#: Where loops are in line it is some 1e-6, because positions are then found to half of the digits.
_RANK = 1e-4
#: Least distance [rad or m] of two different closed configurations.
_APART = 1e-3
#: Columns whose lengths differ by less move loops alike; the last joint of them becomes dependent.
_ALIKE = 0.999


# Rings of an assembly: which of its joints are independent, and what a ring leaves of its mobility.


class IndependentJoints(NamedTuple):
    """A choice of independent joints.

    Attributes:
        names: of the independent joints; None: all of them, because no closed configuration is known.
        notes: for the graph. open: names of the rings that no search closed. why: the reason.
    """

    names: tuple[str, ...] | None
    notes: tuple[str, ...]
    open: tuple[str, ...] = ()
    why: str = ""


def independent_joints(graph: SubsystemGraph, guess: ArrayLike | None) -> IndependentJoints:
    """Return independent joints, chosen by the rank of the constraint Jacobian J at a closed configuration.

    A column of J is what a joint does to the loops. QR with column pivoting takes as many columns as J has
    rank: these joints depend on the others. Of joints that move the loops alike, the first stays independent.
    A floating base and virtual joints move no ring; they are always independent.

    Where the loops are in line, as they may be with all joints at zero, J has less rank than nearby; then it
    is taken at a closed configuration nearby.

    Args:
        guess: coordinates of all joints (nq,) near which the rings are closed; None: zero.

    Raises:
        StateError: a guess of the wrong shape, or not finite.
    """
    assembler = Assembler(graph)
    system = assembler.system
    closed = graph.neutral() if guess is None else checked_guess(system, guess)
    start = closed.copy()
    # Newton's method is quick; the search within limits, where it fails, reports the reason
    if not system.largest_residual(closed) < CLOSED and not closes(system, Coordinates(graph), closed):
        found = assembler.search(start)
        if found.open_groups:
            why = str(cannot_close(system, found, assembler.search(found.q, limited=False)))
            rows = [row for minimum in found.open_groups for row in minimum.group.rows]
            opened = dict.fromkeys(np.array(system.names)[rows].tolist())
            note = f"no independent joints were chosen: {why}"
            return IndependentJoints(None, (note,), tuple(opened), why)
        closed = found.q
    around = closed_around(system, closed)
    dependent: set[str] = set()
    notes: list[str] = []
    for group in independent_groups(system, graph.joint_names):
        far = [q for q in around if np.abs(q - closed)[group.q].max(initial=0.0) > _APART]
        blocks = [system.evaluate(q).J[np.ix_(group.rows, group.v)] for q in (closed, *far)]
        ranks = [_rank(block) for block in blocks]
        generic = blocks[int(np.argmax(ranks))]  # the closed configuration itself, if its rank is the largest
        chosen = [group.joints[k] for k in _dependent_columns(generic, max(ranks))]
        dependent.update(chosen)
        if len(chosen) == len(group.joints) or (around and not far):
            notes.append(f"{_names(system, group)} leave no mobility: they hold {', '.join(group.joints)}")
        elif ranks[0] < max(ranks):
            notes.append(
                f"{_names(system, group)} are in line at the closed configuration from which independent "
                "joints were chosen: it is a singular configuration; start beside it, by a guess"
            )
    names = tuple(name for name in graph.joint_names if name not in dependent)
    return IndependentJoints(names, tuple(notes))


def _names(system: ConstraintSystem, group: LoopGroup) -> str:
    """Return the names of a group's rings, as the beginning of a note."""
    return f"the rings {', '.join(dict.fromkeys(np.array(system.names)[group.rows].tolist()))}"


def _rank(J: Array) -> int:
    """Return the rank of a Jacobian."""
    sizes = np.linalg.svd(J, compute_uv=False)
    return int((sizes > _RANK * sizes.max(initial=0.0)).sum())


def _dependent_columns(J: Array, rank: int) -> list[int]:
    """Return indices of ``rank`` independent columns of J (m, n), by QR with column pivoting."""
    rest, chosen = J.copy(), list[int]()
    for _ in range(rank):
        lengths = np.linalg.norm(rest, axis=0)
        best = int(np.flatnonzero(lengths > _ALIKE * lengths.max())[-1])
        chosen.append(best)
        direction = rest[:, best] / lengths[best]
        rest -= np.outer(direction, direction @ rest)
        rest[:, best] = 0.0
    return chosen


# Joints and bodies of the modules, in the graph's order.


class _Rows(NamedTuple):
    """Joints and bodies in the graph's order, the index of each module's first one, and the ground."""

    joints: list[Joint]
    bodies: list[Body]
    parents: list[int | None]
    first: dict[str | None, int]
    ground: Body

    def body(self, site: Site) -> Body:
        """Return the body of a site."""
        return self.ground if site.module is None else self.bodies[self.first[site.module] + site.body]


def graph_of(
    structure: Structure, gravity: ArrayLike, guess: ArrayLike | None, require_closed: bool
) -> SubsystemGraph:
    """Return the graph of an assembly: see :meth:`.Assembly.graph`."""
    graph = closed_graph(structure, gravity)
    if not graph.loop_joints:
        if guess is not None:
            finite_guess(graph, guess)
        return graph
    chosen = independent_joints(graph, guess)
    if require_closed and chosen.open:
        rings = [ring for ring in structure.rings if _ring_name(ring) in chosen.open]
        ends = [
            f"port {port} of module '{module}'"
            for ring in rings[:MOST_NAMED]
            for module, port in (ring[:2], ring[2:4])
        ]
        raise AssemblyError(f"{' and '.join(ends)} cannot close a ring: {chosen.why}")
    return replace(graph, independent=chosen.names, notes=chosen.notes)


def closed_graph(structure: Structure, gravity: ArrayLike = GRAVITY) -> SubsystemGraph:
    """Return the graph with rings as loop joints, before independent joints are chosen."""
    try:
        field = np.array(gravity, float)
    except (TypeError, ValueError):
        field = np.empty(0)
    if field.shape != (3,) or not np.isfinite(field).all():
        raise AssemblyError(f"gravity is {shown(gravity)}; three finite numbers [m/s^2] are needed")
    rows = _rows(structure)
    loops = [_loop_joint(structure, ring, rows) for ring in structure.rings]
    return SubsystemGraph(
        name=structure.name,
        joints=tuple(rows.joints),
        bodies=tuple(rows.bodies),
        parents=tuple(rows.parents),
        subsystems=tuple(_subsystems(structure, rows)),
        joint_names=tuple([joint.name for joint in rows.joints]),
        gravity=field,
        ground=rows.ground,
        loop_joints=tuple([loop for loop in loops if loop is not None]),
        floating_base=structure.mount.floating,
    )


def _rows(structure: Structure) -> _Rows:
    """Return joints and bodies; a module that is rigidly docked is part of the body that carries it."""
    ground = Body(WORLD, {WORLD: DualQuaternion.identity})
    fixed: dict[tuple[str | None, int], list[tuple[Link, DualQuaternion]]] = {}
    for placed in structure.placed.values():
        if placed.fixed is not None:
            fixed.setdefault(placed.site[:2], []).append((placed.fixed, placed.site.x))
    if (None, 0) in fixed:  # the base is the ground
        links = fixed[None, 0]
        parts = tuple(link for link, _ in links)
        ground = Body(parts[0].name, {link.name: x for link, x in links}, parts)
    rows = _Rows([], [], [], {}, ground)
    for module, placed in structure.placed.items():
        site, first = placed.site, len(rows.joints)
        rows.first[module] = first
        rows.joints.extend(placed.joints)
        rows.bodies.extend(
            _extended(body, fixed.get((module, k), ())) for k, body in enumerate(placed.bodies)
        )
        carrier = None if site.module is None else rows.first[site.module] + site.body
        rows.parents.extend(carrier if parent is None else first + parent for parent in placed.parents)
    return rows


def _extended(body: Body, more: Sequence[tuple[Link, DualQuaternion]]) -> Body:
    """Return a body with links fixed to it: the same one if there are none."""
    if not more:
        return body
    links = {**body.links, **{link.name: x for link, x in more}}
    return Body(body.name, links, (*body.parts, *(link for link, _ in more)))


def _subsystems(structure: Structure, rows: _Rows) -> list[Subsystem]:
    """Return one subsystem for each module that has joints."""
    made: list[Subsystem] = []
    index_of: dict[str | None, int] = {}
    for module, placed in structure.placed.items():
        if not placed.joints:
            continue
        first = rows.first[module]
        end = first + len(placed.joints)
        index_of[module] = len(made)
        carrier = rows.parents[first]
        body = rows.ground if carrier is None else rows.bodies[carrier]
        above = zip(placed.joints, rows.parents[first:end], strict=True)
        entries = [joint for joint, parent in above if parent is None or parent < first]
        link, x_link, x_body = attachment(entries, body.name, body.links)
        connection = Connection(link, carrier, x_link, x_body)
        root_link = entries[0].child_link if len(entries) == 1 else link
        before = index_of.get(placed.site.module)
        bodies = tuple(rows.bodies[first:end])
        made.append(Subsystem(module, first, placed.joints, bodies, connection, before, False, root_link))
    return made


def _ring_name(ring: Docking) -> str:
    """Return the name of the loop joint that closes a ring."""
    return f"{ring.parent}/{ring.parent_port}-{ring.module}/{ring.port}"


def _loop_joint(structure: Structure, ring: Docking, rows: _Rows) -> LoopJoint | None:
    """Return the loop joint that fixes the two modules of a ring to each other at their ports.

    None if no joint lies between the ends of the ring.

    Raises:
        AssemblyError: no joint lies between, and the ports do not coincide.
    """
    modules = structure.placed[ring.parent], structure.placed[ring.module]
    ports = modules[0].type.ports[ring.parent_port], modules[1].type.ports[ring.port]
    sites = modules[0].sites[ports[0].body], modules[1].sites[ports[1].body]
    x = sites[0].x * ports[0].x_module_port * mating(ring.turn)
    y = sites[1].x * ports[1].x_module_port
    if sites[0][:2] == sites[1][:2]:
        rotation, apart = to_rotation_translation(x.conjugate() * y)
        if max(np.abs(apart).max(), np.abs(rotation - np.eye(3)).max()) > _ROUNDING:
            raise AssemblyError(
                f"port {ring.parent_port} of module '{ring.parent}' and port {ring.port} of module "
                f"'{ring.module}' do not meet: no joint lies between the modules, and the ports are "
                f"{np.linalg.norm(apart):.3g} m apart, or in other directions"
            )
        return None
    anchors = [
        Anchor(site.link, rows.body(site).links[site.link].conjugate() * x_body_anchor)
        for site, x_body_anchor in zip(sites, (x, y), strict=True)
    ]
    return LoopJoint(_ring_name(ring), "fixed", anchors[0], anchors[1], _NORMAL)
