"""Poses of modules in each other's frames: direct (DTL) and indirect (IDTL) transformations."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import matrix_forms, to_rotation_translation
from ...dynamics import frame_poses
from ...exceptions import AssemblyError
from ..assembly.docking import Docking
from ..assembly.graph import closed_graph
from ..assembly.structure import Structure
from .matrix import table_text

__all__ = [
    "DirectTransformation",
    "DirectTransformations",
    "IndirectTransformation",
    "IndirectTransformations",
]

Array = NDArray[np.float64]
Module = int | str
Pair = tuple[Module, Module]


def traversed(base: str, dockings: Sequence[Docking], order: str) -> list[Docking]:
    """Return a tree's dockings from the base outwards (Meister & Gutenkunst, Fig. 6).

    Those of one module come in their given order.

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
    waiting, reached = [*carried.get(base, ())], list[Docking]()
    while waiting:
        docking = waiting.pop(0)
        reached.append(docking)
        beyond = carried.get(docking.module, [])
        waiting = beyond + waiting if order == "dfs" else waiting + beyond
    return reached


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


class _ModulePoses:
    """Poses of the modules' frames, of which both lists are made."""

    def __init__(self, structure: Structure) -> None:
        self._graph = closed_graph("assembly", structure._replace(rings=()), "module")
        links, offsets = [], []
        for placed in structure.placed.values():
            entered = placed.type.root
            if placed.docking is not None and not placed.type.entry_steps:
                entered = placed.type.ports[placed.docking.port].body
            site = placed.sites[entered]
            x_link_module = self._graph.link_pose(site.link)[1].conjugate() * site.x
            links.append(site.link)
            offsets.append(matrix_forms.homogeneous(*to_rotation_translation(x_link_module)))
        self._links, self._offsets = tuple(links), np.array(offsets)

    def between(self, pairs: NDArray[np.intp], q: ArrayLike) -> Array:
        """Return T_ij (rows, 4, 4) for pairs (rows, 2) of modules i, j."""
        world = frame_poses(self._graph, q, self._links) @ self._offsets
        poses: Array = matrix_forms.inverse(world)[pairs[:, 0]] @ world[pairs[:, 1]]
        return poses


class DirectTransformations:
    """The direct transformation list (DTL) of Meister & Gutenkunst, Table III: a row for each docked module.

    The base and rings have no row: poses follow the tree in which modules were docked. Constant.

    Attributes:
        modules: names of the modules, by index.
    """

    def __init__(self, structure: Structure, order: str) -> None:
        self.modules = tuple(structure.placed)
        index = {name: k for k, name in enumerate(self.modules)}
        ports = {name: placed.type.ports for name, placed in structure.placed.items()}
        self._rows = tuple(
            DirectTransformation(index[i], index[j], ports[i][a].number, ports[j][b].number)
            for i, a, j, b, _ in traversed(structure.base, structure.tree, order)
        )
        self.module_poses = _ModulePoses(structure)

    @property
    def by_name(self) -> tuple[DirectTransformation, ...]:
        """Rows with names of modules instead of indices."""
        names = self.modules
        return tuple(row._replace(i=names[int(row.i)], j=names[int(row.j)]) for row in self._rows)

    def poses(self, q: ArrayLike) -> Array:
        """Return T_ij(q) = T_ij(0) exp(s_j q_j) of each row (eqs. 18, 21), shape (rows, 4, 4).

        T_ij takes coordinates in the frame of j to that of i. A module's frame is fixed in its first body:
        the cube of Backbone and Scout, at its centre. Of a module with several bodies that is its root body
        or, where no joint is at its entry, the body of the port by which it is docked. All joints on the way
        from i's frame to j's take part.

        Args:
            q: positions in the order of ``graph().joint_names``, shape (nq,) [rad, m].

        Raises:
            StateError: another shape, or not finite.
        """
        return self.module_poses.between(np.array([row[:2] for row in self._rows], int).reshape(-1, 2), q)

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
        self.modules, self._module_poses = direct.modules, direct.module_poses
        carrier: dict[Module, Module] = {row.j: row.i for row in direct}
        ixj: list[tuple[Module, Module, Module]] = []
        for x, j, _, _ in direct:
            i = carrier.get(x)
            while i is not None:
                ixj.append((i, x, j))
                i = carrier.get(i)
        self._ixj = np.array(ixj, np.intp).reshape(-1, 3)

    @property
    def by_name(self) -> tuple[IndirectTransformation, ...]:
        """Rows with names of modules instead of indices."""
        names = self.modules
        return tuple(_indirect(names[i], names[x], names[j]) for i, x, j in self._ixj.tolist())

    def poses(self, q: ArrayLike) -> Array:
        """Return T_ij(q) of each row, shape (rows, 4, 4): frames, ``q``, errors as of the direct ones."""
        return self._module_poses.between(self._ixj[:, ::2], q)

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
