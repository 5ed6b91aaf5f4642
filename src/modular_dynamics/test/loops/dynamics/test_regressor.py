"""The regressor with loops: other masses, Pinocchio's regressor; base parameters of closed robots."""

import re

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.robots import closed_robots
from helpers.robots.urdf_text import inertial
from helpers.springs import spring_torque
from modular_dynamics.loops import solver_of

INERTIAL = re.compile(r"<inertial>.*?</inertial>", re.DOTALL)


def other_masses(text, seed):
    rng = np.random.default_rng(seed)

    def another(_):
        return inertial(rng.uniform(1, 5), rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.1, 0.15, 3)))

    return INERTIAL.sub(another, text)


@pytest.mark.parametrize("name", list(closed_robots.STATES))
def test_it_holds_for_other_masses(name):
    text, q = closed_robots.text_of(name), closed_robots.STATES[name]
    text = closed_robots.with_spring(text) if name == "four_bar" else text
    graph, other = md.load_urdf(text), md.load_urdf(other_masses(text, 1))
    v, a = np.random.default_rng(2).normal(size=(2, len(q)))
    Y = md.regressor(graph, q, v, a)
    offset = md.inverse_dynamics(graph, q, v, a) - Y @ md.inertial_parameters(graph)
    tau = md.inverse_dynamics(other, q, v, a)
    predicted = Y @ md.inertial_parameters(other) + offset
    assert np.abs(predicted - tau).max() <= 1e-11 * np.abs(tau).max()
    assert Y.shape == (len(q), 10 * len(graph.bodies))
    if name == "four_bar":
        springs, still = spring_torque(graph, q), (graph, q, 0 * v, a)
        offset = md.inverse_dynamics(*still) - md.regressor(*still) @ md.inertial_parameters(graph)
        assert offset == pytest.approx(springs, rel=1e-9)
        assert abs(springs).max() > 0.01


@pytest.mark.parametrize("name", ["slider_crank", "crane"])
def test_it_is_pinocchios_projected(name):
    graph, q = md.load_urdf(closed_robots.path(name)), closed_robots.STATES[name]
    v, a = np.random.default_rng(3).normal(size=(2, len(q)))
    result = md.InverseDynamics(graph).solve(q, v, a)
    motion = result.coordinates, result.velocities, result.accelerations
    theirs = PinocchioTree(graph.tree).regressor(*motion)
    expected = md.explicit_constraint_jacobian(graph, q).T @ theirs
    Y = md.regressor(graph, q, v, a)
    assert np.abs(Y - expected).max() <= 1e-11 * np.abs(expected).max()


@pytest.mark.parametrize(("name", "count"), [("slider_crank", 6), ("four_bar", 8)])
def test_base_parameters_give_the_torques_of_any_masses(name, count):
    text, q = closed_robots.text_of(name), closed_robots.STATES[name]
    graph, other = md.load_urdf(text), md.load_urdf(other_masses(text, 4))
    base = md.base_parameters(graph)
    assert len(base.independent) == count
    assert len(base.independent) < len(md.base_parameters(graph.tree).independent)
    beta = base.combination @ md.inertial_parameters(other)
    for seed in range(5):
        v, a = np.random.default_rng(seed).normal(size=(2, len(q)))
        Y = md.regressor(graph, q + 0.1 * seed, v, a)[:, base.independent]
        tau = md.inverse_dynamics(other, q + 0.1 * seed, v, a)
        assert Y @ beta == pytest.approx(tau, rel=1e-8)


def test_the_slider_cranks_base_parameters_are_the_textbooks():
    """The rod, on a crank of 0.05 m, is 0.15 m long; the piston does not turn."""
    base = md.base_parameters(md.load_urdf(closed_robots.path("slider_crank")))
    assert "mcx(rod) + 0.15 m(piston)" in base.expressions
    assert "Izz(rod) + 0.0225 m(piston)" in base.expressions
    assert not any(
        "I" in term and "piston" in term for text in base.expressions for term in text.split(" + ")
    )


def test_too_few_closed_poses_are_reported(monkeypatch):
    graph = md.load_urdf(closed_robots.path("four_bar"))

    def never(*_):
        raise md.ClosureError("open")

    monkeypatch.setattr(type(solver_of(graph)), "inverse_dynamics_at", never)
    with pytest.raises(md.ClosureError, match=r"its loops closed in 0 of \d+ random poses around the start"):
        md.base_parameters(graph)
