"""The organism of nine Backbones of Meister & Gutenkunst, Fig. 4: assembly, and view from above."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import modular

#: Module, face, docked module, face: Table III. The columns e1 and e2 of the paper's Fig. 5 disagree.
DOCKINGS = (
    ("v0", 3, "v1", 2),
    ("v1", 5, "v2", 3),
    ("v0", 5, "v3", 2),
    ("v3", 4, "v4", 3),
    ("v4", 5, "v5", 2),
    ("v0", 2, "v6", 5),
    ("v6", 4, "v7", 2),
    ("v7", 4, "v8", 5),
)
#: Faces, by row and column, in the paper's Fig. 5 that contradict Table III and its own docking types.
MISPRINTS = {("v1", "e1"): 4, ("v1", "e2"): 3, ("v2", "e2"): 4}


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
    for docking in DOCKINGS:
        assembly = assembly.dock(*docking, kind="backbone")
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
