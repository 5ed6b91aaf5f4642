"""`graph.to_casadi()`: values, and derivatives by CasADi, equal the library's."""

import sys

import numpy as np
import pytest

import modular_dynamics as md
from helpers.tree_dynamics import EXPORTED, random_states

casadi = pytest.importorskip("casadi")
ROBOTS = [("four_link", False), ("vendor_arm", True), ("charmie", False)]


def numbers(result):
    return np.array(result, dtype=float)


def relative(ours, expected, *terms):
    """Of the largest number, or of larger terms of which it is the sum."""
    size = max(np.abs(x).max() for x in (expected, *terms))
    return np.abs(ours - expected).max() / size


@pytest.mark.parametrize(("name", "floating"), ROBOTS)
def test_robots_equal_the_library(load_robot, name, floating):
    graph = load_robot(name, floating_base=floating)
    functions = graph.to_casadi(EXPORTED)
    for q, v, a in zip(*random_states(graph, 3), strict=True):
        tau = md.inverse_dynamics(graph, q, v, a)
        M = md.mass_matrix(graph, q)
        assert relative(numbers(functions.inverse_dynamics(q, v, a)).ravel(), tau) < 1e-13
        assert (
            relative(numbers(functions.nonlinear_effects(q, v)).ravel(), md.nonlinear_effects(graph, q, v))
            < 1e-13
        )
        assert relative(numbers(functions.gravity_torque(q)).ravel(), md.gravity_torque(graph, q)) < 1e-13
        assert relative(numbers(functions.mass_matrix(q)), M) < 1e-13
        there = numbers(functions.forward_dynamics(q, v, tau)).ravel()
        assert relative(there, a) < max(1e-13, 1e-15 * np.linalg.cond(M))
        parts = md.inverse_dynamics_derivatives(graph, q, v, a)
        for part, expected in zip(functions.inverse_dynamics_derivatives(q, v, a), parts, strict=True):
            assert relative(numbers(part), expected) < 1e-13


def test_derivatives_by_casadi_are_ours(load_robot):
    """Two ways: CasADi differentiates the torques; we have closed forms."""
    graph = load_robot("four_link")
    f = graph.to_casadi("inverse_dynamics").inverse_dynamics
    names = ("q", "v", "a")
    symbols = [casadi.SX.sym(name, graph.nv) for name in names]
    columns = [casadi.jacobian(f(*symbols), symbol) for symbol in symbols]
    jacobian = casadi.Function("jacobian", symbols, columns)
    for state in zip(*random_states(graph, 3), strict=True):
        expected = md.inverse_dynamics_derivatives(graph, *state)
        for ours, part in zip(jacobian(*state), expected, strict=True):
            assert relative(numbers(ours), part) < 1e-13


def test_poses_and_jacobians_of_links(load_robot):
    graph = load_robot("vendor_arm", floating_base=True)
    links = (graph.links[-1], graph.links[5])
    functions = graph.to_casadi(["frame_poses", "jacobian"], links)
    q = random_states(graph, 1, 5)[0][0]
    poses = md.frame_poses(graph, q, links)
    assert relative(numbers(functions.frame_poses(q)).reshape(poses.shape), poses) < 1e-13
    J = np.array([md.jacobian(graph, q, link) for link in links])
    assert relative(numbers(functions.jacobian(q)).reshape(J.shape), J) < 1e-13


def test_functions_have_the_names_of_their_arguments(load_robot):
    functions = load_robot("four_link").to_casadi()
    assert functions.nonlinear_effects is None
    forward = functions.forward_dynamics
    assert (forward.name_in(), forward.name_out()) == (["q", "v", "tau"], ["a"])
    assert functions.mass_matrix.size_out(0) == (4, 4)


def test_errors_name_what_is_needed(load_robot, monkeypatch):
    with pytest.raises(md.StateError, match="to_casadi has no function 'aba'"):
        load_robot("four_link").to_casadi(["aba"])
    with pytest.raises(md.StateError, match=r"moves? no inertia"):
        load_robot("charmie", floating_base=True).to_casadi()
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(md.MissingDependencyError, match=r"is not installed: pip install casadi$"):
        load_robot("four_link").to_casadi()
