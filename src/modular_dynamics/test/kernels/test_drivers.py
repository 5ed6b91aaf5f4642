"""Lanes and squares: a recursion that is easy to follow; also without the compiler."""

from functools import partial

import numpy as np
import pytest
from numba import njit

import modular_dynamics as md
from helpers.robots.small_robots import small_robot
from modular_dynamics import kernels
from modular_dynamics.dynamics import derivatives
from modular_dynamics.kernels import layout
from modular_dynamics.kernels.drivers import batch_float32, batch_float64
from modular_dynamics.kernels.numba_support.compilation import make_ready
from modular_dynamics.kernels.numba_support.memory import load, store
from modular_dynamics.kernels.recursions.derivatives import inverse_dynamics_derivatives
from modular_dynamics.kernels.row_queue import first_bad, new_queue
from modular_dynamics.kernels.transposition import zero_squares

WIDTHS = [1, 3, 7, 8, 9, 15, 16, 17, 24, 40, 100]
ROWS = [1, 7, 8, 9, 23]


@njit(inline="always")
def written(k):
    """Which results does the recursion write? In runs, so that there are zero squares of both sizes."""
    return k % 44 < 11


@njit(inline="always")
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """Result k is q_k v_0 + a_0, or not written."""
    for k in range(topology[0, layout.V]):
        if written(k):
            value = load(q, k * lanes, like) * load(v, 0, like) + load(a, 0, like)
            store(out, k * lanes, value)


@njit(cache=True)
def doubles(topology, constants, q, v, a, out, checked, zeros, queue):
    batch_float64(recursion, 1, topology, constants, q, v, a, out, checked, zeros, queue)


@njit(cache=True)
def singles(topology, constants, q, v, a, out, checked, zeros, queue):
    batch_float32(recursion, 1, topology, constants, q, v, a, out, checked, zeros, queue)


KERNELS = {np.float64: doubles, np.float32: singles}


def first_bad_row(kernel, topology, constants, q, v, a, out, checked):
    width, nothing = out.shape[1], np.empty(0, np.int64)
    some = arrays(1, width, out.dtype)
    result = np.zeros((1, width), out.dtype)
    kernel(*some, result, nothing, np.empty(0, np.bool_), new_queue())
    lanes = 64 // out.itemsize
    zeros, queue = zero_squares(result[0], lanes), new_queue()
    last = max(width - lanes, 0)
    squares = [range(width)[k : k + lanes] for k in (*range(0, last, lanes), last)]
    assert list(zeros) == [not any(map(written, square)) for square in squares]
    kernel(topology, constants, q, v, a, out, checked, zeros, queue)
    return first_bad(queue)


def aligned(shape, kind, beyond=0):
    """An array of sevens that starts ``beyond`` elements after a multiple of 64 bytes."""
    room = np.empty(int(np.prod(shape)) + 64, kind)
    first = -room.ctypes.data % 64 // room.itemsize + beyond
    array = room[first : first + int(np.prod(shape))].reshape(shape)
    array[:] = 7.0
    return array


def arrays(rows, width, kind):
    topology = np.zeros((1, layout.TOPOLOGY_COLUMNS), np.int64)
    topology[0, [layout.Q, layout.V]] = width, width
    rng = np.random.default_rng(0)
    q, v, a = (rng.normal(size=(rows, size)).astype(kind) for size in (width, 3, 1))
    return topology, np.zeros((1, layout.CONSTANT_COLUMNS), kind), q, v, a


def expected(q, v, a):
    exact = q.astype(np.float64) * v[:, :1] + a
    exact[:, [not written(k) for k in range(q.shape[1])]] = 0.0
    return exact


def quiet():
    """NumPy speaks of NaN where the compiler is off."""
    return np.errstate(all="ignore")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_row_is_answered(kind, width):
    for rows in [*ROWS, 40]:
        for beyond in (0, 4, 1):  # rows need not be aligned
            given = arrays(rows, width, kind)
            out = aligned((rows, width), kind, beyond)
            assert first_bad_row(KERNELS[kind], *given, out, np.arange(width)) is None
            exact = expected(*given[2:])
            assert np.abs(out - exact).max() <= 4 * np.finfo(kind).eps * np.abs(given[2]).max() * 4
            assert (out[exact == 0.0] == 0.0).all()


@pytest.mark.parametrize("kind", KERNELS)
def test_a_square_of_zeros_may_fill_later(kind):
    """Blank is what is not written, not what happens to be zero in the first states."""
    topology, constants, q, v, a = arrays(48, 40, kind)
    q[:16], a[:16] = 0.0, 0.0
    out = aligned(q.shape, kind)
    assert first_bad_row(KERNELS[kind], topology, constants, q, v, a, out, np.arange(40)) is None
    assert (out[:16] == 0.0).all()
    assert np.abs(out - expected(q, v, a)).max() <= 16 * np.finfo(kind).eps * np.abs(q).max()


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("row", [0, 20, 33])
@pytest.mark.parametrize("width", [3, 40])
def test_bad_numbers_are_found_by_their_lanes(kind, row, width):
    lanes = 64 // np.dtype(kind).itemsize
    good = arrays(36, width, kind)
    kernel, out = KERNELS[kind], aligned((36, width), kind)
    for which in (2, 3, 4):
        for bad in (np.nan, np.inf, -np.inf):
            spoiled = [x.copy() for x in good]
            spoiled[which][row, 0] = bad
            with quiet():
                assert first_bad_row(kernel, *spoiled, out, np.arange(width)) == row // lanes * lanes
    large = [x.copy() for x in good]
    large[2][row, 1] = large[3][row, 0] = np.sqrt(np.finfo(kind).max) * 2  # their product overflows
    with quiet():
        assert first_bad_row(kernel, *large, out, np.arange(width)) == row // lanes * lanes
        assert first_bad_row(kernel, *large, out, np.array([0, 2])) is None  # of this result nobody asked
    assert not np.isfinite(out[row, 1])
    others = np.isfinite(expected(*good[2:]))
    others[row] = False
    assert np.isfinite(out[others]).all()


@pytest.mark.parametrize("kind", KERNELS)
def test_sums_that_overflow_are_no_bad_numbers(kind):
    topology, constants, q, v, a = arrays(32, 40, kind)
    q[:], v[:], a[:] = np.finfo(kind).max / 2, 1.0, 0.0
    out = aligned(q.shape, kind)
    with quiet():
        assert first_bad_row(KERNELS[kind], topology, constants, q, v, a, out, np.arange(40)) is None
    assert (out[:, :11] == q[0, 0]).all()


#: By algorithm its solver, and its kernel for one state.
ALGORITHMS = {
    "inverse_dynamics": (md.InverseDynamics, kernels.inverse_dynamics),
    "forward_dynamics": (md.ForwardDynamics, kernels.forward_dynamics),
    "mass_matrix": (md.MassMatrix, kernels.mass_matrix),
    "derivatives": (derivatives._Derivatives, inverse_dynamics_derivatives),
    "frame_poses": (md.FramePoses, kernels.frame_poses),
    "jacobian": (lambda graph: md.Jacobian(graph, graph.links[-1]), kernels.jacobian),
    "jacobian in link axes": (lambda graph: md.Jacobian(graph, graph.links[-1], "link"), kernels.jacobian),
    "regressor": (md.Regressor, kernels.regressor),
}


@pytest.mark.parametrize("robot", ["fork", "two trees"])
@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("count", [1, 8, 11])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_lanes_and_single_states_agree(name, count, floating_base, robot):
    graph = small_robot(robot, floating_base)
    solver, rng = ALGORITHMS[name][0](graph), np.random.default_rng(1)
    inputs = solver.algorithm.inputs
    given = [rng.normal(size=(count, graph.nq if x == "q" else graph.nv)) for x in inputs]
    rows = solver.batch()(dict(zip(inputs, given, strict=True)), 1, None, np.float64, None)
    tolerance = 1e-11 if name == "forward_dynamics" else 1e-12
    for row, state in zip(rows, zip(*given, strict=True), strict=True):
        alone = np.full(solver.shape, 7.0)
        assert solver.call(*state, alone) == 0
        assert np.abs(row - alone).max() <= tolerance * np.abs(alone).max()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_lengths_and_numbers_are_checked_before_anything_is_written(name):
    graph = small_robot("fork")
    solver, kernel = ALGORITHMS[name][0](graph), ALGORITHMS[name][1]
    vectors, out = [np.ones(graph.nv) for _ in solver.algorithm.inputs], np.full(solver.shape, 7.0)
    make_ready(kernel, (*[1] * len(vectors), out.ndim))
    call = partial(kernel, solver.topology, solver.constants, solver._work)
    for k in range(len(vectors)):
        spoiled = [x.copy() for x in vectors]
        for bad in (np.nan, np.inf):
            spoiled[k][2] = bad
            with quiet():
                assert call(*spoiled, out) == 1
        spoiled[k] = np.ones(graph.nv - 1)
        assert call(*spoiled, out) == 1
    assert (out == 7.0).all()
    for axis in range(out.ndim):
        short = np.ascontiguousarray(np.delete(out, 0, axis))
        assert call(*vectors, short) == 1
        assert (short == 7.0).all()
