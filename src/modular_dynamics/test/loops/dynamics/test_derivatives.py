"""Derivatives of inverse dynamics with loops: against differences and the mass matrix; springs, wrenches."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.oracles.motions import rate
from helpers.random_examples.examples import examples
from helpers.random_examples.mechanisms import random_mechanisms
from helpers.robots import closed_robots
from modular_dynamics.loops import solver_of


def differences(function, x, step):
    """d function / dx by central differences of eighth order."""
    return np.array([rate(lambda t, e=e: function(x + t * e), step) for e in np.eye(len(x))]).T


def assert_agree(graph, q, seed, step, tolerance, friction="none"):
    """With differences of the torques at states in which the loops are closed again."""
    guess, rng = md.close_loops(graph, q), np.random.default_rng(seed)
    v, a = rng.normal(size=(2, len(solver_of(graph).independent_v)))

    def tau(q, v, a):
        return md.inverse_dynamics(graph, q, v, a, guess=guess, friction=friction)

    ours = md.inverse_dynamics_derivatives(graph, q, v, a, guess=guess, friction=friction)
    scale = max(np.abs(tau(q, v, a)).max(), 1e-9)
    # torques are quadratic in v and linear in a: there long steps are exact, within signs of dry friction
    in_v = 1e-2 if friction == "urdf" else 1.0
    for mine, expected in (
        (ours.dq, differences(lambda x: tau(x, v, a), q, step)),
        (ours.dv, differences(lambda x: tau(q, x, a), v, in_v)),
        (ours.da, differences(lambda x: tau(q, v, x), a, 1.0)),
    ):
        assert np.abs(mine - expected).max() <= tolerance * max(np.abs(expected).max(), scale)
    M1 = md.mass_matrix(graph, q, guess=guess)
    assert np.abs(ours.da - M1).max() <= 1e-12 * np.abs(M1).max()


@pytest.mark.parametrize("name", list(closed_robots.STATES))
def test_closed_robots_agree_with_differences(name):
    assert_agree(md.load_urdf(closed_robots.path(name)), closed_robots.STATES[name], 1, 2e-3, 1e-9)


def test_springs_and_their_damping_count():
    text = closed_robots.text_of("four_bar")
    graph = md.load_urdf(closed_robots.with_spring(text))
    assert_agree(graph, closed_robots.STATES["four_bar"], 2, 2e-3, 1e-9)
    plain = md.load_urdf(text)
    state = closed_robots.STATES["four_bar"], np.ones(1), np.ones(1)
    with_spring, without = (md.inverse_dynamics_derivatives(g, *state) for g in (graph, plain))
    assert np.abs(with_spring.dq - without.dq).max() > 0.01
    assert np.abs(with_spring.dv - without.dv).max() > 1e-6


@pytest.mark.parametrize("friction", ["none", "urdf"])
def test_what_joints_add_counts(friction):
    """Armatures, springs and friction, also of passive joints."""
    dynamics = '<dynamics damping="0.3" friction="0.2"/></joint>'
    text = Path(closed_robots.path("four_bar")).read_text().replace("</joint>", dynamics)
    terms = [{"joint": "J1", "armature": 0.05}, {"joint": "J3", "armature": 0.02, "stiffness": 4.0}]
    graph = md.load_urdf(text, {"version": 1, "joint_dynamics": terms})
    assert_agree(graph, closed_robots.STATES["four_bar"], 2, 2e-3, 1e-9, friction)


def test_wrenches_on_links_count():
    graph, q = md.load_urdf(closed_robots.path("four_bar")), closed_robots.STATES["four_bar"]
    wrench, state = {"coupler": [1.0, 2.0, 0.0, 0.0, 0.0, 0.5]}, (np.ones(1), np.ones(1))
    ours = md.inverse_dynamics_derivatives(graph, q, *state, external_wrenches=wrench)

    def tau(q):
        return md.inverse_dynamics(graph, q, *state, external_wrenches=wrench)

    assert ours.dq == pytest.approx(differences(tau, q, 2e-3), rel=1e-9)


@examples(20)
@given(mechanism=random_mechanisms())
def test_random_mechanisms_agree_with_differences(mechanism):
    """Floating bases among them: there by steps along their twist."""
    graph, solver = mechanism.graph, solver_of(mechanism.graph)
    q = mechanism.q
    count = len(solver.independent_v)
    v, a = mechanism.rng.normal(size=(2, count))
    state = q[solver.independent_q], v, a
    ours = md.inverse_dynamics_derivatives(graph, *state, guess=q)
    W, step = solver.projection(q), 1e-4

    def tau(x):
        there = graph.integrate(q, W @ x)[solver.independent_q]
        return md.inverse_dynamics(graph, there, v, a, guess=q)

    expected = differences(tau, np.zeros(count), step)
    scale = max(np.abs(expected).max(), np.abs(tau(np.zeros(count))).max(), 1e-9)
    assert np.abs(ours.dq - expected).max() <= 1e-6 * scale


def test_singular_configurations_are_refused():
    graph = md.load_urdf(closed_robots.change_point())
    with pytest.raises(md.ClosureError):
        md.inverse_dynamics_derivatives(graph, [0.0], [1.0], [1.0])
