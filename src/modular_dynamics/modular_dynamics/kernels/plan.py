"""A graph's arrays behind one integer: each array argument of a call costs as much as a small robot's link.

A plan is the address of four numbers: the addresses of topology, constants and work, and the number of
joints. Whoever makes one keeps the arrays alive.
"""

from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic, overload

from .layout import CONSTANT_COLUMNS, STATE_BLOCKS, TOPOLOGY_COLUMNS
from .states import block_rows

__all__ = ["arrays_of", "plan_of"]


def plan_of(topology: Any, constants: Any, work: Any) -> tuple[int, Any]:
    """(plan, what must be kept alive for it) of one graph's arrays."""
    entries = np.array([x.ctypes.data for x in (topology, constants, work)] + [len(topology) - 1], np.int64)
    return entries.ctypes.data, (entries, topology, constants, work)


@intrinsic
def _pointer(typing, address, element):
    def generate(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(element.dtype)(address, element), generate


def arrays_of(plan, columns):
    """Topology, constants and work (of ``columns`` a row) of a plan. Needs the compiler."""
    raise TypeError("plans are for compiled kernels")


@overload(arrays_of, inline="always")
def _(plan, columns):
    def compiled(plan, columns):
        entries = carray(_pointer(plan, np.int64), 4)
        n = entries[3]
        return (
            carray(_pointer(entries[0], np.int64), (n + 1, TOPOLOGY_COLUMNS)),
            carray(_pointer(entries[1], np.float64), (n + 1, CONSTANT_COLUMNS)),
            carray(_pointer(entries[2], np.float64), (n + 1) * columns + STATE_BLOCKS * block_rows(n)),
        )

    return compiled
