"""Poses of modules in each other's frames: direct (DTL) and indirect (IDTL) transformations."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError
from ..assembly.structure import Structure
from .dyads import dyads_of
from .exponentials import JointTwists
from .printing import table_text
from .traversal import traversed

__all__ = [
    "DirectTransformation",
    "DirectTransformations",
    "IndirectTransformation",
    "IndirectTransformations",
]

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
