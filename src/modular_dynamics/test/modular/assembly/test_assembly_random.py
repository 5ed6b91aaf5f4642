"""Random assemblies, a hundred at night: their dynamics against Pinocchio, the composition and identities."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.oracles.saddle_point import SaddlePoint
from helpers.random_examples.assemblies import KINDS, random_assembly
from helpers.random_examples.examples import some
from helpers.tree_dynamics import assert_close

SEEDS = some(range(100), 15)
#: Of assemblies with rings; in some of them no free ports meet, in others loops are in line.
RING_SEEDS = some(range(50), 10)


def random_state(assembly, graph, seed):
    """q, v, a; the quaternion of a floating base is of unit length."""
    rng = np.random.default_rng(seed)
    q = graph.integrate(graph.neutral(), rng.normal(size=graph.nv))
    return q, *rng.normal(size=(2, graph.nv))


@pytest.mark.parametrize("seed", SEEDS)
def test_dynamics_are_those_of_pinocchio_and_of_the_composition(seed):
    assembly = random_assembly(seed)
    graph = assembly.graph().tree
    state = random_state(assembly, graph, seed)
    tau, pinocchio = md.inverse_dynamics(graph, *state), PinocchioTree(graph)
    assert_close(tau, pinocchio.inverse_dynamics(*state), 1e-10)
    assert_close(tau, md.compose(graph, *state).tau, 1e-10)
    M = md.mass_matrix(graph, state[0])
    assert_close(M, pinocchio.mass_matrix(state[0]), 1e-10)
    assert np.abs(M - M.T).max(initial=0.0) <= 1e-14 * np.abs(M).max(initial=0.0)
    if graph.nv:
        assert np.linalg.eigvalsh(M)[0] > 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_rate_less_twice_c_is_skew_symmetric(seed):
    """Mdot by central differences of sixth order: their error is some 1e-12 of the largest entry."""
    assembly = random_assembly(seed)
    graph, step = assembly.graph().tree, 1e-3
    q, v, _ = random_state(assembly, graph, seed)
    v = v / max(1.0, np.linalg.norm(v))
    C, rate = md.coriolis_matrix(graph, q, v), np.zeros((graph.nv, graph.nv))
    for distance, weight in ((1, 45), (2, -9), (3, 1)):
        ends = (md.mass_matrix(graph, graph.integrate(q, sign * distance * step * v)) for sign in (1.0, -1.0))
        rate += weight * np.subtract(*ends) / (60.0 * step)
    difference = rate - 2.0 * C
    scale = max(np.abs(md.mass_matrix(graph, q)).max(initial=0.0), np.abs(rate).max(initial=0.0), 1.0)
    assert np.abs(difference + difference.T).max(initial=0.0) <= 1e-10 * scale


def regular_ring(seed):
    """A graph with rings, and a configuration in which they are closed and regular; None: none was found."""
    assembly = random_assembly(seed, rings=2, kinds=KINDS[1 + seed % 2])
    if not assembly.graph().loop_joints:
        return None
    rng = np.random.default_rng(seed)
    for _ in range(3):
        graph = assembly.graph()
        start = graph.integrate(graph.neutral(), 0.3 * rng.normal(size=graph.nv))
        closed = md.assemble(graph, start).coordinates
        sizes = np.linalg.svd(SaddlePoint(graph, closed, np.zeros(graph.nv)).J, compute_uv=False)
        if not ((sizes > 1e-12 * sizes[0]) & (sizes < 1e-3 * sizes[0])).any():
            return assembly.graph(guess=closed), closed
    return None


def test_rings_move_as_pinocchios_constraints_allow():
    compared = 0
    for seed in RING_SEEDS:
        if (drawn := regular_ring(seed)) is not None:
            assert_moves_as_pinocchio_allows(*drawn, seed)
            compared += 1
    assert compared >= 2 * len(RING_SEEDS) // 5


def assert_moves_as_pinocchio_allows(graph, closed, seed):
    independent = closed[[k for name in graph.independent for k in range(graph.nq)[graph.q_slice(name)]]]
    size = sum(graph.joint(name).type.nv for name in graph.independent)
    v, a = np.random.default_rng(seed).normal(size=(2, size))
    result = md.InverseDynamics(graph).solve(independent, v, a, guess=closed)
    oracle, W = SaddlePoint(graph, result.coordinates, result.velocities), result.projection
    assert np.linalg.matrix_rank(oracle.J, 1e-6) == graph.nv - size == result.rank
    assert oracle.open < 1e-10
    assert np.abs(oracle.J @ W).max(initial=0.0) < 1e-10
    assert_close(oracle.J @ result.accelerations, -oracle.drift, 1e-10, 1.0)
    assert_close(result.tau, W.T @ (oracle.M @ result.accelerations + oracle.h), 1e-10)
    assert_close(md.mass_matrix(graph, independent, guess=closed), W.T @ oracle.M @ W, 1e-10)
