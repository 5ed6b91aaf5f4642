"""What stands beside the closed loops' torques: the spanning tree's at the same states, one and many."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.measurements.loop_robots import tree_calls
from benchmark.measurements.loop_terms import term_calls
from benchmark.peers.closed_loops.problem import closed_states
from helpers.paths import ROBOTS


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_tree_and_closed_robot_do_the_same_motion(name):
    states = closed_states(md.load_urdf(ROBOTS / f"{name}.urdf"), 4)
    calls = tree_calls(states)
    results = {part: call() for part, (call, _) in calls.items()}
    assert {part: count for part, (_, count) in calls.items()} == {
        **dict.fromkeys(("tree", "torques", "whole"), 1),
        **dict.fromkeys(("tree batch", "batch"), 4),
    }
    scale = np.abs(states.torques).max()
    for tau in (results["torques"], results["whole"].tau, results["batch"][0]):
        np.testing.assert_allclose(tau, states.torques[0], rtol=0.0, atol=1e-12 * scale)
    np.testing.assert_allclose(results["batch"], states.torques, rtol=0.0, atol=1e-12 * scale)
    np.testing.assert_allclose(results["tree batch"][0], results["tree"], rtol=0.0, atol=1e-12 * scale)
    closed = md.InverseDynamics(states.graph).solve(*(x[0] for x in states.independent), guess=states.first)
    tree = md.inverse_dynamics(states.graph.tree, closed.coordinates, closed.velocities, closed.accelerations)
    np.testing.assert_allclose(results["tree"], tree, rtol=0.0, atol=1e-12 * scale)


def test_terms_are_compared_with_the_general_method_itself():
    graph = md.load_urdf(ROBOTS / "exoskeleton.urdf")
    ours, general = term_calls(graph, True), term_calls(graph, False)
    assert list(ours) == list(general) == ["M", "g", "h", "a"]
    for term, call in ours.items():
        one, other = call(), general[term]()
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    assert not np.array_equal(ours["M"](), general["M"]())  # other rounding
