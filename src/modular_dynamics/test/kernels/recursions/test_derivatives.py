"""Derivatives against Lagrange's equation, differentiated by complex steps; also without the compiler."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.oracles.lagrange import Lagrangian
from helpers.robots.small_robots import JOINTS, small_robot
from helpers.tree_dynamics import random_state
from modular_dynamics.dynamics.arrays.model_arrays import constants_of, topology_of, work_of
from modular_dynamics.dynamics.arrays.regrouping import regrouped
from modular_dynamics.kernels.numba_support.compilation import make_ready
from modular_dynamics.kernels.recursions.common_frame import COMMON_COLUMNS
from modular_dynamics.kernels.recursions.derivatives import inverse_dynamics_derivatives

STEP = 1e-20  # imaginary: no difference is taken, so nothing cancels


@pytest.fixture(autouse=True, scope="module")
def _ready():
    make_ready(inverse_dynamics_derivatives, (1, 1, 1, 3))


def arrays(graph):
    topology = topology_of(graph, frozenset())
    work = np.full_like(work_of(graph, COMMON_COLUMNS), np.nan)  # what stood there must not matter
    return topology, regrouped(topology, constants_of(graph)), work


def derivatives(graph, state):
    out = np.full((3, graph.nv, graph.nv), 7.0)
    assert inverse_dynamics_derivatives(*arrays(graph), *state, out) == 0
    return out


@pytest.mark.parametrize("name", JOINTS)
def test_they_are_derivatives_of_lagranges_equation(name):
    graph = small_robot(name)
    oracle = Lagrangian(graph)
    q, v, vdot = state = random_state(graph, 1)
    units = 1j * STEP * np.eye(graph.nv)
    dq = np.array([oracle.torques(q + unit, v, vdot).imag / STEP for unit in units]).T
    dv = np.array([oracle.torques(q + 0j, v + unit, vdot).imag / STEP for unit in units]).T
    expected = dq, dv, oracle.mass_and_potential(q)[0]
    for ours, theirs in zip(derivatives(graph, state), expected, strict=True):
        assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()


@pytest.mark.parametrize("name", JOINTS)
def test_on_a_floating_base_they_are_pinocchios(name):
    graph = small_robot(name, floating_base=True)
    q, v, vdot = random_state(graph, 1)
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeRNEADerivatives(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(vdot))
    order = np.array([pin.v(unit) for unit in np.eye(graph.nv)]).T
    for ours, matrix in zip(derivatives(graph, (q, v, vdot)), theirs, strict=True):
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
    state = random_state(tied, 1)
    for ours, whole in zip(derivatives(tied, state), derivatives(free, map(fold.dot, state)), strict=True):
        expected = fold.T @ whole @ fold
        assert np.abs(ours - expected).max() <= 1e-12 * np.abs(expected).max()


def test_entries_of_joints_on_different_branches_are_zero():
    graph = small_robot("two trees")
    first, other = (graph.v_slice(name).start for name in ("j2", "j3"))
    out = derivatives(graph, random_state(graph, 1))
    assert (out[:, first, other] == 0.0).all()
    assert (out[:, other, first] == 0.0).all()


def test_numbers_that_are_too_large_are_reported():
    graph = small_robot("fork")
    q, v, vdot = random_state(graph, 1)
    v[:] = 1e200
    with np.errstate(all="ignore"):  # NumPy speaks where the compiler is off
        assert inverse_dynamics_derivatives(*arrays(graph), q, v, vdot, np.zeros((3, *[graph.nv] * 2))) == 2
