"""The kernels for one state as Python functions of arrays; all calls go through these.

Numba's own wrapper takes longer over four arrays than a small robot. So a compiled function of CPython's
METH_FASTCALL form looks into the array objects itself. It contains the kernel, and in a process there is no
other copy of it: two copies, compiled at different times, would round differently. On versions of Numba,
NumPy and CPython that were not tested, or where objects are not as expected, the kernel is called through
Numba's wrapper instead, and that for all calls. `python benchmark/private_parts.py` prints what a call gains.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import carray, config, types
from numba.extending import intrinsic

from .numba_support.compilation import LOCK, make_ready, source_stamp, spliced
from .numba_support.tested_versions import array_layout_is_tested, numba_is_tested
from .recursions import articulated_body, composite_body, newton_euler

__all__ = ["entries_are_direct", "entry"]

#: Status for arguments that are not the arrays which the kernel needs.
REFUSED = 1

# Byte offsets in CPython's object and NumPy's array object; compared with a real one before they are used.
TYPE, DATA, NDIM, SHAPE, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
READY = 0x1 | 0x100 | 0x400  # contiguous, aligned, writeable
METH_FASTCALL = 0x80

# A plan, int64: addresses and sizes of one graph's arrays, and what NumPy's array objects point to.
TOPOLOGY, CONSTANTS, WORK, ROWS, TOPOLOGY_WIDTH, CONSTANTS_WIDTH, WORK_SIZE, NQ, NV = range(9)
ARRAY_TYPE, FLOAT64 = 9, 10
PLAN_SIZE = 11

_as_integer = types.ExternalFunction("PyLong_FromLong", types.intp(types.intp))


@intrinsic
def _pointer(typing, address, kind):
    """An address as a pointer to numbers of a NumPy dtype."""

    def generate(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(kind.dtype)(address, kind), generate


@spliced
def _integers(address, size):
    return carray(_pointer(address, np.int64), size)


@spliced
def _floats(address, shape):
    return carray(_pointer(address, np.float64), shape)


@spliced
def _plan_of(owner):
    return _integers(_integers(owner, PLAN_SIZE)[DATA // 8], PLAN_SIZE)


@spliced
def _arrays(plan):
    """Topology, constants and work."""
    return (
        carray(_pointer(plan[TOPOLOGY], np.int64), (plan[ROWS], plan[TOPOLOGY_WIDTH])),
        carray(_pointer(plan[CONSTANTS], np.float64), (plan[ROWS], plan[CONSTANTS_WIDTH])),
        carray(_pointer(plan[WORK], np.float64), plan[WORK_SIZE]),
    )


@spliced
def _data(plan, argument, dimensions, size):
    """Where an argument's numbers stand; 0 if it is no float64 array as it is needed, ``size`` each way."""
    words = _integers(argument, FLAGS // 8 + 1)
    if words[TYPE // 8] != plan[ARRAY_TYPE]:
        return 0
    if words[DTYPE // 8] != plan[FLOAT64] or words[NDIM // 8] & 0xFFFFFFFF != dimensions:
        return 0
    shape = _integers(words[SHAPE // 8], dimensions)
    for k in range(dimensions):
        if shape[k] != size:
            return 0
    return words[DATA // 8] if words[FLAGS // 8] & READY == READY else 0


@spliced
def _from_vectors(kernel, owner, arguments, count):
    """The arguments of a kernel (topology, constants, work, q, v, a, out)."""
    if count != 4:
        return _as_integer(REFUSED)
    plan, objects = _plan_of(owner), _integers(arguments, 4)
    nq, nv = plan[NQ], plan[NV]
    q, v = _data(plan, objects[0], 1, nq), _data(plan, objects[1], 1, nv)
    a, out = _data(plan, objects[2], 1, nv), _data(plan, objects[3], 1, nv)
    if q == 0 or v == 0 or a == 0 or out == 0:
        return _as_integer(REFUSED)
    topology, constants, work = _arrays(plan)
    vectors = _floats(q, nq), _floats(v, nv), _floats(a, nv), _floats(out, nv)
    return _as_integer(kernel(topology, constants, work, *vectors))


def _inverse_dynamics(owner, arguments, count):
    """(q, v, vdot, tau) -> status."""
    return _from_vectors(newton_euler.inverse_dynamics, owner, arguments, count)


def _forward_dynamics(owner, arguments, count):
    """(q, v, tau, vdot) -> status."""
    return _from_vectors(articulated_body.forward_dynamics, owner, arguments, count)


def _mass_matrix(owner, arguments, count):
    """(q, M) -> status."""
    if count != 2:
        return _as_integer(REFUSED)
    plan, objects = _plan_of(owner), _integers(arguments, 2)
    nq, nv = plan[NQ], plan[NV]
    q, matrix = _data(plan, objects[0], 1, nq), _data(plan, objects[1], 2, nv)
    if q == 0 or matrix == 0:
        return _as_integer(REFUSED)
    arrays = *_arrays(plan), _floats(q, nq), _floats(matrix, (nv, nv))
    return _as_integer(composite_body.mass_matrix(*arrays))


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@cache
def _compiled(function):
    """Compile a function above, or load it from the disk cache; (what keeps it alive, its PyMethodDef)."""
    from .numba_support.disk_library import c_function  # noqa: PLC0415  # other versions may lack what it imports

    compiled = c_function(function, types.intp(*(types.int64,) * 3), source_stamp())
    return compiled, _Method(function.__name__.encode(), compiled.address, METH_FASTCALL, None)


@cache
def entries_are_direct():
    """Are entries compiled functions, which CPython's lock lets all threads share?

    That is where there is such a lock, with tested versions of Numba, NumPy and CPython, whose objects look
    as the offsets say.
    """
    if not (numba_is_tested() and array_layout_is_tested()):
        return False
    if config.DISABLE_JIT or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    array = np.zeros((2, 3))
    words = np.ctypeslib.as_array((ctypes.c_int64 * (FLAGS // 8 + 1)).from_address(id(array)))
    shape = (ctypes.c_int64 * 2).from_address(int(words[SHAPE // 8]))
    pointers = [int(words[k // 8]) for k in (TYPE, DATA, DTYPE)]
    return (
        pointers == [id(np.ndarray), array.ctypes.data, id(np.dtype(np.float64))]
        and int(words[NDIM // 8]) & 0xFFFFFFFF == 2
        and list(shape) == [2, 3]
        and int(words[FLAGS // 8]) & READY == READY
    )


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
    with LOCK:
        compiled = _compiled(kernel.direct)
    kept = topology, constants, work, compiled
    addresses = [array.ctypes.data for array in kept[:3]]
    widths = [topology.shape[0], topology.shape[1], constants.shape[1], work.size]
    types_expected = [id(np.ndarray), id(np.dtype(np.float64))]
    plan = np.array([*addresses, *widths, nq, nv, *types_expected], np.int64)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    # the third argument is a module's name elsewhere; CPython only holds it
    return make(ctypes.addressof(compiled[1]), plan, kept)


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
