"""States stand in rows; lanes want each quantity of several states side by side."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from .numba_support.memory import load

__all__ = [
    "UNWRITTEN",
    "blank_squares",
    "columns_to_lanes",
    "fetch_ahead",
    "lanes_to_columns",
]

#: Stands where no result was written; a power of two, the same in single precision, that no result will be.
UNWRITTEN = -(2.0**-101)


def blank_squares(result: NDArray[Any], lanes: int) -> NDArray[np.bool_]:
    """Of one state's result: in which squares, ``lanes`` numbers each, does UNWRITTEN stand everywhere?

    A recursion writes the same elements in every state, so that those squares are always zero.
    """
    starts = np.minimum(np.arange(0, len(result), lanes), max(len(result) - lanes, 0))
    return np.array([(result[k : k + lanes] == UNWRITTEN).all() for k in starts], np.bool_)


def _transposed(builder, rows):
    """A square of vectors the other way round, by butterflies of shuffles: log2(count) rounds."""
    count = len(rows)
    half = count // 2
    while half:
        # element k of the pair (a, b): blocks of ``half`` change places across the diagonal
        low = [k if not k & half else count + k - half for k in range(count)]
        high = [k + half if not k & half else count + k for k in range(count)]
        masks = [ir.Constant(ir.VectorType(ir.IntType(32), count), mask) for mask in (low, high)]
        swapped = list(rows)
        for k in range(count):
            if not k & half:
                pair = rows[k], rows[k + half]
                swapped[k], swapped[k + half] = (builder.shuffle_vector(*pair, mask) for mask in masks)
        rows, half = swapped, half // 2
    return rows


def _pointers(context, builder, kind, value, at, step, like):
    """To ``like.count`` vectors of an array, ``step`` elements apart."""
    vector = context.get_value_type(like)
    data = context.make_array(kind)(context, builder, value).data
    for k in range(like.count):
        offset = builder.add(at, builder.mul(step, ir.Constant(step.type, k)))
        yield builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())


@intrinsic
def _read(typing, source, source_at, source_step, target, target_at, like):
    def generate(context, builder, sig, args):
        align = like.element.bitwidth // 8
        rows = [builder.load(p, align=align) for p in _pointers(context, builder, source, *args[:3], like)]
        together = ir.Constant(args[2].type, like.count)
        places = _pointers(context, builder, target, *args[3:5], together, like)
        for place, column in zip(places, _transposed(builder, rows), strict=True):
            builder.store(column, place, align=align)
        return context.get_dummy_value()

    return types.void(source, types.intp, types.intp, target, types.intp, like), generate


def _sum(builder, rows):
    while len(rows) > 1:
        rows = [builder.fadd(a, b) for a, b in zip(rows[::2], rows[1::2], strict=True)]
    return rows[0]


@intrinsic
def _write(typing, source, source_at, target, target_at, target_step, total):
    """The square at ``source`` the other way round to ``target``.

    Returns ``total`` plus zero times the sum of the square: NaN if anything in it is not finite, or so large
    that the sum is not.
    """

    def generate(context, builder, sig, args):
        align = total.element.bitwidth // 8
        together = ir.Constant(args[1].type, total.count)
        places = _pointers(context, builder, source, *args[:2], together, total)
        rows = [builder.load(p, align=align) for p in places]
        targets = _pointers(context, builder, target, *args[2:5], total)
        for pointer, column in zip(targets, _transposed(builder, rows), strict=True):
            builder.store(column, pointer, align=align)
        zero = ir.Constant(rows[0].type, [0.0] * total.count)
        product = builder.fmul(_sum(builder, rows), zero, flags=("contract",))
        return builder.fadd(args[5], product, flags=("contract",))

    return total(source, types.intp, target, types.intp, types.intp, total), generate


@intrinsic
def _clear(typing, target, target_at, target_step, like):
    """Zeros in a square of ``target``."""

    def generate(context, builder, sig, args):
        zero = ir.Constant(context.get_value_type(like), [0.0] * like.count)
        for pointer in _pointers(context, builder, target, *args[:3], like):
            builder.store(zero, pointer, align=like.element.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(target, types.intp, types.intp, like), generate


def _read_square(source, source_at, source_step, target, target_at, like):
    """Rows of a square of ``source`` to columns, one behind the other, of ``target``."""
    flat = source.reshape(-1)
    for i in range(len(like)):
        for k in range(len(like)):
            target[target_at + k * len(like) + i] = flat[source_at + i * source_step + k]


def _write_square(source, source_at, target, target_at, target_step, total):
    """The way back; ``total`` becomes NaN where something is not finite."""
    flat, lanes = target.reshape(-1), len(total)
    square = source[source_at : source_at + lanes * lanes].reshape(lanes, lanes)
    for k in range(lanes):
        flat[target_at + k * target_step : target_at + k * target_step + lanes] = square[:, k]
    return total + 0.0 * square.sum(axis=0)


def _clear_square(target, target_at, target_step, like):
    """Zeros."""
    flat, lanes = target.reshape(-1), len(like)
    for k in range(lanes):
        flat[target_at + k * target_step : target_at + k * target_step + lanes] = 0.0


@overload(_read_square, inline="always")
def _(source, source_at, source_step, target, target_at, like):
    return lambda source, source_at, source_step, target, target_at, like: _read(
        source, source_at, source_step, target, target_at, like
    )


@overload(_write_square, jit_options={"forceinline": True})
def _(source, source_at, target, target_at, target_step, total):
    return lambda source, source_at, target, target_at, target_step, total: _write(
        source, source_at, target, target_at, target_step, total
    )


@overload(_clear_square, jit_options={"forceinline": True})
def _(target, target_at, target_step, like):
    return lambda target, target_at, target_step, like: _clear(target, target_at, target_step, like)


@njit(inline="always", error_model="numpy")
def columns_to_lanes(source, first, target, lanes, like):
    """Rows ``first`` ... of a 2-D array side by side; lanes beyond the last row repeat it."""
    rows, width = source.shape
    if first + lanes <= rows and width >= lanes:
        for k in range(0, width, lanes):
            column = min(k, width - lanes)  # the last square overlaps the one before
            _read_square(source, first * width + column, width, target, column * lanes, like)
    else:
        for k in range(width):
            for lane in range(lanes):
                target[k * lanes + lane] = source[min(first + lane, rows - 1), k]


@njit(inline="always", error_model="numpy")
def lanes_to_columns(source, target, first, blank, lanes, like):
    """The way back; lanes beyond the last row are left out. Returns NaN lanes if anything is not finite.

    They are NaN, too, where only sums of results are not finite. Where ``blank`` says so, zeros are written.
    """
    rows, width = target.shape
    total = like
    if first + lanes <= rows and width >= lanes:
        for k in range(0, width, lanes):
            column = min(k, width - lanes)  # the last square overlaps the one before
            at = first * width + column
            if blank.shape[0] > 0 and blank[k // lanes]:
                _clear_square(target, at, width, like)
            else:
                total = _write_square(source, column * lanes, target, at, width, total)
    else:
        for k in range(width):
            total = total + load(source, k * lanes, like) * 0.0
            for lane in range(min(lanes, rows - first)):
                target[first + lane, k] = source[k * lanes + lane]
    return total


@intrinsic
def _prefetch(typing, array, index):
    def generate(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        pointer = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        signature = ir.FunctionType(ir.VoidType(), [pointer.type, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0i8")
        builder.call(function, [pointer, *(ir.Constant(flag, k) for k in (0, 2, 1))])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def _prefetched(array, index):
    """Ask for a cache line; says nothing where the compiler is off."""


@overload(_prefetched, inline="always")
def _(array, index):
    return lambda array, index: _prefetch(array, index)


@njit(inline="always", error_model="numpy")
def fetch_ahead(array, first, lanes):
    """Ask for rows ``first`` ... while others are computed: memory is slower than the recursion."""
    rows, width = array.shape
    stop = min(first + lanes, rows) * width
    for k in range(first * width, stop, 64 // array.itemsize):
        _prefetched(array, k)
