"""Functions of lanes: roots, choices without branches, neighbours (:mod:`.lanes` has the arithmetic).

They take floats as well as lanes. A choice is made by the sign of a number, since Numba has no type for lanes
that are true or false.
"""

import numpy as np
from llvmlite import ir
from numba import types

from .compilation import replaced_by
from .lanes import Lanes, as_lanes

__all__ = ["absolute", "any_differs", "chosen", "nearest_whole", "shifted", "square_root"]


def _unary(name):
    """An LLVM intrinsic of one float, or of lanes."""

    def intrinsic(typing, x):
        def generate(context, builder, sig, args):
            value_type = context.get_value_type(x)
            suffix = f"v{x.count}f{x.element.bitwidth}" if isinstance(x, Lanes) else f"f{x.bitwidth}"
            signature = ir.FunctionType(value_type, [value_type])
            function = builder.module.declare_intrinsic(f"llvm.{name}.{suffix}", fnty=signature)
            return builder.call(function, args)

        return x(x), generate

    return intrinsic


def _chosen(typing, sign, positive, other):
    def generate(context, builder, sig, args):
        if isinstance(sign, Lanes):
            values = [as_lanes(context, builder, x, t, sign) for x, t in zip(args, sig.args, strict=True)]
        else:
            values = [context.cast(builder, x, t, sign) for x, t in zip(args, sig.args, strict=True)]
        value_type = values[0].type
        zero = [0.0] * value_type.count if isinstance(sign, Lanes) else 0.0
        above = builder.fcmp_ordered(">", values[0], ir.Constant(value_type, zero))
        return builder.select(above, values[1], values[2])

    return sign(sign, positive, other), generate


def _shifted(typing, x, first):
    def generate(context, builder, sig, args):
        mask_type = ir.VectorType(ir.IntType(32), x.count)
        mask = ir.Constant(mask_type, [x.count, *range(x.count - 1)])
        return builder.shuffle_vector(args[0], as_lanes(context, builder, args[1], first, x), mask)

    return x(x, first), generate


def _any_differs(typing, x, y):
    def generate(context, builder, sig, args):
        different = builder.fcmp_unordered("!=", *args)
        if isinstance(x, Lanes):
            bits = builder.bitcast(different, ir.IntType(x.count))
            different = builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))
        return different

    return types.boolean(x, y), generate


@replaced_by(_unary("sqrt"))
def square_root(x):
    """NaN where x is negative."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(x)


@replaced_by(_unary("fabs"))
def absolute(x):
    """|x|"""
    return np.abs(x)


@replaced_by(_unary("rint"))
def nearest_whole(x):
    """The whole number nearest to x."""
    return np.rint(x)


@replaced_by(_chosen)
def chosen(sign, positive, other):
    """``positive`` where ``sign`` > 0, ``other`` elsewhere, also where it is NaN."""
    return np.where(sign > 0.0, positive, other)


@replaced_by(_shifted)
def shifted(x, first):
    """Each lane receives its neighbour's number: (first, x_0, x_1, ...)."""
    return np.concatenate(([first], x[:-1]))


@replaced_by(_any_differs)
def any_differs(x, y):
    """Is there a lane in which x and y are not equal, or one is NaN?"""
    return bool(np.any(np.not_equal(x, y)))
