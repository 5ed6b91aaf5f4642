"""Functions that Python calls without Numba's wrapper: they look into arrays themselves.

Numba's own wrapper takes longer over four arrays than a small robot. So a compiled function of CPython's
METH_FASTCALL form looks into the objects. On versions of Numba, NumPy and CPython that were not tested,
or where objects are not as expected, none is made.

Such a function is (owner, arguments, count) -> PyObject. The owner is an int64 array, the plan: addresses and
sizes of all other arrays that it needs, and what NumPy's array objects point to.
"""

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np
from numba import carray, config, types
from numba.extending import intrinsic

from .compilation import LOCK, source_stamp, spliced
from .tested_versions import array_layout_is_tested, numba_is_tested

__all__ = [
    "ARRAY_TYPE",
    "FLOAT64",
    "as_status",
    "bound_function",
    "data_of",
    "entries_are_direct",
    "expected_objects",
    "floats",
    "numbers",
    "plan_of",
]

# Byte offsets in CPython's object and NumPy's array object; compared with a real one before they are used.
TYPE, DATA, NDIM, SHAPE, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
READY = 0x1 | 0x100 | 0x400  # contiguous, aligned and writeable
METH_FASTCALL = 0x80

#: The first numbers of every plan: addresses of NumPy's array type and of its dtype float64.
ARRAY_TYPE, FLOAT64 = range(2)

_as_integer = types.ExternalFunction("PyLong_FromLong", types.intp(types.intp))


@intrinsic
def _pointer(typing, address, kind):
    """An address as a pointer to numbers of a NumPy dtype."""

    def generate(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(kind.dtype)(address, kind), generate


@spliced
def numbers(address, shape):
    """The int64 array at an address."""
    return carray(_pointer(address, np.int64), shape)


@spliced
def floats(address, shape):
    """The float64 array at an address."""
    return carray(_pointer(address, np.float64), shape)


@spliced
def plan_of(owner, size):
    """The plan that a function is bound to."""
    return numbers(numbers(owner, DATA // 8 + 1)[DATA // 8], size)


@spliced
def as_status(status):
    """What such a function returns."""
    return _as_integer(status)


@spliced
def data_of(plan, argument, dimensions, size):
    """Where an argument's numbers stand; 0 if it is no float64 array as it is needed, ``size`` each way.

    Its type and its dtype must be just those of `expected_objects`.
    """
    words = numbers(argument, FLAGS // 8 + 1)
    if words[TYPE // 8] != plan[ARRAY_TYPE]:
        return 0
    if words[DTYPE // 8] != plan[FLOAT64] or words[NDIM // 8] & 0xFFFFFFFF != dimensions:
        return 0
    shape = numbers(words[SHAPE // 8], dimensions)
    for k in range(dimensions):
        if shape[k] != size:
            return 0
    return words[DATA // 8] if words[FLAGS // 8] & READY == READY else 0


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@cache
def _compiled(function: Any) -> Any:
    """Compile a function, or load it from the disk cache; (what keeps it alive, its PyMethodDef)."""
    from .disk_library import c_function  # noqa: PLC0415  # other versions may lack what it imports

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
    if ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little":
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


def expected_objects() -> list[int]:
    """The first numbers of a plan."""
    return [id(np.ndarray), id(np.dtype(np.float64))]


def bound_function(function: Any, plan: Any, kept: Any) -> Any:
    """The Python function of a compiled ``function`` with this plan; it keeps alive all that it points to."""
    with LOCK:
        compiled = _compiled(function)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    # the third argument is a module's name elsewhere; CPython only holds it
    return make(ctypes.addressof(compiled[1]), plan, (kept, compiled))
