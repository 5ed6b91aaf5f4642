"""The organism of nine Backbones of Meister & Gutenkunst, Fig. 4: assembly, and view from above."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import modular

Pair = tuple[int, int]

#: Table III, left: i, j, faces from and to. The columns e1 and e2 of the paper's Fig. 5 disagree.
DIRECT = (
    (0, 1, 3, 2),
    (1, 2, 5, 3),
    (0, 3, 5, 2),
    (3, 4, 4, 3),
    (4, 5, 5, 2),
    (0, 6, 2, 5),
    (6, 7, 4, 2),
    (7, 8, 4, 5),
)
#: Table III, right: T_ij = T_ix T_xj.
INDIRECT = (
    ((0, 2), (0, 1), (1, 2)),
    ((0, 4), (0, 3), (3, 4)),
    ((3, 5), (3, 4), (4, 5)),
    ((0, 5), (0, 4), (4, 5)),
    ((0, 7), (0, 6), (6, 7)),
    ((6, 8), (6, 7), (7, 8)),
    ((0, 8), (0, 7), (7, 8)),
)
#: Fig. 5 as printed, and its row of docking types.
PRINTED = (
    (3, 0, 5, 0, 0, 2, 0, 0),
    (4, 3, 0, 0, 0, 0, 0, 0),
    (0, 4, 0, 0, 0, 0, 0, 0),
    (0, 0, 2, 4, 0, 0, 0, 0),
    (0, 0, 0, 3, 5, 0, 0, 0),
    (0, 0, 0, 0, 2, 0, 0, 0),
    (0, 0, 0, 0, 0, 5, 4, 0),
    (0, 0, 0, 0, 0, 0, 2, 4),
    (0, 0, 0, 0, 0, 0, 0, 5),
)
DOCKING_TYPES = ("DO", "DO", "DS", "DP", "DS", "DS", "DO", "DO")
#: Faces, by row and column, in the paper's Fig. 5 that contradict Table III and its own docking types.
MISPRINTS = {("v1", "e1"): 4, ("v1", "e2"): 3, ("v2", "e2"): 4}


def lists_of(matrix: NDArray[np.int64]) -> tuple[list[tuple[int, ...]], list[tuple[Pair, Pair, Pair]]]:
    """Return DTL and IDTL of an incidence matrix by the traversal of Fig. 6, from its numbers alone.

    Row 0 is the base; columns that close rings are left out. A path is followed to its end (depth first)
    before the next one; each direct row (x, j) is followed by a row for every i from x's carrier to the base.
    """
    direct, indirect = list[tuple[int, ...]](), list[tuple[Pair, Pair, Pair]]()
    carrier: dict[int, int] = {}
    waiting = [(0, column) for column in reversed(np.flatnonzero(matrix[0]).tolist())]
    while waiting:
        x, column = waiting.pop()
        (j,) = (row for row in np.flatnonzero(matrix[:, column]).tolist() if row != x)
        if j == 0 or j in carrier:
            continue
        carrier[j], i = x, x
        direct.append((x, j, int(matrix[x, column]), int(matrix[j, column])))
        while i in carrier:
            i = carrier[i]
            indirect.append(((i, j), (i, x), (x, j)))
        waiting += [(j, k) for k in reversed(np.flatnonzero(matrix[j]).tolist()) if k != column]
    return direct, indirect


class Cell(NamedTuple):
    """A module from above, at zero joint positions.

    Attributes:
        centre: x, y [m]. hinge: direction of its hinge axis, a unit vector (2,).
        faces: outward directions of the faces that can dock, by their number.
    """

    module: str
    kind: str
    centre: NDArray[np.float64]
    hinge: NDArray[np.float64]
    faces: Mapping[str, NDArray[np.float64]]


def organism() -> modular.Assembly:
    """Return the organism; v0 is the base."""
    assembly = modular.Assembly(base=("v0", "backbone"), name="organism")
    for i, j, face, other in DIRECT:
        assembly = assembly.dock(f"v{i}", face, f"v{j}", other, kind="backbone")
    return assembly


def cells_of(assembly: modular.Assembly) -> tuple[Cell, ...]:
    """Return all modules of cubes, from above: their bodies' poses at zero joint positions."""
    graph = assembly.graph()
    links = [f"{module}/{kind.root}" for module, kind in assembly.kinds.items()]
    poses = md.frame_poses(graph, graph.neutral(), links)
    cells = []
    for (module, kind), pose in zip(assembly.kinds.items(), poses, strict=True):
        axes = [joint.axis for joint in kind.joints if joint.axis is not None]
        normals = {
            name: pose[:2, :3] @ md.algebra.rotation_matrix(port.x_module_port.primary)[:, 2]
            for name, port in kind.ports.items()
        }
        cells.append(Cell(module, kind.name, pose[:2, 3], pose[:2, :3] @ axes[0], normals))
    return tuple(cells)
