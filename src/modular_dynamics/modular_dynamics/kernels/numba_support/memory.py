"""Reading and writing one float or a vector of lanes: which of the two, the type of ``like`` says.

Arrays are 1-D and C-contiguous; a quantity of L lanes stands in L neighbouring elements.
Code that was generated for one robot (see codegen/) is called with their addresses.
"""

import numpy as np
from llvmlite import ir
from numba import types

from .compilation import replaced_by
from .lanes import FLOAT32X16, FLOAT64X8, Lanes

__all__ = [
    "load",
    "pointer",
    "run_code",
    "store",
    "zero_float32x16",
    "zero_float64",
    "zero_float64x8",
]


def pointer(context, builder, array_type, array, index, value_type):
    """The address of what stands at an index, and how its elements are aligned."""
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.gep(data, [index])
    if isinstance(value_type, Lanes):
        address = builder.bitcast(address, context.get_value_type(value_type).as_pointer())
    return address, array_type.dtype.bitwidth // 8


def _load(typing, array, index, like):
    def generate(context, builder, sig, args):
        address, align = pointer(context, builder, array, *args[:2], like)
        return builder.load(address, align=align)

    return like(array, types.intp, like), generate


def _store(typing, array, index, value):
    def generate(context, builder, sig, args):
        address, align = pointer(context, builder, array, *args[:2], value)
        builder.store(args[2], address, align=align)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@replaced_by(_load)
def load(array, index, like):
    """What stands at ``index``: one element, or as many as ``like`` has lanes."""
    return array[index] if np.ndim(like) == 0 else array[index : index + len(like)].copy()


@replaced_by(_store)
def store(array, index, value):
    """Write one element or the lanes of ``value`` at ``index``, in arrays of more dimensions row by row."""
    if np.ndim(value) == 0:
        array[index] = value
    else:
        array.reshape(-1)[index : index + len(value)] = value


def _zero(lanes):
    """The zero of a type, as an intrinsic without arguments."""

    def compiled(typing):
        def generate(context, builder, sig, args):
            value_type = context.get_value_type(lanes)
            if isinstance(lanes, Lanes):
                return ir.Constant(value_type, [0.0] * lanes.count)
            return ir.Constant(value_type, 0.0)

        return lanes(), generate

    return compiled


@replaced_by(_zero(types.float64))
def zero_float64():
    """0.0"""
    return 0.0


@replaced_by(_zero(FLOAT64X8))
def zero_float64x8():
    """Eight zeros."""
    return np.zeros(8)


@replaced_by(_zero(FLOAT32X16))
def zero_float32x16():
    """Sixteen zeros of single precision."""
    return np.zeros(16, np.float32)


def _run_code(typing, address, states, q, v, a, out):
    def generate(context, builder, sig, args):
        pointers = [
            builder.ptrtoint(context.make_array(kind)(context, builder, value).data, ir.IntType(64))
            for kind, value in zip(sig.args[1:], args[1:], strict=True)
        ]
        function = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * len(pointers))
        builder.call(builder.inttoptr(args[0], function.as_pointer()), pointers)
        return context.get_dummy_value()

    return types.void(address, states, q, v, a, out), generate


@replaced_by(_run_code)
def run_code(address, states, q, v, a, out):
    """Run the machine code at ``address`` on the starts of five arrays. Needs the compiler."""
    raise NotImplementedError("machine code is not called from interpreted kernels")
