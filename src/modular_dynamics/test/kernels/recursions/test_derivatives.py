"""Derivatives against Lagrange's equation, differentiated by complex steps; also without the compiler."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.oracles.lagrange import Lagrangian
from helpers.robots.small_robots import JOINTS, small_robot
from modular_dynamics.dynamics.arrays.model_arrays import constants_of, topology_of, work_of
from modular_dynamics.dynamics.arrays.regrouping import regrouped
from modular_dynamics.kernels.numba_support.compilation import make_ready
from modular_dynamics.kernels.recursions.common_frame import COMMON_COLUMNS
from modular_dynamics.kernels.recursions.derivatives import (
    SIGNATURE,
    inverse_dynamics_derivatives,
    inverse_dynamics_derivatives_float64,
)
from modular_dynamics.kernels.turns import first_bad, new_turns

STEP = 1e-20  # imaginary: no difference is taken, so nothing cancels


@pytest.fixture(autouse=True, scope="module")
def _ready():
    make_ready(inverse_dynamics_derivatives, SIGNATURE)


def arrays(graph):
    topology = topology_of(graph, frozenset())
    work = np.full_like(work_of(graph, COMMON_COLUMNS), np.nan)  # what stood there must not matter
    return topology, regrouped(topology, constants_of(graph)), work


def random_state(graph, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=graph.nq), rng.normal(size=graph.nv), rng.normal(size=graph.nv)


def found(graph, state):
    out = np.full((3, graph.nv, graph.nv), 7.0)
    assert inverse_dynamics_derivatives(*arrays(graph), *state, out) == 0
    return out


@pytest.mark.parametrize("name", JOINTS)
def test_they_are_derivatives_of_lagranges_equation(name):
    graph = small_robot(name)
    oracle = Lagrangian(graph)
    q, v, vdot = state = random_state(graph)
    units = 1j * STEP * np.eye(graph.nv)
    dq = np.array([oracle.torques(q + unit, v, vdot).imag / STEP for unit in units]).T
    dv = np.array([oracle.torques(q + 0j, v + unit, vdot).imag / STEP for unit in units]).T
    expected = dq, dv, oracle.mass_and_potential(q)[0]
    for ours, theirs in zip(found(graph, state), expected, strict=True):
        assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()


@pytest.mark.parametrize("name", JOINTS)
def test_on_a_floating_base_they_are_pinocchios(name):
    graph = small_robot(name, floating_base=True)
    q, v, vdot = random_state(graph)
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeRNEADerivatives(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(vdot))
    order = np.array([pin.v(unit) for unit in np.eye(graph.nv)]).T
    for ours, matrix in zip(found(graph, (q, v, vdot)), theirs, strict=True):
        expected = order.T @ np.asarray(matrix) @ order
        assert np.abs(ours - expected).max() <= 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("name", JOINTS)
def test_mimic_joints_share_their_drivers_columns(name):
    """A joint that copies another: the chain rule folds the free robot's derivatives."""
    free = small_robot(name)
    last = len(JOINTS[name])
    mimic = '<mimic joint="j1" multiplier="-1.5"/></joint></robot>'
    text = free.urdf.replace("</joint></robot>", mimic)
    assert text != free.urdf
    tied = md.load_urdf(text)
    fold = np.zeros((free.nv, tied.nv))
    for k in range(1, last + 1):
        own = "j1" if k == last else f"j{k}"
        fold[free.v_slice(f"j{k}").start, tied.v_slice(own).start] = -1.5 if k == last else 1.0
    state = random_state(tied)
    for ours, whole in zip(found(tied, state), found(free, [fold @ x for x in state]), strict=True):
        expected = fold.T @ whole @ fold
        assert np.abs(ours - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("count", [1, 8, 11])
def test_lanes_and_single_states_agree(count, floating_base):
    graph = small_robot("two trees", floating_base)
    topology, constants, _ = arrays(graph)
    states = [random_state(graph, k) for k in range(count)]
    q, v, vdot = (np.array(x) for x in zip(*states, strict=True))
    out = np.full((count, 3 * graph.nv**2), 7.0)
    known = np.arange(out.shape[1])
    turns, blank = new_turns(), np.zeros(3 * graph.nv**2, np.bool_)
    inverse_dynamics_derivatives_float64(topology, constants, q, v, vdot, out, known, blank, turns)
    assert first_bad(turns) is None
    for row, state in zip(out, states, strict=True):
        single = found(graph, state).ravel()
        assert np.abs(row - single).max() <= 1e-12 * np.abs(single).max()


def test_entries_of_joints_on_different_branches_are_zero():
    graph = small_robot("two trees")
    first, other = (graph.v_slice(name).start for name in ("j2", "j3"))
    out = found(graph, random_state(graph))
    assert (out[:, first, other] == 0.0).all()
    assert (out[:, other, first] == 0.0).all()


def test_lengths_and_numbers_are_checked():
    graph = small_robot("fork")
    good = [*arrays(graph), *random_state(graph), np.full((3, graph.nv, graph.nv), 7.0)]
    for which in (3, 4, 5):
        short = [x[:-1].copy() if k == which else x for k, x in enumerate(good)]
        assert inverse_dynamics_derivatives(*short) == 1
        for bad in (np.nan, np.inf):
            spoiled = [x.copy() for x in good]
            spoiled[which][1] = bad
            with np.errstate(invalid="ignore"):  # NumPy speaks where the compiler is off
                assert inverse_dynamics_derivatives(*spoiled) == 1
    for shape in ((2, 4, 4), (3, 3, 4), (3, 4, 5)):
        assert inverse_dynamics_derivatives(*good[:-1], np.zeros(shape)) == 1
    assert (good[-1] == 7.0).all()
    good[4] = np.full(graph.nv, 1e200)
    with np.errstate(all="ignore"):
        assert inverse_dynamics_derivatives(*good) == 2
