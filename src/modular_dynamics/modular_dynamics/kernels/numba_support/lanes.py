"""A vector of lanes as a Numba type: one kernel source for one state (a float) and for many at once.

Numba does not vectorise loops over states (it cannot rule out that arrays overlap), so the vector is a type
of its own, which LLVM knows as <count x element>. It has + - * / and unary minus, with itself and with
scalars; kernels written with these and with :mod:`.memory` compile for floats and for lanes alike. Without
the compiler (NUMBA_DISABLE_JIT) lanes are NumPy arrays.
"""

import operator

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from .compilation import FAST

__all__ = ["FLOAT32X16", "FLOAT64X8", "Lanes", "as_lanes", "vector_constant"]

_FLAGS = tuple(sorted(FAST))
SCALARS = types.Float, types.Integer


class Lanes(types.Type):
    """``count`` numbers of one float type."""

    def __init__(self, element, count):
        self.element, self.count = element, count
        super().__init__(name=f"Lanes({element}, {count})")


#: 64 bytes, the widest register there is; narrower machines take two or four instructions for one.
FLOAT64X8 = Lanes(types.float64, 8)
FLOAT32X16 = Lanes(types.float32, 16)


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        element = ir.DoubleType() if lanes.element == types.float64 else ir.FloatType()
        super().__init__(manager, lanes, ir.VectorType(element, lanes.count))


def vector_constant(vector_type, value):
    """An LLVM vector with ``value`` in every lane."""
    return ir.Constant(vector_type, [value] * vector_type.count)


def as_lanes(context, builder, value, from_type, lanes):
    """A value as lanes: itself, or a scalar in every lane."""
    if isinstance(from_type, Lanes):
        return value
    vector_type = context.get_value_type(lanes)
    undefined = ir.Constant(vector_type, ir.Undefined)
    scalar = context.cast(builder, value, from_type, lanes.element)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), lanes.count), [0] * lanes.count)
    return builder.shuffle_vector(first, undefined, mask)


def _binary(operation, instruction):
    """Teach Numba one operation on lanes."""

    @type_callable(operation)
    def _typing(context):
        def result(a, b):
            for lanes, other in ((a, b), (b, a)):
                if isinstance(lanes, Lanes) and (other == lanes or isinstance(other, SCALARS)):
                    return lanes
            return None

        return result

    def lower(context, builder, sig, args):
        a, b = (
            as_lanes(context, builder, x, t, sig.return_type) for x, t in zip(args, sig.args, strict=True)
        )
        return getattr(builder, instruction)(a, b, flags=_FLAGS)

    lower_builtin(operation, Lanes, Lanes)(lower)
    for scalar in SCALARS:
        lower_builtin(operation, Lanes, scalar)(lower)
        lower_builtin(operation, scalar, Lanes)(lower)


_binary(operator.add, "fadd")
_binary(operator.sub, "fsub")
_binary(operator.mul, "fmul")
_binary(operator.truediv, "fdiv")


@type_callable(operator.neg)
def _negation_typing(context):
    return lambda a: a if isinstance(a, Lanes) else None


@lower_builtin(operator.neg, Lanes)
def _negate(context, builder, sig, args):
    return builder.fneg(args[0], flags=_FLAGS)
