"""Sine and cosine of many angles at once, by polynomials.

Argument reduction to [-pi/4, pi/4] in two parts (Cody & Waite), the first of which is exact, because
products are not rounded before they are subtracted; the polynomials are the minimax ones of the Cephes
library (double) and their single-precision counterparts. Good for |x| up to LARGEST_ANGLE (1e5 rad), to
2e-16 there; larger angles must be wrapped before (see :mod:`.states`).
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ..numba_support.compilation import inlined
from ..numba_support.lanes import Lanes, as_lanes, vector_constant

__all__ = ["LARGEST_ANGLE", "sincos"]

LARGEST_ANGLE = 1e5
TWO_OVER_PI = 0.63661977236758134308
#: pi / 2 rounded, and what is left.
A64, B64 = 1.5707963267948966192, 6.1232339957367658860e-17
A32 = np.float32(A64)
B32 = np.float32(A64 - float(A32))
#: Added to a number, it rounds it to a whole one, which then stands in the last bits.
ROUNDING64, ROUNDING32 = 1.5 * 2.0**52, np.float32(1.5 * 2.0**23)


def _is_single(kind):
    return (kind.element if isinstance(kind, Lanes) else kind) == types.float32


def _call(context, builder, name, kind, *args):
    """An LLVM intrinsic of floats on the values of one type."""
    value_type = context.get_value_type(kind)
    suffix = "f32" if _is_single(kind) else "f64"
    suffix = f"v{kind.count}{suffix}" if isinstance(kind, Lanes) else suffix
    signature = ir.FunctionType(value_type, [value_type] * len(args))
    return builder.call(builder.module.declare_intrinsic(f"llvm.{name}.{suffix}", fnty=signature), args)


@intrinsic
def _quarters(typing, x, per_angle, rounding):
    """The whole number of quarter turns nearest to x, with ``rounding`` added and without."""

    def generate(context, builder, sig, args):
        value, factor, added = args
        if isinstance(x, Lanes):
            factor = as_lanes(context, builder, factor, per_angle, x)
            added = as_lanes(context, builder, added, rounding, x)
        marked = _call(context, builder, "fma", x, value, factor, added)
        # without flags: reassociation, allowed elsewhere, would undo it
        return context.make_tuple(builder, sig.return_type, (marked, builder.fsub(marked, added)))

    return types.UniTuple(x, 2)(x, per_angle, rounding), generate


@intrinsic
def _less_turns(typing, x, k, part):
    """x - k part, rounded once."""

    def generate(context, builder, sig, args):
        value, turns, scalar = args
        if isinstance(x, Lanes):
            scalar = as_lanes(context, builder, scalar, part, x)
        return _call(context, builder, "fma", x, builder.fneg(turns), scalar, value)

    return x(x, k, part), generate


@intrinsic
def _turned(typing, sine, cosine, quarters):
    """(sin, cos) after quarter turns, whose number stands in the last bits, without branches."""

    def generate(context, builder, sig, args):
        s, c, k = args
        value_type = context.get_value_type(sine)
        integer = ir.IntType(32 if _is_single(sine) else 64)
        shift = integer.width - 2
        if isinstance(sine, Lanes):
            integer = ir.VectorType(integer, sine.count)

        def constant(value):
            return vector_constant(integer, value) if isinstance(sine, Lanes) else ir.Constant(integer, value)

        def with_sign(value, bit):
            sign = builder.shl(builder.and_(bit, constant(2)), constant(shift))
            return builder.bitcast(builder.xor(builder.bitcast(value, integer), sign), value_type)

        n = builder.bitcast(k, integer)
        odd = builder.icmp_signed("!=", builder.and_(n, constant(1)), constant(0))
        turned = (
            with_sign(builder.select(odd, c, s), n),
            with_sign(builder.select(odd, s, c), builder.add(n, constant(1))),
        )
        return context.make_tuple(builder, sig.return_type, turned)

    return types.UniTuple(sine, 2)(sine, cosine, quarters), generate


@inlined
def _sincos64(x):
    marked, k = _quarters(x, TWO_OVER_PI, ROUNDING64)
    r = _less_turns(_less_turns(x, k, A64), k, B64)
    z = r * r
    sine = r + r * z * (
        -1.66666666666666307295e-1
        + z * (8.33333333332211858878e-3
        + z * (-1.98412698295895385996e-4
        + z * (2.75573136213857245213e-6
        + z * (-2.50507477628578072866e-8 + z * 1.58962301576546568060e-10))))
    )  # fmt: skip
    cosine = 1.0 - 0.5 * z + z * z * (
        4.16666666666665929218e-2
        + z * (-1.38888888888730564116e-3
        + z * (2.48015872888517045348e-5
        + z * (-2.75573141792967388112e-7
        + z * (2.08757008419747316778e-9 - z * 1.13585365213876817300e-11))))
    )  # fmt: skip
    return _turned(sine, cosine, marked)


S32 = tuple(map(np.float32, (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)))
D32 = tuple(map(np.float32, (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)))
ONE32, HALF32, TWO_OVER_PI32 = np.float32(1.0), np.float32(0.5), np.float32(TWO_OVER_PI)


@inlined
def _sincos32(x):
    marked, k = _quarters(x, TWO_OVER_PI32, ROUNDING32)
    r = _less_turns(_less_turns(x, k, A32), k, B32)
    z = r * r
    sine = r + r * z * (S32[0] + z * (S32[1] + z * S32[2]))
    cosine = ONE32 - HALF32 * z + z * z * (D32[0] + z * (D32[1] + z * D32[2]))
    return _turned(sine, cosine, marked)


def sincos(x):
    """(sin x, cos x) of a float or of lanes, |x| <= LARGEST_ANGLE."""
    return np.sin(x), np.cos(x)


@overload(sincos, inline="always")
def _(x):
    if _is_single(x):
        return lambda x: _sincos32(x)
    return lambda x: _sincos64(x)
