"""Kernels called by Python without Numba's wrapper: what they take, what they leave to the caller."""

import gc
import sys
import threading

import numpy as np
import pytest
from numba import config

import modular_dynamics as md

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="an entry is compiled code")


@pytest.fixture
def graph(load_robot):
    return load_robot("vendor_arm")


def _state(graph):
    q, v, vdot = np.random.default_rng(1).normal(size=(3, graph.nv))
    return q, v, vdot, np.full(graph.nv, -1.0)


@pytest.mark.parametrize(
    ("solver", "function", "inputs"),
    [
        (md.InverseDynamics, md.inverse_dynamics, 3),
        (md.ForwardDynamics, md.forward_dynamics, 3),
        (md.MassMatrix, md.mass_matrix, 1),
    ],
)
def test_results_are_those_of_converted_arguments(load_robot, solver, function, inputs):
    graph = load_robot("charmie")
    state, result = _state(graph)[:inputs], np.full(solver(graph).shape, -1.0)
    assert solver(graph).call(*state, result) == 0
    np.testing.assert_array_equal(result, function(graph, *map(list, state)))


def _read_only(array):
    array.flags.writeable = False
    return array


def _misaligned(array):
    moved = np.frombuffer(bytearray(array.nbytes + 1), np.uint8)[1:].view(array.dtype)
    moved[:] = array
    return moved


class _Subclass(np.ndarray):
    pass


CHANGES = {
    "a list": list,
    "no array": lambda _: None,
    "a number": lambda _: 3,
    "single precision": lambda x: x.astype(np.float32),
    "integers": lambda x: x.astype(np.int64),
    "the other byte order": lambda x: x.astype(">f8"),
    "too short": lambda x: x[:-1],
    "too long": lambda x: np.append(x, 0.0),
    "two dimensions": lambda x: x[None],
    "none": lambda x: x[0].reshape(()),
    "strides": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1],
    "read-only": lambda x: _read_only(x.copy()),
    "not aligned": _misaligned,
    "a subclass": lambda x: x.view(_Subclass),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("which", range(4))
def test_other_arguments_are_left_to_the_caller(graph, which, change):
    state = list(_state(graph))
    tau = state[3]
    state[which] = change(state[which])
    assert md.InverseDynamics(graph).call(*state) == 1
    np.testing.assert_array_equal(tau, -1.0)


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_another_number_of_arguments_is_left_to_the_caller(graph, count):
    assert md.InverseDynamics(graph).call(*[np.zeros(graph.nv)] * count) == 1


@pytest.mark.parametrize("shape", [(8,), (8, 7), (7, 8), (8, 8, 1)])
def test_a_matrix_of_another_shape_is_left_to_the_caller(graph, shape):
    assert graph.nv == 8
    assert md.MassMatrix(graph).call(np.zeros(8), np.zeros(shape)) == 1


def test_numbers_that_are_not_finite_are_left_to_the_caller(graph):
    q, v, vdot, tau = _state(graph)
    v[3] = np.nan
    assert md.InverseDynamics(graph).call(q, v, vdot, tau) == 1
    np.testing.assert_array_equal(tau, -1.0)


def test_outlives_the_graph_and_holds_no_arguments(graph, load_robot):
    state = _state(graph)
    call = md.InverseDynamics(load_robot("vendor_arm")).call
    gc.collect()
    before = [sys.getrefcount(x) for x in state]
    for _ in range(1000):
        assert call(*state) == 0
    assert [sys.getrefcount(x) for x in state] == before
    np.testing.assert_array_equal(state[3], md.inverse_dynamics(graph, *state[:3]))


def test_one_graph_for_several_threads(graph):
    rng = np.random.default_rng(2)
    states = rng.normal(size=(4, 3, graph.nv))
    expected = [md.inverse_dynamics(graph, *state) for state in states]
    wrong = []

    def work(state, tau):
        own = np.empty(graph.nv)
        for _ in range(5000):
            md.inverse_dynamics(graph, *state, out=own)
            if not np.array_equal(own, tau):
                wrong.append(own.copy())

    threads = [threading.Thread(target=work, args=pair) for pair in zip(states, expected, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_wrenches_of_one_call_do_not_stay(load_robot):
    graph = load_robot("charmie")
    q, v, tau, _ = _state(graph)
    free = md.forward_dynamics(graph, q, v, tau)
    loaded = md.forward_dynamics(graph, q, v, tau, {"body_5": np.arange(1.0, 7.0)})
    assert np.abs(loaded - free).max() > 1e-3
    np.testing.assert_array_equal(md.forward_dynamics(graph, q, v, tau), free)


def test_where_objects_are_not_as_expected_numbas_wrapper_does_it(graph, monkeypatch):
    q, v, vdot, tau = _state(graph)
    assert md.InverseDynamics(graph).call(q, v, vdot, tau) == 0
    monkeypatch.setattr(sys.modules["modular_dynamics.kernels.entry"], "entries_are_direct", lambda: False)
    solver, wrapped = md.InverseDynamics(graph), np.empty(graph.nv)
    assert solver.call(q, v, vdot, wrapped) == 0
    assert np.abs(wrapped - tau).max() <= 1e-13 * np.abs(tau).max()  # another copy: it rounds as it likes
    assert solver.call(list(q), v, vdot, wrapped) == 1
    assert solver.call(q, v, vdot, wrapped[None]) == 1
    assert solver.call(q, v, vdot) == 1
    np.testing.assert_array_equal(solver(list(q), v, vdot), wrapped)
