"""Poses of modules in each other's frames: direct (DTL) and indirect (IDTL) transformations."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import matrix_forms, to_rotation_translation
from ...dynamics import frame_poses
from ...exceptions import AssemblyError
from ..assembly.graph import closed_graph
from ..assembly.structure import Docking, Structure
from .matrix import table_text

Array = NDArray[np.float64]
Module = Any  # row of the incidence matrix, from 0; or, in ``by_name``, a name
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
        self._graph = closed_graph("assembly", structure._replace(rings=()))
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


Row = TypeVar("Row", DirectTransformation, IndirectTransformation)


class _Transformations(Sequence[Row]):
    """Rows of transformations T_ij between modules. Constant.

    Attributes:
        modules: names of the modules, by index.
    """

    _head: tuple[str, ...]

    def __init__(
        self, modules: tuple[str, ...], rows: Sequence[Row], pairs: Iterable[Pair], poses: _ModulePoses
    ) -> None:
        self.modules, self.module_poses = modules, poses
        self._rows: tuple[Row, ...] = tuple(rows)
        self._pairs = np.array([*pairs], np.intp).reshape(-1, 2)

    def poses(self, q: ArrayLike) -> Array:
        """Return T_ij(q) of each row, shape (rows, 4, 4); of a docked module T_ij(0) exp(s_j q_j).

        T_ij takes coordinates in the frame of j to that of i. A module's frame is fixed in its first body:
        the cube of Backbone and Scout, at its centre. Of a module with several bodies that is its root body
        or, where no joint is at its entry, the body of the port by which it is docked. All joints on the way
        from i's frame to j's take part.

        Args:
            q: positions in the order of ``graph().joint_names``, shape (nq,) [rad, m].

        Raises:
            StateError: another shape, or not finite.
        """
        return self.module_poses.between(self._pairs, q)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: Any) -> Any:
        return self._rows[row]

    def __str__(self) -> str:
        return table_text([self._head, *(tuple(map(str, np.ravel(row))) for row in self._rows)])


class DirectTransformations(_Transformations[DirectTransformation]):
    """The direct transformation list (DTL) of Meister & Gutenkunst, Table III: a row for each docked module.

    The base and rings have no row: poses follow the tree in which modules were docked.
    """

    _head = ("i", "j", "from", "to")

    def __init__(self, structure: Structure, order: str) -> None:
        index = {name: k for k, name in enumerate(structure.placed)}
        ports = {name: placed.type.ports for name, placed in structure.placed.items()}
        rows = [
            DirectTransformation(index[i], index[j], ports[i][a].number, ports[j][b].number)
            for i, a, j, b, _ in traversed(structure.base, structure.tree, order)
        ]
        super().__init__(tuple(index), rows, [(row.i, row.j) for row in rows], _ModulePoses(structure))

    @property
    def by_name(self) -> tuple[DirectTransformation, ...]:
        """Rows with names of modules instead of indices."""
        return tuple(row._replace(i=self.modules[row.i], j=self.modules[row.j]) for row in self._rows)


class IndirectTransformations(_Transformations[IndirectTransformation]):
    """The indirect transformation list (IDTL): modules on one path that are not docked to each other.

    The paper's rule (Table III): the direct row of each module j, T_xj, is followed by T_ij = T_ix T_xj for
    each module i on the way from x to the base, the nearest one first. T_ix is there already: in the DTL
    where i carries x, else in a row above.
    """

    _head = ("i", "j", "i", "x", "x", "j")

    def __init__(self, direct: DirectTransformations) -> None:
        carrier = {row.j: row.i for row in direct}
        rows: list[IndirectTransformation] = []
        for x, j, _, _ in direct:
            i = carrier.get(x)
            while i is not None:
                rows.append(IndirectTransformation((i, j), (i, x), (x, j)))
                i = carrier.get(i)
        super().__init__(direct.modules, rows, [row.ij for row in rows], direct.module_poses)

    @property
    def by_name(self) -> tuple[IndirectTransformation, ...]:
        """Rows with names of modules instead of indices."""
        names = ([(self.modules[i], self.modules[j]) for i, j in row] for row in self._rows)
        return tuple(IndirectTransformation(*row) for row in names)
