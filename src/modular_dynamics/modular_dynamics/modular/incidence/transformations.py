"""Poses of modules in each other's frames: direct (DTL) and indirect (IDTL) transformations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import rotation_matrix
from ...exceptions import AssemblyError, StateError
from ..assembly.docking import Docking
from ..assembly.placement import PlacedModule
from ..assembly.structure import Structure
from ..modules.module_type import Step
from ..modules.port import Port, docked_pose
from .exponentials import JointTwists, Screw, homogeneous
from .printing import table_text

__all__ = [
    "DirectTransformation",
    "DirectTransformations",
    "IndirectTransformation",
    "IndirectTransformations",
]

# Which module is reached from which one, depth-first or breadth-first (Meister & Gutenkunst, Fig. 6).


def traversed(base: str, dockings: Sequence[Docking], order: str) -> list[Docking]:
    """Return a tree's dockings from the base outwards; those of one module in their given order.

    Args:
        order: "dfs": each path to its end before the next one; "bfs": modules nearer to the base first.

    Raises:
        AssemblyError: another order.
    """
    if order not in ("dfs", "bfs"):
        raise AssemblyError(f"the order is {order!r}; needed is 'dfs' or 'bfs'")
    carried: dict[str, list[Docking]] = {}
    for docking in dockings:
        carried.setdefault(docking.parent, []).append(docking)
    if order == "bfs":
        found = list(carried.get(base, ()))
        for docking in found:
            found += carried.get(docking.module, ())
        return found
    stack, reached = list(reversed(carried.get(base, ()))), list[Docking]()
    while stack:
        docking = stack.pop()
        reached.append(docking)
        stack += reversed(carried.get(docking.module, ()))
    return reached


# Two docked modules as in eq. 18 of Meister & Gutenkunst: a constant pose, and the joints on the way.


class Dyad(NamedTuple):
    """T_ij(q) = prod exp(s_k q_k) T_ij(0) prod exp(s_l q_l) of module j docked at module i.

    Attributes:
        x: T_ij(0), shape (4, 4).
        before: joints of i between its first body and that of the port, in i's frame. The paper's modules
            have one body, and no such joints.
        after: joints between the port and the first body of j, in j's frame: one of a Backbone (eq. 18), two
            of a Scout, none of a passive block.
    """

    x: NDArray[np.float64]
    before: tuple[Screw, ...]
    after: tuple[Screw, ...]


def dyads_of(structure: Structure, dockings: Sequence[Docking]) -> list[Dyad]:
    """Return a dyad for each docking."""
    starts = _starts(structure)
    return [_dyad(structure.placed, docking, starts) for docking in dockings]


def _starts(structure: Structure) -> Mapping[str, int]:
    """Return the index in q at which each joint's position starts."""
    starts: dict[str, int] = {}
    nq = 0
    for placed in structure.placed.values():
        for joint in placed.joints:
            starts[joint.name] = nq
            nq += joint.type.nq
    return starts


def _dyad(placed: Mapping[str, PlacedModule], docking: Docking, starts: Mapping[str, int]) -> Dyad:
    i, j = placed[docking.parent], placed[docking.module]
    port, other = i.type.ports[docking.parent_port], j.type.ports[docking.port]
    return Dyad(
        homogeneous(docked_pose(port, other, docking.turn)),
        tuple(_screws(docking.parent, _steps_to(i, port.body), _entered(i), starts)),
        tuple(_screws(docking.module, j.type.entry_steps, other, starts)),
    )


def _entered(module: PlacedModule) -> Port | None:
    """Return the port by which a module is docked towards the base; None for the base."""
    return None if module.docking is None else module.type.ports[module.docking.port]


def _steps_to(module: PlacedModule, body: str) -> list[Step]:
    """Return the joints from a module's first body to another one of its bodies."""
    entered = _entered(module)
    first = module.type.root if entered is None or module.type.entry_steps else entered.body
    leading = {step.child: step for step in module.type.steps_from(first)}
    steps: list[Step] = []
    while body != first:
        steps.insert(0, leading[body])
        body = steps[0].parent
    return steps


def _screws(
    module: str, steps: Sequence[Step], entered: Port | None, starts: Mapping[str, int]
) -> Iterator[Screw]:
    for step in steps:
        axis = step.joint.axis
        if axis is None and entered is not None:
            axis = rotation_matrix(entered.x_module_port.primary)[:, 2]
        assert axis is not None  # only joints at an entry lack an axis, and the base has no entry
        signed = -axis if step.reversed else axis
        yield Screw.of(step.joint, signed, starts[f"{module}/{step.joint.name}"])


Array = NDArray[np.float64]
Module = int | str
Pair = tuple[Module, Module]
_NONE = np.empty((0, 4, 4))


class DirectTransformation(NamedTuple):
    """A row of the DTL: module j is docked with its face ``face_to`` at ``face_from`` of module i.

    ``i``, ``j``: rows of the incidence matrix, from 0; or names.
    """

    i: Module
    j: Module
    face_from: int
    face_to: int


class IndirectTransformation(NamedTuple):
    """A row of the IDTL: T_ij = T_ix T_xj, as pairs of rows of the incidence matrix, from 0; or of names."""

    ij: Pair
    ix: Pair
    xj: Pair


class DirectTransformations:
    """The direct transformation list (DTL) of Meister & Gutenkunst, Table III: a row for each docked module.

    The base and rings have no row: poses follow the tree in which modules were docked. Constant.

    Attributes:
        modules: names of the modules, by index.
    """

    def __init__(self, structure: Structure, order: str) -> None:
        self.modules = tuple(structure.placed)
        index = {name: k for k, name in enumerate(self.modules)}
        dockings = traversed(structure.base, structure.dockings[: len(self.modules) - 1], order)
        ports = {name: placed.type.ports for name, placed in structure.placed.items()}
        self._rows = tuple(
            DirectTransformation(index[i], index[j], ports[i][a].number, ports[j][b].number)
            for i, a, j, b, _ in dockings
        )
        self._by_name = tuple(
            row._replace(i=docking.parent, j=docking.module)
            for row, docking in zip(self._rows, dockings, strict=True)
        )
        self._dyads = dyads_of(structure, dockings)
        self._twists = JointTwists([s for dyad in self._dyads for s in (*dyad.before, *dyad.after)])
        self._nq = sum(joint.type.nq for placed in structure.placed.values() for joint in placed.joints)

    @property
    def by_name(self) -> tuple[DirectTransformation, ...]:
        """Rows with names of modules instead of indices."""
        return self._by_name

    def poses(self, q: ArrayLike) -> Array:
        """Return T_ij(q) = T_ij(0) exp(s_j q_j) of each row (eqs. 18, 21), shape (rows, 4, 4).

        T_ij takes coordinates in the frame of j to that of i. A module's frame is fixed in its first body:
        the cube of Backbone and Scout, at its centre. Of a module with several bodies that is its root body
        or, where no joint is at its entry, the body of the port by which it is docked. All joints on the way
        from i's frame to j's take part, each by the exponential of its twist.

        Args:
            q: positions in the order of ``graph().joint_names``, shape (nq,) [rad, m].

        Raises:
            StateError: another shape, or not finite.
        """
        exponentials = iter(self._twists.exponentials(_checked(q, self._nq)))
        poses = np.empty((len(self), 4, 4))
        for row, (x, before, after) in enumerate(self._dyads):
            pose = x
            if before:
                pose = _product(exponentials, len(before)) @ pose
            poses[row] = pose @ _product(exponentials, len(after)) if after else pose
        return poses

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[DirectTransformation]:
        return iter(self._rows)

    def __getitem__(self, row: int) -> DirectTransformation:
        return self._rows[row]

    def __str__(self) -> str:
        return table_text([("i", "j", "from", "to"), *(tuple(map(str, row)) for row in self._rows)])


class IndirectTransformations:
    """The indirect transformation list (IDTL): modules on one path that are not docked to each other.

    The paper's rule (Table III): the direct row of each module j, T_xj, is followed by T_ij = T_ix T_xj for
    each module i on the way from x to the base, the nearest one first. T_ix is there already: in the DTL
    where i carries x, else in a row above. Constant.

    Attributes:
        modules: names of the modules, by index.
    """

    def __init__(self, direct: DirectTransformations) -> None:
        self.modules = direct.modules
        self._direct = direct
        carrier: dict[Module, Module] = {row.j: row.i for row in direct}
        ixj: list[tuple[Module, Module, Module]] = []
        for x, j, _, _ in direct:
            i = carrier.get(x)
            while i is not None:
                ixj.append((i, x, j))
                i = carrier.get(i)
        self._ixj = np.array(ixj, np.int32).reshape(-1, 3)

    @property
    def by_name(self) -> tuple[IndirectTransformation, ...]:
        """Rows with names of modules instead of indices."""
        names = self.modules
        return tuple(_indirect(names[i], names[x], names[j]) for i, x, j in self._ixj.tolist())

    def poses(self, q: ArrayLike) -> Array:
        """Return T_ij(q) = T_ix T_xj of each row, from earlier rows and the DTL, shape (rows, 4, 4).

        Frames, ``q`` and errors: as :meth:`DirectTransformations.poses`.
        """
        poses = np.empty((len(self), 4, 4))
        before: dict[Module, Array] = {}  # T_ix of each module x, by modules i: the nearest one first
        start = 0
        for (x, j, _, _), x_xj in zip(self._direct, self._direct.poses(q), strict=True):
            made = before.get(x, _NONE) @ x_xj
            poses[start : start + len(made)] = made
            start += len(made)
            before[j] = np.concatenate((x_xj[None], made))
        return poses

    def __len__(self) -> int:
        return len(self._ixj)

    def __iter__(self) -> Iterator[IndirectTransformation]:
        return (_indirect(i, x, j) for i, x, j in self._ixj.tolist())

    def __getitem__(self, row: int) -> IndirectTransformation:
        i, x, j = self._ixj[row].tolist()
        return _indirect(i, x, j)

    def __str__(self) -> str:
        rows = [tuple(map(str, (i, j, i, x, x, j))) for i, x, j in self._ixj.tolist()]
        return table_text([("i", "j", "i", "x", "x", "j"), *rows])


def _indirect(i: Module, x: Module, j: Module) -> IndirectTransformation:
    return IndirectTransformation((i, j), (i, x), (x, j))


def _product(factors: Iterator[Array], count: int) -> Array:
    """Return the product of the next ``count`` matrices, at least one."""
    product = next(factors)
    for _ in range(count - 1):
        product = product @ next(factors)
    return product


def _checked(q: ArrayLike, nq: int) -> Array:
    try:
        array = np.asarray(q)
    except ValueError:
        array = np.empty(0, object)
    if array.dtype.kind not in "fiu" or array.shape != (nq,):
        raise StateError(
            f"q has the shape {array.shape} and the type {array.dtype}; numbers ({nq},) are needed"
        )
    if not np.isfinite(array).all():
        raise StateError(f"q[{np.flatnonzero(~np.isfinite(array))[0]}] is not finite")
    return array.astype(float)
