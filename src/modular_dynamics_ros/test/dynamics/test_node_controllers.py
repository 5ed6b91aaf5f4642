"""dynamics_node: effort commands, and parameters that change at run time."""

import numpy as np
import pytest
from rclpy.parameter import Parameter

from helpers.nodes.dynamics_harness import NAMES, V, expected
from modular_dynamics_ros.node.robot_node import FAILURE

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_effort_commands_are_in_the_controllers_order(make):
    harness = make(controller_joints=["right", "turn"])
    harness.activate()
    torques = dict(zip(NAMES, harness.answer().effort, strict=True))
    wanted = [torques["right"], torques["turn"]]
    harness.spin_until(lambda: harness.efforts[-1].data.tolist() == wanted)


def test_unknown_controller_joints_fail_configuring(make, capfd):
    harness = make(controller_joints=["turn", "nonsense"])
    assert harness.node.trigger_configure() == FAILURE
    assert "controller_joints names 'nonsense'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("rate", -1.0, "rate"),
        ("output", "half", "output must be one of full, gravity, full_minus_gravity, not 'half'"),
        ("stale_after", 0.0, "stale_after"),
        ("gravity", [0.0, 0.0, -1.62], "gravity may change while the node is unconfigured"),
        ("robot_description_file", "other.urdf", "robot_description_file may change while"),
        ("effort_limits", 3, "effort_limits must be a text"),
    ],
)
def test_a_bad_parameter_is_refused_and_nothing_changes(active, four_link, name, value, reason):
    before = active.node.parameters
    (result,) = active.node.set_parameters([Parameter(name, value=value)])
    assert not result.successful
    assert reason in result.reason
    assert active.node.parameters == before
    assert active.answer().effort.tolist() == expected(four_link).tolist()


def test_parameters_take_effect_at_run_time(active, four_link):
    set_one = active.node.set_parameters
    assert set_one([Parameter("output", value="gravity")])[0].successful
    rest = np.zeros(4)
    assert active.answer().effort == pytest.approx(expected(four_link, v=rest), abs=1e-13)
    assert set_one([Parameter("output", value="full"), Parameter("effort_limits", value="clip")])[
        1
    ].successful
    fast = 10.0 * V
    free = expected(four_link, v=fast)
    assert (np.abs(free) > [20, 20, 5, 5]).any()
    assert active.answer(v=fast).effort == pytest.approx(np.clip(free, [-20, -20, -5, -5], [20, 20, 5, 5]))
    assert "effort limit reached (clip)" in active.status("output", lambda s: s.level == b"\x01").message
