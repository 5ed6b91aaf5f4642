"""Several quantities that stand side by side, read or written at once.

Kernels are full of them. As intrinsics they are a few instructions where they are used; a function would be
compiled for each combination of types and columns.
"""

from llvmlite import ir
from numba import TypingError, types

from .compilation import inlined, replaced_by
from .memory import load, pointer, store

__all__ = ["add3", "load3", "load6", "load9", "row3", "row6", "row9", "store3", "store6"]


def _loading(count):
    """Intrinsic: ``count`` quantities of ``lanes`` elements each, one behind the other."""

    def intrinsic(typing, array, index, lanes, like):
        def generate(context, builder, sig, args):
            values = []
            for k in range(count):
                at = builder.add(args[1], builder.mul(args[2], ir.Constant(args[2].type, k)))
                address, align = pointer(context, builder, array, args[0], at, like)
                values.append(builder.load(address, align=align))
            return context.make_tuple(builder, sig.return_type, values)

        return types.UniTuple(like, count)(array, types.intp, types.intp, like), generate

    return intrinsic


def _store3(typing, array, index, lanes, vector):
    """Intrinsic: a vector of three, of one type or of several, to neighbouring quantities."""

    def generate(context, builder, sig, args):
        for k in range(3):
            at = builder.add(args[1], builder.mul(args[2], ir.Constant(args[2].type, k)))
            address, align = pointer(context, builder, array, args[0], at, vector[k])
            builder.store(builder.extract_value(args[3], k), address, align=align)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, vector), generate


def _row(count):
    """Intrinsic: ``count`` entries of a row of a 2-D table, whose rows are contiguous."""

    def intrinsic(typing, table, row, column):
        if table.layout != "C":  # other entries would be read
            raise TypingError(f"rows of {table} are not contiguous")

        def generate(context, builder, sig, args):
            columns = builder.extract_value(context.make_array(table)(context, builder, args[0]).shape, 1)
            first = builder.add(builder.mul(args[1], columns), args[2])
            values = []
            for k in range(count):
                at = builder.add(first, ir.Constant(first.type, k))
                address, align = pointer(context, builder, table, args[0], at, table.dtype)
                values.append(builder.load(address, align=align))
            return context.make_tuple(builder, sig.return_type, values)

        return types.UniTuple(table.dtype, count)(table, types.intp, types.intp), generate

    return intrinsic


@replaced_by(_loading(3))
def load3(array, index, lanes, like):
    """Three neighbouring quantities of ``lanes`` elements each."""
    return tuple(load(array, index + k * lanes, like) for k in range(3))


@replaced_by(_loading(6))
def load6(array, index, lanes, like):
    """Six neighbouring quantities."""
    return tuple(load(array, index + k * lanes, like) for k in range(6))


@replaced_by(_loading(9))
def load9(array, index, lanes, like):
    """Nine neighbouring quantities."""
    return tuple(load(array, index + k * lanes, like) for k in range(9))


@replaced_by(_store3)
def store3(array, index, lanes, vector):
    """Write three neighbouring quantities."""
    for k in range(3):
        store(array, index + k * lanes, vector[k])


@inlined
def store6(array, index, lanes, first, second):
    """Write two vectors one behind the other."""
    store3(array, index, lanes, first)
    store3(array, index + 3 * lanes, lanes, second)


@inlined
def add3(array, index, lanes, like, vector):
    """Add to three neighbouring quantities."""
    x, y, z = load3(array, index, lanes, like)
    store3(array, index, lanes, (x + vector[0], y + vector[1], z + vector[2]))


@replaced_by(_row(3))
def row3(table, row, column):
    """Three neighbouring entries of a row."""
    return tuple(table[row, column + k] for k in range(3))


@replaced_by(_row(6))
def row6(table, row, column):
    """Six neighbouring entries."""
    return tuple(table[row, column + k] for k in range(6))


@replaced_by(_row(9))
def row9(table, row, column):
    """Nine neighbouring entries."""
    return tuple(table[row, column + k] for k in range(9))
