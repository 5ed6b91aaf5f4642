"""Reading and writing one float or a vector of lanes: which of the two, the type of ``like`` says.

Arrays are 1-D and C-contiguous; a quantity of L lanes stands in L neighbouring elements.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

from .lanes import FLOAT32X16, FLOAT64X8, Lanes

__all__ = ["load", "load3", "store", "store3", "zero_float32x16", "zero_float64", "zero_float64x8"]


def _pointer(context, builder, sig, args, value_type):
    array = context.make_array(sig.args[0])(context, builder, args[0])
    pointer = builder.gep(array.data, [context.cast(builder, args[1], sig.args[1], types.intp)])
    if isinstance(value_type, Lanes):
        pointer = builder.bitcast(pointer, context.get_value_type(value_type).as_pointer())
    return pointer, sig.args[0].dtype.bitwidth // 8


@intrinsic
def _load(typing, array, index, like):
    def generate(context, builder, sig, args):
        pointer, align = _pointer(context, builder, sig, args, like)
        return builder.load(pointer, align=align)

    return like(array, index, like), generate


@intrinsic
def _store(typing, array, index, value):
    def generate(context, builder, sig, args):
        pointer, align = _pointer(context, builder, sig, args, value)
        builder.store(args[2], pointer, align=align)
        return context.get_dummy_value()

    return types.void(array, index, value), generate


def load(array, index, like):
    """What stands at ``index``: one element, or as many as ``like`` has lanes."""
    return array[index] if np.ndim(like) == 0 else array[index : index + len(like)].copy()


def store(array, index, value):
    """Write one element or the lanes of ``value`` at ``index``."""
    if np.ndim(value) == 0:
        array[index] = value
    else:
        array[index : index + len(value)] = value


@overload(load, jit_options={"forceinline": True})
def _(array, index, like):
    return lambda array, index, like: _load(array, index, like)


@overload(store, jit_options={"forceinline": True})
def _(array, index, value):
    return lambda array, index, value: _store(array, index, value)


@njit(forceinline=True)
def load3(array, index, lanes, like):
    """Three neighbouring quantities of ``lanes`` elements each."""
    return load(array, index, like), load(array, index + lanes, like), load(array, index + 2 * lanes, like)


@njit(forceinline=True)
def store3(array, index, lanes, x, y, z):
    """Write three neighbouring quantities."""
    store(array, index, x)
    store(array, index + lanes, y)
    store(array, index + 2 * lanes, z)


def _zero(lanes):
    """The zero of a type, as a function without arguments."""

    @intrinsic
    def compiled(typing):
        def generate(context, builder, sig, args):
            value_type = context.get_value_type(lanes)
            if isinstance(lanes, Lanes):
                return ir.Constant(value_type, [0.0] * lanes.count)
            return ir.Constant(value_type, 0.0)

        return lanes(), generate

    return compiled


_zero_float64, _zero_float64x8, _zero_float32x16 = map(_zero, (types.float64, FLOAT64X8, FLOAT32X16))


def zero_float64():
    """0.0"""
    return 0.0


def zero_float64x8():
    """Eight zeros."""
    return np.zeros(8)


def zero_float32x16():
    """Sixteen zeros of single precision."""
    return np.zeros(16, np.float32)


@overload(zero_float64, inline="always")
def _():
    return lambda: _zero_float64()


@overload(zero_float64x8, inline="always")
def _():
    return lambda: _zero_float64x8()


@overload(zero_float32x16, inline="always")
def _():
    return lambda: _zero_float32x16()
