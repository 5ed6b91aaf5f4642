"""Which cells of the grid modules fill, and where two would fill one."""

from collections.abc import Mapping

import numpy as np

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import AssemblyError
from ..modules.module_type import ModuleType

__all__ = ["Cell", "checked_cells"]

#: Edge [m] and integer coordinates, from the base module's centre in its axes.
Cell = tuple[float, int, int, int]
#: Distance from the grid [cells] up to which a module is on it.
_OFF_GRID = 0.01


def checked_cells(
    docking: str, kind: ModuleType, x_base_module: DualQuaternion, filled: Mapping[Cell, str]
) -> tuple[Cell, ...]:
    """Return a module's cells at zero joint positions; none if it has no cells or is off the grid.

    Raises:
        AssemblyError: another module fills one of them; names it and the cell after ``docking``, which says
            what cannot be.
    """
    if not kind.cells:
        return ()
    rotation, position = to_rotation_translation(x_base_module)
    places = np.array(kind.cells) @ rotation.T + position / kind.cell_size
    nearest = np.rint(places)
    if np.abs(places - nearest).max() > _OFF_GRID:
        return ()
    cells = tuple((kind.cell_size, *cell) for cell in nearest.astype(int).tolist())
    for cell in cells:
        if (other := filled.get(cell)) is not None:
            shown = ", ".join(map(str, cell[1:]))
            raise AssemblyError(f"{docking}: it would be in the cell ({shown}), which module '{other}' fills")
    return cells
