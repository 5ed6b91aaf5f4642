"""Poses of modules in each other's frames: direct (DTL) and indirect (IDTL) transformations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import matrix_forms, to_rotation_translation
from ...dynamics import frame_poses
from ...model import SubsystemGraph
from ..assembly.graph import closed_graph
from ..assembly.structure import Docking, Structure
from .matrix import table_text

Array = NDArray[np.float64]
Module = Any  # row of the incidence matrix, from 0; or, in ``by_name``, a name
Pair = tuple[Module, Module]


class DirectTransformation(NamedTuple):
    """A row of the DTL: module j is docked with its face ``face_to`` at ``face_from`` of module i.

    ``i``, ``j``: rows of the incidence matrix, from 0; or names.
    """

    i: Module
    j: Module
    face_from: int
    face_to: int

    @property
    def ij(self) -> Pair:
        """The modules between which T_ij is."""
        return self.i, self.j

    def with_names(self, modules: Sequence[str]) -> DirectTransformation:
        """Return the row with names of modules instead of indices."""
        return self._replace(i=modules[self.i], j=modules[self.j])


class IndirectTransformation(NamedTuple):
    """A row of the IDTL: T_ij = T_ix T_xj, as pairs of rows of the incidence matrix, from 0; or of names."""

    ij: Pair
    ix: Pair
    xj: Pair

    def with_names(self, modules: Sequence[str]) -> IndirectTransformation:
        """Return the row with names of modules instead of indices."""
        return IndirectTransformation(*((modules[i], modules[j]) for i, j in self))


class Transformations(Sequence[Any]):
    """Rows of transformations T_ij between modules, of a DTL or an IDTL. Constant.

    Attributes:
        modules: names of the modules, by index.
    """

    def __init__(self, structure: Structure, rows: Sequence[Any], head: str) -> None:
        self.modules = tuple(structure.placed)
        self._structure, self._rows, self._head = structure, tuple(rows), head.split()

    @property
    def by_name(self) -> tuple[Any, ...]:
        """Rows with names of modules instead of indices."""
        return tuple(row.with_names(self.modules) for row in self._rows)

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
        graph, links, offsets = self._frames
        world = frame_poses(graph, q, links) @ offsets
        pairs = np.array([row.ij for row in self._rows], np.intp).reshape(-1, 2)
        poses: Array = matrix_forms.inverse(world)[pairs[:, 0]] @ world[pairs[:, 1]]
        return poses

    @cached_property
    def _frames(self) -> tuple[SubsystemGraph, tuple[str, ...], Array]:
        """The open tree, and each module's frame: a link, and the frame's pose in the link (4, 4)."""
        graph, links, offsets = closed_graph(self._structure.changed(rings=())), [], []
        for placed in self._structure.placed.values():
            entered = placed.type.root
            if placed.docking is not None and not placed.type.entry_steps:
                entered = placed.type.ports[placed.docking.port].body
            site = placed.sites[entered]
            x_link_module = graph.link_pose(site.link)[1].conjugate() * site.x
            links.append(site.link)
            offsets.append(matrix_forms.homogeneous(*to_rotation_translation(x_link_module)))
        return graph, tuple(links), np.array(offsets)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: Any) -> Any:
        return self._rows[row]

    def __str__(self) -> str:
        return table_text([self._head, *(tuple(map(str, np.ravel(row))) for row in self._rows)])


def direct_transformations(structure: Structure) -> Transformations:
    """Return the direct transformation list (DTL) of Meister & Gutenkunst, Table III.

    It has a row for each docked module, each path to its end before the next one (Fig. 6); modules at one
    module come in the order of docking. The base and rings have no row: poses follow the tree of dockings.
    """
    index = {name: k for k, name in enumerate(structure.placed)}
    carried: dict[str, list[Docking]] = {}
    for docking in structure.dockings:
        carried.setdefault(docking.parent, []).append(docking)
    waiting, rows = [*reversed(carried.get(structure.base, ()))], list[DirectTransformation]()
    while waiting:
        i, face, j, other, _ = waiting.pop()
        faces = (structure.placed[name].type.ports[port].number for name, port in ((i, face), (j, other)))
        rows.append(DirectTransformation(index[i], index[j], *faces))
        waiting += reversed(carried.get(j, ()))
    return Transformations(structure, rows, "i j from to")


def indirect_transformations(structure: Structure) -> Transformations:
    """Return the indirect transformation list (IDTL): modules on one path that are not docked to each other.

    The paper's rule (Table III): the direct row of each module j, T_xj, is followed by T_ij = T_ix T_xj for
    each module i on the way from x to the base, the nearest one first. T_ix is there already: in the DTL
    where i carries x, else in a row above.
    """
    direct = direct_transformations(structure)
    carrier = {row.j: row.i for row in direct}
    rows: list[IndirectTransformation] = []
    for x, j, _, _ in direct:
        i = x
        while (i := carrier.get(i)) is not None:
            rows.append(IndirectTransformation((i, j), (i, x), (x, j)))
    return Transformations(structure, rows, "i j i x x j")
