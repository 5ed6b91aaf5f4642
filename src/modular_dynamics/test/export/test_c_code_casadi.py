"""`graph.to_casadi()`: values, and derivatives by CasADi, equal the library's, with and without loops."""

import sys

import numpy as np
import pytest

import modular_dynamics as md
from helpers.tree_dynamics import EXPORTED, random_states
from modular_dynamics.export.c_code import recordings_of
from modular_dynamics.export.loops import FUNCTIONS

casadi = pytest.importorskip("casadi")
ROBOTS = [
    *(("four_link", False, EXPORTED), ("vendor_arm", True, EXPORTED), ("charmie", False, EXPORTED)),
    *((name, False, tuple(FUNCTIONS)) for name in ("four_bar", "slider_crank", "crane", "exoskeleton")),
    ("vendor_arm", True, ("frame_poses", "jacobian")),
]


def numbers(result):
    return np.array(result, dtype=float)


@pytest.mark.parametrize(("name", "floating", "names"), ROBOTS)
def test_robots_equal_the_library(load_robot, name, floating, names):
    """At the states, and relative to the sizes, with which C code is compared."""
    graph = load_robot(name, floating_base=floating)
    links = (graph.links[-1], graph.links[5]) if "jacobian" in names else ()
    functions = graph.to_casadi(names, links)
    for one in recordings_of(graph, names, links, None, "CasADi"):
        for k in range(len(one.inputs[0])):
            given = getattr(functions, one.program.name)(*(vectors[k] for vectors in one.inputs))
            results = given if isinstance(given, tuple) else (given,)
            for ours, expected, scale in zip(results, one.results, one.scales, strict=True):
                assert np.abs(numbers(ours).ravel() - expected[k]).max() <= 1e-13 * scale


def test_derivatives_by_casadi_are_ours(load_robot):
    """Two ways: CasADi differentiates the torques; we have closed forms."""
    graph = load_robot("four_link")
    f = graph.to_casadi("inverse_dynamics").inverse_dynamics
    symbols = [casadi.SX.sym(name, graph.nv) for name in ("q", "v", "a")]
    columns = [casadi.jacobian(f(*symbols), symbol) for symbol in symbols]
    jacobian = casadi.Function("jacobian", symbols, columns)
    for state in zip(*random_states(graph, 3), strict=True):
        expected = md.inverse_dynamics_derivatives(graph, *state)
        for ours, part in zip(jacobian(*state), expected, strict=True):
            assert np.abs(numbers(ours) - part).max() < 1e-13 * np.abs(part).max()


def test_out_of_reach_is_nan(load_robot):
    functions = load_robot("crane").to_casadi()
    for cylinder in (5.0, -5.0):
        q = [0.0, cylinder, 0.2]
        assert np.isnan(numbers(functions.inverse_dynamics(q, [0.1] * 3, [0.1] * 3))).any()
        assert np.isnan(numbers(functions.close_loops(q))).any()


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
