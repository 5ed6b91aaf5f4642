"""States stand in rows; lanes want each quantity of several states side by side."""

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

__all__ = ["columns_to_lanes", "fetch_ahead", "lanes_to_columns"]


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


@intrinsic
def _tile(typing, source, source_at, source_step, target, target_at, target_step, like):
    def generate(context, builder, sig, args):
        vector = context.get_value_type(like)
        align = like.element.bitwidth // 8

        def pointers(kind, value, at, step):
            data = context.make_array(kind)(context, builder, value).data
            for k in range(like.count):
                offset = builder.add(at, builder.mul(step, ir.Constant(step.type, k)))
                yield builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())

        rows = [builder.load(p, align=align) for p in pointers(sig.args[0], *args[:3])]
        columns = _transposed(builder, rows)
        for pointer, column in zip(pointers(sig.args[3], *args[3:6]), columns, strict=True):
            builder.store(column, pointer, align=align)
        return context.get_dummy_value()

    arguments = (source, types.intp, types.intp, target, types.intp, types.intp, like)
    return types.void(*arguments), generate


def _tile_plainly(source, source_at, source_step, target, target_at, target_step, like):
    """``_tile`` without the compiler."""
    flat_source, flat_target = source.reshape(-1), target.reshape(-1)
    for i in range(len(like)):
        for k in range(len(like)):
            flat_target[target_at + k * target_step + i] = flat_source[source_at + i * source_step + k]


@overload(_tile_plainly, inline="always")
def _(source, source_at, source_step, target, target_at, target_step, like):
    return lambda source, source_at, source_step, target, target_at, target_step, like: _tile(
        source, source_at, source_step, target, target_at, target_step, like
    )


@njit(inline="always", error_model="numpy")
def columns_to_lanes(source, first, target, lanes, like):
    """Rows ``first`` ... of a 2-D array side by side; lanes beyond the last row repeat it."""
    rows, width = source.shape
    if first + lanes <= rows and width >= lanes:
        for k in range(0, width, lanes):
            column = min(k, width - lanes)  # the last square overlaps the one before
            _tile_plainly(source, first * width + column, width, target, column * lanes, lanes, like)
    else:
        for k in range(width):
            for lane in range(lanes):
                target[k * lanes + lane] = source[min(first + lane, rows - 1), k]


@njit(inline="always", error_model="numpy")
def lanes_to_columns(source, target, first, lanes, like):
    """The way back; lanes beyond the last row are left out."""
    rows, width = target.shape
    if first + lanes <= rows and width >= lanes:
        for k in range(0, width, lanes):
            column = min(k, width - lanes)
            _tile_plainly(source, column * lanes, lanes, target, first * width + column, width, like)
    else:
        for k in range(width):
            for lane in range(min(lanes, rows - first)):
                target[first + lane, k] = source[k * lanes + lane]


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
