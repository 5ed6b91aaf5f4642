"""States stand in rows; lanes want each quantity of several states side by side."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from .numba_support.compilation import inlined, replaced_by
from .numba_support.memory import load, store

__all__ = ["UNWRITTEN", "columns_to_lanes", "fetch_ahead", "lanes_to_columns", "zero_squares"]

#: Stands where no result was written; a power of two, the same in single precision, that no result will be.
UNWRITTEN = -(2.0**-101)


def zero_squares(result: NDArray[Any], lanes: int) -> NDArray[np.bool_]:
    """Of one state's result: in which squares, ``lanes`` numbers each, does UNWRITTEN stand everywhere?

    A recursion writes the same elements in every state, so that those squares are always zero.
    """
    starts = np.minimum(np.arange(0, len(result), lanes), max(len(result) - lanes, 0))
    return np.array([(result[k : k + lanes] == UNWRITTEN).all() for k in starts], np.bool_)


def _loaded_by_halves(builder, pointers, half_vector, align):
    """The first round of :func:`_transposed`, by loads: they do what shuffles would, and on other ports."""
    count = len(pointers)
    half = count // 2
    mask = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(count)))
    rows = [None] * count
    for k in range(half):
        for at, row in ((0, k), (1, k + half)):
            parts = []
            for pointer in (pointers[k], pointers[k + half]):
                first = builder.bitcast(pointer, half_vector.as_pointer())
                first = builder.gep(first, [ir.Constant(ir.IntType(64), at)])
                parts.append(builder.load(first, align=align))
            rows[row] = builder.shuffle_vector(*parts, mask)
    return rows


def _transposed(builder, rows):
    """A square of vectors the other way round, by butterflies of shuffles: log2(count) rounds.

    The first round, of blocks half as wide as the square, is behind ``rows``.
    """
    count = len(rows)
    half = count // 4
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


def _sum(builder, rows):
    while len(rows) > 1:
        rows = [builder.fadd(a, b) for a, b in zip(rows[::2], rows[1::2], strict=True)]
    return rows[0]


def _transpose(typing, source, source_at, source_step, target, target_at, target_step, total):
    def generate(context, builder, sig, args):
        align = total.element.bitwidth // 8
        sources = list(_pointers(context, builder, source, *args[:3], total))
        targets = _pointers(context, builder, target, *args[3:6], total)
        half_vector = ir.VectorType(context.get_value_type(total).element, total.count // 2)
        rows = _loaded_by_halves(builder, sources, half_vector, align)
        for pointer, column in zip(targets, _transposed(builder, rows), strict=True):
            builder.store(column, pointer, align=align)
        zero = ir.Constant(rows[0].type, [0.0] * total.count)
        product = builder.fmul(_sum(builder, rows), zero, flags=("contract",))
        return builder.fadd(args[6], product, flags=("contract",))

    at_and_step = types.intp, types.intp
    return total(source, *at_and_step, target, *at_and_step, total), generate


@replaced_by(_transpose)
def _transpose_square(source, source_at, source_step, target, target_at, target_step, total):
    """Rows of a square of ``source`` to columns of ``target``; a row starts ``step`` after the one before.

    Returns ``total`` plus zero times the sum of the square: NaN if anything in it is not finite, or so large
    that the sum is not.
    """
    flat, flat_target, lanes = source.reshape(-1), target.reshape(-1), len(total)
    square = np.array([flat[source_at + k * source_step :][:lanes] for k in range(lanes)])
    for k in range(lanes):
        flat_target[target_at + k * target_step :][:lanes] = square[:, k]
    return total + 0.0 * square.sum(axis=0)


@inlined
def columns_to_lanes(source, first, target, lanes, like):
    """Rows ``first`` ... of a 2-D array side by side; lanes beyond the last row repeat it."""
    rows, width = source.shape
    if first + lanes <= rows and width >= lanes:
        for k in range(0, width, lanes):
            column = min(k, width - lanes)  # the last square overlaps the one before
            _transpose_square(source, first * width + column, width, target, column * lanes, lanes, like)
    else:
        for k in range(width):
            for lane in range(lanes):
                target[k * lanes + lane] = source[min(first + lane, rows - 1), k]


@inlined
def lanes_to_columns(source, target, first, zeros, lanes, like):
    """The way back; lanes beyond the last row are left out. Returns NaN lanes if anything is not finite.

    They are NaN, too, where only sums of results are not finite. Where ``zeros`` says so, zeros are written.
    """
    rows, width = target.shape
    total = like
    if first + lanes <= rows and width >= lanes:
        for k in range(0, width, lanes):
            column = min(k, width - lanes)  # the last square overlaps the one before
            at = first * width + column
            if zeros.shape[0] > 0 and zeros[k // lanes]:
                for row in range(lanes):
                    store(target, at + row * width, like)
            else:
                total = _transpose_square(source, column * lanes, lanes, target, at, width, total)
    else:
        for k in range(width):
            total = total + load(source, k * lanes, like) * 0.0
            for lane in range(min(lanes, rows - first)):
                target[first + lane, k] = source[k * lanes + lane]
    return total


def _prefetch(typing, array, index):
    def generate(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        pointer = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        signature = ir.FunctionType(ir.VoidType(), [pointer.type, flag, flag, flag])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0i8", fnty=signature)
        builder.call(function, [pointer, *(ir.Constant(flag, k) for k in (0, 2, 1))])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@replaced_by(_prefetch)
def _prefetched(array, index):
    """Ask for a cache line; does nothing where the compiler is off."""


@inlined
def fetch_ahead(array, first, lanes):
    """Ask for rows ``first`` ... while others are computed: memory is slower than the recursion."""
    rows, width = array.shape
    stop = min(first + lanes, rows) * width
    for k in range(first * width, stop, 64 // array.itemsize):
        _prefetched(array, k)
