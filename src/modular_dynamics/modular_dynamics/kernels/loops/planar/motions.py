"""Velocities and accelerations of all joints of planar loops, of many states that are closed."""

from ...numba_support.compilation import kernel
from .rates import complete_rates, place
from .steps import GEAR

__all__ = ["joint_motions"]


@kernel(nogil=True, fastmath=False)
def joint_motions(table, index_in_v, rates, coordinates, v, vdot):
    """Complete v and vdot (r, nv), which hold those of the independent joints, at coordinates (r, nq)."""
    for row in range(coordinates.shape[0]):
        for t in range(table.steps.shape[0]):
            if table.steps[t, 0] != GEAR:
                place(t, table, coordinates[row], rates)
        complete_rates(table, index_in_v, v[row], vdot[row], rates)
