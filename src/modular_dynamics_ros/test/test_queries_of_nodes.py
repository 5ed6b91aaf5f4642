"""The services in all states of the node, and of several robots."""

from contextlib import closing
from pathlib import Path

import pytest
from modular_dynamics_interfaces.msg import RobotState
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.asking import SERVICES, STATE, A, Asking, good
from helpers.nodes.dynamics_harness import Q, V
from helpers.robots.closed_robots import path
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.messages.status import ERROR

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@pytest.mark.parametrize("name", SERVICES)
def test_a_node_that_is_not_active_says_so(four_link, name):
    with closing(Asking(robot_description_file=four_link)) as harness:
        assert "not active" in harness.refused(name, "NOT_ACTIVE")  # not even configured
        assert harness.node.trigger_configure() == SUCCESS
        assert "not active; configure and activate it first" in harness.refused(name, "NOT_ACTIVE")


def test_without_a_robot_and_with_one_that_came(four_link):
    with closing(Asking()) as harness:
        harness.start()
        assert "awaited on the topic robot_description" in harness.refused("equation_of_motion", "NOT_ACTIVE")
        harness.descriptions.publish(String(data=(text := Path(four_link).read_text())))
        harness.spin_until(lambda: harness.node.session is not None)
        assert "no joint state of this robot has been answered" in harness.refused(
            "inverse_dynamics", "BAD_STATE"
        )
        good(harness.ask("inverse_dynamics", state=STATE))
        # another robot: what was answered about the first one does not count
        harness.descriptions.publish(String(data=text.replace('"four_link"', '"another"')))
        harness.spin_until(lambda: harness.node.session.robot.graph.name == "another")
        assert "no joint state of this robot" in harness.refused("inverse_dynamics", "BAD_STATE")


def test_why_a_description_was_refused_is_part_of_the_answers(four_link):
    with closing(Asking()) as harness:
        harness.start()
        harness.descriptions.publish(String(data="<robot"))
        harness.spin_until(lambda: "refused" in harness.node.why_no_robot)
        for name in SERVICES:
            text = harness.refused(name, "NOT_ACTIVE")
            assert text.startswith("there is no robot; the last robot_description was refused: line 1: ")
        status = harness.status("input", lambda status: status.level == bytes([ERROR]))
        assert "the last one was refused: line 1: malformed XML" in status.message
        harness.descriptions.publish(String(data=Path(four_link).read_text()))
        harness.spin_until(lambda: harness.node.session is not None)
        good(harness.ask("inverse_dynamics", state=STATE))
        assert harness.node.trigger_deactivate() == harness.node.trigger_cleanup() == SUCCESS
        assert "is awaited" in harness.node.why_no_robot


def test_requests_while_the_robot_changes_are_answered_or_refused_with_a_reason(four_link):
    """Each answer is of one robot: its joints and its torques belong together."""
    text, other = Path(four_link).read_text(), Path(path("four_bar")).read_text()
    graphs = {"turn": md.load_urdf(text), "J1": md.load_urdf(other)}
    with closing(Asking()) as harness:
        harness.start()
        seen = set()
        for k in range(30):
            harness.descriptions.publish(String(data=(text, other)[k % 2]))
            one = RobotState(joint_names=["J1"], positions=[0.7])
            for state in (STATE, one):
                answer = harness.ask("inverse_dynamics", state=state)
                if not answer.success:
                    assert answer.error_code in (answer.NOT_ACTIVE, answer.UNKNOWN_NAME)
                    assert answer.error_message
                    continue
                names = list(state.joint_names)
                assert list(answer.torques.joint_names) == names
                graph = graphs[names[0]]
                if graph.loop_joints:
                    expected = md.inverse_dynamics(graph, [0.7], [0.0], [0.0])
                else:
                    expected = md.inverse_dynamics(graph, Q, V, A)
                assert answer.torques.total == pytest.approx(expected, rel=1e-9)
                seen.add(names[0])
        assert seen == {"turn", "J1"}
        harness.node.trigger_deactivate()
        harness.refused("inverse_dynamics", "NOT_ACTIVE")
        harness.node.trigger_cleanup()
        harness.refused("inverse_dynamics", "NOT_ACTIVE")
        assert harness.node.trigger_configure() == SUCCESS
        assert harness.node.trigger_activate() == SUCCESS
        assert "awaited" in harness.refused("inverse_dynamics", "NOT_ACTIVE")
