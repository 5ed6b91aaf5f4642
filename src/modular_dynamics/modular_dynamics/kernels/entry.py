"""The kernels for one state as Python functions of arrays; all calls go through these.

Each is a compiled function that contains the kernel (:mod:`.numba_support.array_objects`), and in a process
there is no other copy of it: two copies, compiled at different times, would round differently. Where none can
be made, the kernel is called through Numba's wrapper instead, and that for all calls.
`python benchmark/private_parts.py` prints what a call gains.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .numba_support.array_objects import (
    as_status,
    bound_function,
    data_of,
    entries_are_direct,
    expected_objects,
    floats,
    numbers,
    plan_of,
)
from .numba_support.compilation import make_ready, spliced
from .recursions import articulated_body, composite_body, newton_euler

__all__ = ["entries_are_direct", "entry"]

#: Status for arguments that are not the arrays which the kernel needs.
REFUSED = 1

# A plan: behind what all plans have, addresses and sizes of one graph's arrays.
TOPOLOGY, CONSTANTS, WORK, ROWS, TOPOLOGY_WIDTH, CONSTANTS_WIDTH, WORK_SIZE, NQ, NV = range(2, 11)
PLAN_SIZE = 11


@spliced
def _arrays(plan):
    """Topology, constants and work."""
    return (
        numbers(plan[TOPOLOGY], (plan[ROWS], plan[TOPOLOGY_WIDTH])),
        floats(plan[CONSTANTS], (plan[ROWS], plan[CONSTANTS_WIDTH])),
        floats(plan[WORK], plan[WORK_SIZE]),
    )


@spliced
def _from_vectors(kernel, owner, arguments, count):
    """The arguments of a kernel (topology, constants, work, q, v, a, out)."""
    if count != 4:
        return as_status(REFUSED)
    plan, objects = plan_of(owner, PLAN_SIZE), numbers(arguments, 4)
    nq, nv = plan[NQ], plan[NV]
    q, v = data_of(plan, objects[0], 1, nq), data_of(plan, objects[1], 1, nv)
    a, out = data_of(plan, objects[2], 1, nv), data_of(plan, objects[3], 1, nv)
    if q == 0 or v == 0 or a == 0 or out == 0:
        return as_status(REFUSED)
    topology, constants, work = _arrays(plan)
    vectors = floats(q, nq), floats(v, nv), floats(a, nv), floats(out, nv)
    return as_status(kernel(topology, constants, work, *vectors))


def _inverse_dynamics(owner, arguments, count):
    """(q, v, vdot, tau) -> status."""
    return _from_vectors(newton_euler.inverse_dynamics, owner, arguments, count)


def _forward_dynamics(owner, arguments, count):
    """(q, v, tau, vdot) -> status."""
    return _from_vectors(articulated_body.forward_dynamics, owner, arguments, count)


def _mass_matrix(owner, arguments, count):
    """(q, M) -> status."""
    if count != 2:
        return as_status(REFUSED)
    plan, objects = plan_of(owner, PLAN_SIZE), numbers(arguments, 2)
    nq, nv = plan[NQ], plan[NV]
    q, matrix = data_of(plan, objects[0], 1, nq), data_of(plan, objects[1], 2, nv)
    if q == 0 or matrix == 0:
        return as_status(REFUSED)
    arrays = *_arrays(plan), floats(q, nq), floats(matrix, (nv, nv))
    return as_status(composite_body.mass_matrix(*arrays))


class _Kernel(NamedTuple):
    """One algorithm: its METH_FASTCALL form; its form for Numba's wrapper; dimensions of its arguments."""

    direct: Any
    wrapped: Any
    dimensions: tuple[int, ...]


_KERNELS = {
    "inverse_dynamics": _Kernel(_inverse_dynamics, newton_euler.inverse_dynamics, (1, 1, 1, 1)),
    "forward_dynamics": _Kernel(_forward_dynamics, articulated_body.forward_dynamics, (1, 1, 1, 1)),
    "mass_matrix": _Kernel(_mass_matrix, composite_body.mass_matrix, (1, 2)),
}


def entry(algorithm: str, topology: Any, constants: Any, work: Any, nq: int, nv: int) -> Any:
    """A Python function of the arrays that a kernel takes after ``work``, the last one for its result.

    It returns the kernel's status: 0 when the result is written; 1 also for arguments that are not float64
    arrays of the right shape, contiguous, aligned and writeable. It keeps alive all that it points to.
    """
    kernel = _KERNELS[algorithm]
    if not entries_are_direct():
        return _wrapped(kernel, (topology, constants, work))
    kept = topology, constants, work
    addresses = [array.ctypes.data for array in kept]
    widths = [topology.shape[0], topology.shape[1], constants.shape[1], work.size]
    plan = np.array([*expected_objects(), *addresses, *widths, nq, nv], np.int64)
    return bound_function(kernel.direct, plan, kept)


def _wrapped(kernel: _Kernel, arrays: tuple[Any, ...]) -> Callable[..., int]:
    """The same through Numba's wrapper, or interpreted where NUMBA_DISABLE_JIT is set."""
    make_ready(kernel.wrapped, kernel.dimensions)
    double = np.dtype(np.float64)

    def is_expected(x, dimensions):
        return type(x) is np.ndarray and x.dtype is double and x.ndim == dimensions and x.flags.carray

    def call(*arguments):
        if len(arguments) != len(kernel.dimensions) or not all(
            map(is_expected, arguments, kernel.dimensions)
        ):
            return REFUSED
        return kernel.wrapped(*arrays, *arguments)

    return call
