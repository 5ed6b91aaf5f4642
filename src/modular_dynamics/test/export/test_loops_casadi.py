"""`graph.to_casadi()` of robots with loops: the library's values, its derivatives, NaN out of reach."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.export.loops import FUNCTIONS

casadi = pytest.importorskip("casadi")
#: Independent coordinates, and by how much they vary [rad or m].
ROBOTS = {
    "four_bar": ([0.4], 3.0),
    "slider_crank": ([0.4], 3.0),
    "crane": ([0.3, 0.3, 0.2], 0.1),
    "exoskeleton": ([0.0, 0.0, 0.5, 0.5, 0.0], 0.1),
}


def numbers(result):
    return np.array(result, dtype=float).squeeze()


def states(graph, name, count=3):
    (centre, spread), rng = ROBOTS[name], np.random.default_rng(0)
    for _ in range(count):
        yield centre + spread * rng.uniform(-1.0, 1.0, len(centre)), *rng.uniform(-1.0, 1.0, (2, len(centre)))


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_equal_the_library(load_robot, name):
    graph = load_robot(name)
    functions = graph.to_casadi(list(FUNCTIONS))
    guess = md.close_loops(graph, ROBOTS[name][0])
    for q, v, a in states(graph, name):
        there = md.InverseDynamics(graph).solve(q, v, a, guess=guess)
        allowed = 1e-15 * max(10.0, there.condition**2)
        expected = {
            "explicit_constraint_jacobian": ((q,), there.projection),
            "inverse_dynamics": ((q, v, a), there.tau),
            "nonlinear_effects": ((q, v), md.nonlinear_effects(graph, q, v, guess=guess)),
            "gravity_torque": ((q,), md.gravity_torque(graph, q, guess=guess)),
            "mass_matrix": ((q,), md.mass_matrix(graph, q, guess=guess)),
        }
        for function, (arguments, values) in expected.items():
            ours = numbers(getattr(functions, function)(*arguments))
            # torques may cancel: rounding is relative to those of the open tree
            scale = max(np.abs(values).max(), np.abs(there.open_tree.joint_wrenches).max())
            assert np.abs(ours - values.squeeze()).max() <= allowed * scale
        ours = numbers(functions.close_loops(q))
        assert np.exp(1j * ours) == pytest.approx(np.exp(1j * there.coordinates), abs=allowed)
        # two ways: ours by the matrix of the independent joints, the library's by all joints
        motion = md.constrained_dynamics(graph, there.coordinates, there.velocities, there.tau)
        ours = numbers(functions.forward_dynamics(q, v, there.tau))
        independent = md.loops.solver_of(graph).independent_v
        assert np.atleast_1d(ours) == pytest.approx(motion.a[independent], abs=1e-9)


def test_out_of_reach_is_nan(load_robot):
    functions = load_robot("crane").to_casadi()
    for cylinder in (5.0, -5.0):
        q = [0.0, cylinder, 0.2]
        assert np.isnan(numbers(functions.inverse_dynamics(q, [0.1] * 3, [0.1] * 3))).any()
        assert np.isnan(numbers(functions.close_loops(q))).any()
