import numpy as np
import pytest

import modular_dynamics as md
import modular_dynamics.crosscheck
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck


def test_a_robot_can_be_compared(four_link):
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == ""


def test_a_check_that_fails_says_why(four_link, monkeypatch):
    def broken(*arguments):
        raise IndexError("out of range")

    monkeypatch.setattr(md.crosscheck.CrossCheck, "__call__", broken)
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == "IndexError: out of range"


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("name", ["charmie_torso", "crane", "exoskeleton", "four_bar", "slider_crank"])
def test_rounding_error_of_closed_loops_is_no_alarm(root, name, gravity):
    """Rods without mass carry nothing, and what is computed of them is rounding error of the other joints."""
    robot = load_robot(root / f"urdf/{name}.urdf", gravity=gravity)
    one, check = Computation(robot, ComputationSettings()), PinocchioCheck.of(robot)
    rng, rest = np.random.default_rng(0), np.zeros(len(robot.state_names))
    q = robot.graph.neutral()[[robot.graph.q_slice(joint).start for joint in robot.state_names]]
    answer = None
    for stamp in range(40):
        speed = (0.0, 1e-6, 1.0, 1e3)[stamp % 4]
        v = speed * rng.normal(size=len(rest))
        near = q + 0.005 * rng.normal(size=len(rest)) * min(stamp, 1)
        answer = one.compute(one.observe(stamp, near, v), stamp, answer)
        assert max(check(answer).of_terms.values()) < 1e-13
