"""The prepared solver of a closed-loop robot: results are values, loops are closed once."""

import copy
import dataclasses

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.spatial_mechanisms import spinning_rod, spinning_rod_on_a_ball
from modular_dynamics.loops import ClosedLoopSolver


def state(solver):
    """Closed coordinates near the reference, and rates of the independent joints."""
    q = solver.reference()[solver.independent_q] + 0.01
    v = np.linspace(0.3, 0.5, len(solver.independent_v))
    return solver.close(q, solver.reference()), v, v - 0.7


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_at_closed_coordinates_it_is_the_public_functions(load_robot, name):
    graph = load_robot(name)
    solver = ClosedLoopSolver(graph)
    q, v, a = state(solver)
    load = {graph.links[-1]: [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]}
    result = solver.inverse_dynamics(q, v, a, load)
    expected = md.InverseDynamics(graph).solve(q[solver.independent_q], v, a, guess=q, external_wrenches=load)
    # the functions close their guess again: by Newton's last step, 1e-10, or not at all
    assert result.tau == pytest.approx(expected.tau, rel=1e-8, abs=1e-8)
    expected = md.explicit_constraint_jacobian(graph, q[solver.independent_q], q)
    assert result.projection == pytest.approx(expected, rel=1e-8, abs=1e-8)
    assert np.array_equal(result.projection, solver.projection(q))
    assert result.projection @ v == pytest.approx(result.velocities, rel=1e-9, abs=1e-9)
    assert result.coordinates == pytest.approx(q, abs=0.0)
    assert result.residual == solver.residual(q)
    assert max(result.residual.values()) < 1e-9


def test_later_calls_leave_a_result_as_it_is(load_robot):
    solver = ClosedLoopSolver(load_robot("charmie_torso"))
    q, v, a = state(solver)
    first = solver.inverse_dynamics(q, v, a)
    kept = copy.deepcopy(first)
    solver.inverse_dynamics(solver.reference(), -v, a, {solver.graph.links[-1]: np.ones(6)})
    q += 1.0
    assert np.array_equal(first.tree.joint_wrenches, kept.tree.joint_wrenches)
    for name in {field.name for field in dataclasses.fields(first)} - {
        "open_tree",
        "_system",
        "_find_multipliers",
    }:
        np.testing.assert_equal(getattr(first, name), getattr(kept, name))


def test_a_call_with_wrenches_leaves_nothing_for_the_next(load_robot):
    graph = load_robot("exoskeleton")
    solver = ClosedLoopSolver(graph)
    q, v, a = state(solver)
    free = solver.inverse_dynamics(q, v, a).tau
    assert not np.allclose(solver.inverse_dynamics(q, v, a, {graph.links[-1]: np.ones(6)}).tau, free)
    with pytest.raises(md.StateError, match="nowhere"):
        solver.inverse_dynamics(q, v, a, {graph.links[-1]: np.ones(6), "nowhere": np.ones(6)})
    assert np.array_equal(solver.inverse_dynamics(q, v, a).tau, free)


def test_open_coordinates_are_reported_not_closed(load_robot):
    solver = ClosedLoopSolver(load_robot("four_bar"))
    q, v, a = state(solver)
    q[solver.independent_q] += 1e-3
    result = solver.inverse_dynamics(q, v, a)
    assert np.array_equal(result.coordinates, q)
    assert max(result.residual.values()) > 1e-5  # a crank of 5 cm turned by 1e-3 rad
    with pytest.raises(md.StateError, match="shape"):
        solver.inverse_dynamics(q[:-1], v, a)


def test_what_is_refused_for_free_joints_works_as_advised():
    """One coordinate can be independent; a ball joint cannot, for only one of its three is free."""
    graph, derivatives = spinning_rod(), md.inverse_dynamics_derivatives
    with pytest.raises(md.UnsupportedModelError, match=r"joints \w+; make these independent$") as error:
        derivatives(graph, [0.2], [0.1], [0.3])
    free = str(error.value).split("passive joints ")[1].split(";")[0]
    more = graph.with_independent_joints("motor0", free)
    rates = np.zeros((3, 2))
    rates[:, more.independent_joint_names.index("motor0")] = 0.2, 0.1, 0.3
    assert np.isfinite(derivatives(more, *rates).dq).all()
    ball = spinning_rod_on_a_ball()
    with pytest.raises(md.UnsupportedModelError, match="independent, with revolute joints in place of ball"):
        derivatives(ball, [0.2], [0.1], [0.3])
