"""torso_reaction_node in this process: what does not fit is refused, and transitions."""

from contextlib import ExitStack

import pytest
from rclpy.parameter import Parameter

from helpers.paths import ROBOTS
from modular_dynamics_ros.node.robot_node import FAILURE, SUCCESS
from modular_dynamics_ros.reactions.node import TorsoReactionNode

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
FILES = {
    "robot_description_file": str(ROBOTS / "charmie_torso.urdf"),
    "rules_file": str(ROBOTS / "charmie_torso_rules.yaml"),
}


@pytest.fixture
def make():
    def node(**parameters):
        overrides = [Parameter(name, value=value) for name, value in (FILES | parameters).items()]
        made = TorsoReactionNode(parameter_overrides=overrides)
        ended.callback(made.destroy_node)
        return made

    with ExitStack() as ended:
        yield node


@pytest.mark.parametrize(
    ("parameters", "at_fault", "words"),
    [
        ({"rules_file": ""}, "parameters", "rules_file is empty"),
        ({"rules_file": "nowhere.yaml"}, "parameters", "nowhere.yaml"),
        (
            {"controller_joints": ["act4", "act6"]},
            "parameters",
            "controller_joints names 'act6', but the actuators of",
        ),
        ({"robot_description_file": "nowhere.urdf"}, "robot_description_file", "nowhere.urdf"),
    ],
)
def test_what_does_not_fit_fails_configuring_with_one_clear_line(make, capfd, parameters, at_fault, words):
    node = make(**parameters)
    assert node.trigger_configure() == FAILURE
    log = capfd.readouterr().err
    assert f"{at_fault} refused: " in log
    assert words in log
    assert "Traceback" not in log
    changes = [Parameter(name, value=FILES.get(name, ["act4"])) for name in parameters]
    assert all(result.successful for result in node.set_parameters(changes))
    assert node.trigger_configure() == SUCCESS


def test_transitions_and_parameters_at_run_time(make):
    node = make(loads="topics")
    assert node.trigger_configure() == SUCCESS
    listened = {info.topic_name for info in node.subscriptions}
    assert "/joint_states" not in listened  # an inactive node does not listen
    for _ in range(2):
        assert node.trigger_activate() == SUCCESS
        topics = {subscription.topic_name for subscription in node.subscriptions}
        assert {"/joint_states", "/reference", "/dynamics_node/connection_wrenches"} <= topics
        assert not any("external" in topic for topic in topics)  # it takes no such load
        assert node.trigger_deactivate() == SUCCESS
    (result,) = node.set_parameters([Parameter("loads", value="computed")])
    assert not result.successful
    (result,) = node.set_parameters([Parameter("equilibrium_tolerance", value=1e-6)])
    assert result.successful
    assert node.session.reactions.tolerance == 1e-6
    assert node.trigger_cleanup() == SUCCESS
