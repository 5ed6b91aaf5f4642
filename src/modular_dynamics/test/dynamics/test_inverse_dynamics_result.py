"""Results of inverse dynamics are values: no later call changes them."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.tree_dynamics import random_state


def wrenches(result):
    links = [result.connection_wrench_in_link(k) for k in range(len(result.graph.subsystems))]
    return (
        result.joint_wrenches,
        result.connection_wrenches,
        [link for link, _ in links],
        [w for _, w in links],
    )


def assert_equal(actual, expected):
    assert actual[2] == expected[2]
    for k in (0, 1, 3):
        assert np.array_equal(actual[k], expected[k], equal_nan=True)  # NaN inside black boxes


@pytest.mark.parametrize("floating_base", [False, True])
def test_a_result_outlives_later_calls(load_robot, floating_base):
    """Wrenches that are read late are those of the result's own state, loads and black boxes."""
    graph = load_robot("charmie", floating_base=floating_base)
    first, second = random_state(graph, 7), random_state(graph, 8)
    head = {"head": np.arange(6.0)}
    solver = md.InverseDynamics(graph)
    expected = md.InverseDynamics(graph).solve(*first, {"body_5": np.ones(6)}, head)
    known = wrenches(expected)
    q, v, vdot = (part.copy() for part in first)
    result = solver.solve(q, v, vdot, {"body_5": np.ones(6)}, head)
    for array in (q, v, vdot):
        array[:] = 1.0  # the caller's arrays are no part of the result
    solver(*second)
    solver.solve(*second, {"body_7a": 10 * np.ones(6)})
    assert np.array_equal(result.tau, expected.tau, equal_nan=True)
    assert_equal(wrenches(result), known)


def test_wrenches_of_one_call_do_not_act_in_the_next(load_robot):
    graph = load_robot("charmie")
    state = random_state(graph, 7)
    solver = md.InverseDynamics(graph)
    free = md.InverseDynamics(graph).solve(*state)
    solver(*state, {"body_5": 10 * np.ones(6)}, {"head": np.ones(6)})
    with pytest.raises(md.StateError):
        solver(*state, {"body_5": 10 * np.ones(6), "nose": np.ones(6)})
    assert np.array_equal(solver(*state), free.tau)
    result = solver.solve(*state)
    assert np.array_equal(result.tau, free.tau)
    assert_equal(wrenches(result), wrenches(free))


def test_bad_states_are_named_as_by_the_function(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.StateError, match=r"v has shape \(3,\)"):
        md.InverseDynamics(graph).solve(np.zeros(4), np.zeros(3), np.zeros(4))
