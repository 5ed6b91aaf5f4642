"""Passive joints that are free, or have several coordinates: what dynamics_node does per message."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.spatial_mechanisms import platform, spinning_rod, spinning_rod_on_a_ball
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck

pytestmark = pytest.mark.ros

NOW = 1_700_000_000_000_000_000
DAMPING = '<dynamics damping="0.3"/></joint>'


ROBOTS = {
    "platform": lambda: platform(floating=True).urdf,
    "rod": lambda: spinning_rod(2).urdf,
    "rod on a ball": lambda: spinning_rod_on_a_ball().urdf,
}


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("friction", ["none", "urdf"])
def test_torques_are_the_librarys(name, friction):
    text = ROBOTS[name]()
    if friction == "urdf":
        text = text.replace("</joint>", DAMPING)
    one = Computation(load_robot(text), ComputationSettings(friction=friction))
    graph = one.robot.graph
    assert one.robot.state_names == graph.independent_joint_names
    assert all(graph.joint(joint).type.nq == 1 for joint in one.robot.passive_names)
    q, previous, guess = np.full(len(one.robot.state_names), 0.03), None, None
    for k in range(3):
        state = one.observe(NOW + k * 1_000_000, q, 0.3 * q, (), None)
        previous = given = one.compute(state, state.stamp, previous)
        expected = md.InverseDynamics(graph, friction=friction).solve(q, 0.3 * q, 0.0 * q, guess=guess)
        assert given.effort == pytest.approx(expected.tau, rel=1e-9, abs=1e-9)
        assert PinocchioCheck.of(one.robot)(given).relative < 1e-11
        q, guess = q + 0.002, expected.coordinates
    assert bool(expected.free) == (name != "platform")
