"""Single states of loops that are not planar: the compiled function as the general method, or not at all."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import ankle, bricard
from helpers.robots.spatial_mechanisms import platform, spinning_rod
from modular_dynamics.closure import solver_of
from modular_dynamics.closure.dynamics.newton.call import NewtonCall
from modular_dynamics.closure.dynamics.newton.equation_call import NewtonEquationCall
from modular_dynamics.dynamics import mass_matrix


@pytest.fixture(params=[ankle, bricard], ids=lambda make: make.__name__)
def graph(request):
    return md.load_urdf(request.param().urdf())


def state_of(graph, seed=3, size=0.02):
    """A guess, and q, v, vdot near it."""
    solver, rng = solver_of(graph), np.random.default_rng(seed)
    guess, width = solver.reference(), len(solver.independent_v)
    q = guess[solver.independent_q] + rng.uniform(-size, size, width)
    return guess, q, *rng.uniform(-1.0, 1.0, (2, width))


def reduced(graph, q, v, vdot, guess):
    """Closed coordinates, tau, h1 and M1 by the general method."""
    solver = solver_of(graph)
    full = solver.close(q, guess)
    W = solver.projection(full)
    tau, bias = (solver.inverse_dynamics(full, v, a).tau for a in (vdot, np.zeros(len(v))))
    return full, tau, bias, W.T @ mass_matrix(graph.tree, full) @ W


def test_inverse_dynamics_are_those_of_the_general_method(graph):
    guess, *state = state_of(graph)
    full, expected, *_ = reduced(graph, *state, guess)
    tau, coordinates = np.full(len(expected), np.nan), np.full(graph.nq, np.nan)
    call = NewtonCall(solver_of(graph), "none")
    for _ in range(2):  # the second time with arrays that were used
        assert call(*state, guess, tau, coordinates) == 0
        assert tau == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
        assert coordinates == pytest.approx(full, abs=1e-9)
    out = np.empty_like(tau)
    assert md.ClosedLoopInverseDynamics(graph)(*state, guess, out=out) is out
    assert out.tolist() == tau.tolist()
    assert call(*state, guess, tau, guess) == 0  # a motion: the next call's guess
    assert guess.tolist() == coordinates.tolist()


def test_the_equation_of_motion_is_that_of_the_general_method(graph):
    guess, q, v, vdot = state_of(graph)
    full, tau, bias, M = reduced(graph, q, v, vdot, guess)
    equation, coordinates = NewtonEquationCall(solver_of(graph), "none"), np.full(graph.nq, np.nan)
    matrix, accelerations = np.full(M.shape, np.nan), np.full(len(tau), np.nan)
    assert equation(q, guess, matrix, coordinates) == 0
    assert matrix == pytest.approx(M, rel=1e-9, abs=1e-9 * np.abs(M).max())
    assert coordinates == pytest.approx(full, abs=1e-9)
    assert equation(q, v, tau, guess, accelerations) == 0
    assert accelerations == pytest.approx(vdot, rel=1e-7, abs=1e-7)  # M1 is worse conditioned than torques
    prepared = md.ClosedLoopEquationOfMotion(graph)
    assert prepared.forward_dynamics(q, v, tau, guess).tolist() == accelerations.tolist()
    assert prepared.mass_matrix(q, guess).tolist() == matrix.tolist()
    assert prepared.bias(q, v, guess) == pytest.approx(bias, rel=1e-9, abs=1e-9 * np.abs(bias).max())


def test_what_it_does_not_answer_is_left_as_it_was(graph):
    guess, q, v, vdot = state_of(graph)
    call, equation = NewtonCall(solver_of(graph), "none"), NewtonEquationCall(solver_of(graph), "none")
    tau, coordinates, matrix = np.full(len(v), 7.0), np.full(graph.nq, 7.0), np.full((len(v),) * 2, 7.0)
    frozen = tau.copy()
    frozen.flags.writeable = False
    bad = (
        (q, v, vdot, np.full(graph.nq, np.nan), tau, coordinates),  # the first of all
        (np.full(len(v), np.nan), v, vdot, guess, tau, coordinates),
        (q, v, np.full(len(v), np.inf), guess, tau, coordinates),
        (q.tolist(), v, vdot, guess, tau, coordinates),
        (q, v[:-1], vdot, guess, tau, coordinates),
        (q, v, vdot, guess, np.empty(len(v) + 1), coordinates),
        (q, v, vdot, guess, tau, np.full((graph.nq, 2), 7.0)[:, 0]),
        (q, v, vdot, guess, frozen, coordinates),
        (q, v, vdot, guess, tau, coordinates.astype(np.float32)),
    )
    for arguments in bad:
        assert call(*arguments) != 0
    for arguments in ((q, guess), (q, guess, tau), (q, guess, matrix, tau), (q, v, list(tau), guess, tau)):
        assert equation(*arguments) != 0
    assert equation(np.full(len(v), np.nan), guess, matrix, coordinates) != 0
    assert {*tau, *coordinates, *matrix.ravel()} == {7.0}
    assert call(q, v, vdot, guess, tau, coordinates) == 0  # and the next one is answered
    prepared = md.ClosedLoopInverseDynamics(graph)
    with pytest.raises(md.StateError, match="out"):
        prepared(q, v, vdot, guess, out=np.empty(len(v) + 1))
    with pytest.raises(md.StateError, match="q has"):
        prepared(q[:-1], v, vdot, guess)


def floating_ankle():
    """Independent joints have more positions than velocities."""
    return md.load_urdf(ankle().urdf(), floating_base=True)


@pytest.mark.parametrize("make", [spinning_rod, lambda: platform(floating=True), floating_ankle])
def test_free_coordinates_and_quaternions_are_left_to_the_general_method(make):
    graph = make()
    graph = graph[0] if isinstance(graph, tuple) else graph
    solver = solver_of(graph)
    guess, rest = solver.reference(), np.zeros(len(solver.independent_v))
    q, tau, M = guess[solver.independent_q], np.empty(len(rest)), np.empty((len(rest),) * 2)
    call, equation = NewtonCall(solver, "none"), NewtonEquationCall(solver, "none")
    assert 0 not in {
        call(q, rest, rest, guess, tau),
        equation(q, guess, M),
        equation(q, rest, rest, guess, tau),
    }
    expected = solver.inverse_dynamics_at(q, rest, rest, guess).tau
    assert md.ClosedLoopInverseDynamics(graph)(q, rest, rest, guess).tolist() == expected.tolist()
    prepared = md.ClosedLoopEquationOfMotion(graph)
    W = solver.dynamic_projection(guess)
    assert prepared.mass_matrix(q, guess) == pytest.approx(W.T @ mass_matrix(graph.tree, guess) @ W, abs=1e-9)
