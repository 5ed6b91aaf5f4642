"""What stands beside the closed loops' torques: the spanning tree's at the same states, one and many."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.measurements.loops import TERMS, difference, our_calls
from benchmark.peers.closed_loops import closed_states
from helpers.paths import ROBOTS


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_tree_and_closed_robot_do_the_same_motion(name):
    states = closed_states(md.load_urdf(ROBOTS / f"{name}.urdf"), 4)
    calls = our_calls(states)
    results = {part: call() for part, (call, _) in calls.items()}
    assert {part: count for part, (_, count) in calls.items()} == {
        **dict.fromkeys(("tree", "single", "whole", *TERMS), 1),
        **dict.fromkeys(("tree batch", "batch"), 4),
    }
    scale = np.abs(states.torques).max()
    for tau in (results["single"], results["whole"].tau, results["batch"][0]):
        np.testing.assert_allclose(tau, states.torques[0], rtol=0.0, atol=1e-12 * scale)
    np.testing.assert_allclose(results["batch"], states.torques, rtol=0.0, atol=1e-12 * scale)
    np.testing.assert_allclose(results["tree batch"][0], results["tree"], rtol=0.0, atol=1e-12 * scale)
    a, M, h = states.independent[2][0], results["M"], results["h"]
    np.testing.assert_allclose(M @ a + h, states.torques[0], rtol=0.0, atol=1e-11 * scale)
    np.testing.assert_allclose(M @ (results["a"] - a), 0.0 * a, rtol=0.0, atol=1e-11 * scale)
    assert difference(states) < 1e-11
