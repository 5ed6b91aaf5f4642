"""Articulated bodies against Lagrange's equation and Pinocchio; also without the compiler."""

import numpy as np
import pytest
from numba import njit

import modular_dynamics as md
from helpers.oracles.lagrange import Lagrangian
from helpers.robots.small_robots import JOINTS, small_robot
from helpers.tree_dynamics import accelerations_by_pinocchio, assert_close, random_state
from modular_dynamics.dynamics.arrays.body_frames import frames_of
from modular_dynamics.dynamics.arrays.model_arrays import constants_of, topology_of, work_of
from modular_dynamics.kernels import forward_dynamics
from modular_dynamics.kernels.numba_support.compilation import make_ready
from modular_dynamics.kernels.numba_support.memory import zero_float64
from modular_dynamics.kernels.recursions.articulated_body import accelerate, inward, outward, start
from modular_dynamics.kernels.recursions.articulated_layout import ARTICULATED_COLUMNS, ROW


@pytest.fixture(autouse=True, scope="module")
def _ready():
    make_ready(forward_dynamics, (1, 1, 1, 1))


def arrays(graph):
    frames = frames_of(topology_of(graph, frozenset()), constants_of(graph))
    work = np.full_like(work_of(graph, ARTICULATED_COLUMNS), np.nan)  # what stood there must not matter
    return frames.topology, frames.constants, work


def accelerations(graph, state):
    vdot = np.full(graph.nv, 7.0)
    assert forward_dynamics(*arrays(graph), *state, vdot) == 0
    return vdot


@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_solves_lagranges_equation(name, seed):
    graph = small_robot(name, seed=seed)
    oracle = Lagrangian(graph)
    q, v, tau = state = random_state(graph, seed)
    M, _ = oracle.mass_and_potential(q)
    expected = np.linalg.solve(M, tau - oracle.torques(q, v, np.zeros(graph.nv)))
    # differences lose 1e-12, and M's condition multiplies that
    tolerance = max(1e-10, 1e-12 * np.linalg.cond(M))
    assert np.abs(accelerations(graph, state) - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("name", JOINTS)
def test_on_a_floating_base_it_is_pinocchios(name):
    graph = small_robot(name, floating_base=True)
    state = random_state(graph, 1)
    assert_close(accelerations(graph, state), accelerations_by_pinocchio(graph, *state), 1e-10, least=0.0)


@njit(cache=True)
def _part_by_part(topology, constants, work, states, slices, q, v, tau, out):
    zero = zero_float64()
    start(topology, constants, work, 1, zero)
    for k in range(len(slices)):
        outward(slices[k, 0], slices[k, 1], topology, constants, q, v, states, work, 1, zero)
    for k in range(len(slices) - 1, -1, -1):
        inward(slices[k, 0], slices[k, 1], topology, constants, q, tau, states, work, out, 1, zero)
    for k in range(len(slices)):
        accelerate(slices[k, 0], slices[k, 1], topology, constants, q, states, work, out, 1, zero)


def test_one_subsystem_is_a_slice_of_the_graph(load_robot):
    graph = load_robot("charmie")
    topology, constants, work = arrays(graph)
    q, v, tau, whole = np.random.default_rng(1).normal(size=(4, graph.nv))
    assert forward_dynamics(topology, constants, work, q, v, tau, whole) == 0
    states = work[(len(graph.joints) + 1) * ARTICULATED_COLUMNS :]
    own_work, out = np.full_like(work, np.nan), np.full(2 * graph.nv, np.nan)
    slices = np.array([(s.indices[0], s.indices[-1] + 1) for s in graph.subsystems])
    _part_by_part(topology, constants, own_work, states, slices, q, v, tau, out)
    # the compiler may round products and sums in another order
    assert np.abs(out[: graph.nv] - whole).max() <= 1e-12 * np.abs(whole).max()


@pytest.mark.parametrize("name", JOINTS)
def test_pivots_are_those_of_the_mass_matrix(name):
    """Eliminating joints from the leaves on is M = L^T D L: the pivots multiply to its determinant."""
    graph = small_robot(name)
    topology, constants, work = arrays(graph)
    q, v, tau = random_state(graph, 1)
    assert forward_dynamics(topology, constants, work, q, v, tau, np.empty(graph.nv)) == 0
    first = (len(graph.joints) + 1) * ROW + graph.nv
    M, _ = Lagrangian(graph).mass_and_potential(q)
    # from pivots 1e-14 of what they are made of is taken away
    assert np.prod(work[first : first + graph.nv]) == pytest.approx(np.linalg.det(M), rel=1e-11)


def test_a_massless_end_is_found():
    graph = small_robot("chain")
    loose = (
        '</joint><link name="end"/><joint name="loose" type="continuous">'
        '<parent link="l3"/><child link="end"/></joint></robot>'
    )
    with pytest.warns(md.ModelWarning, match="has no mass"):
        graph = md.load_urdf(graph.urdf.replace("</joint></robot>", loose))
    vdot = np.full(graph.nv, 7.0)
    with np.errstate(all="ignore"):  # NumPy speaks where the compiler is off
        assert forward_dynamics(*arrays(graph), *random_state(graph, 1), vdot) == 3
    assert (vdot == 7.0).all()
