"""dynamics_node: robots from a file and from the topic, good and bad."""

import numpy as np
import pytest
from rclpy.parameter import Parameter
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.dynamics_harness import expected
from modular_dynamics_ros.node.robot_node import FAILURE, SUCCESS

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@pytest.mark.parametrize(("content", "words"), [("<robot name='x'>", "line 1"), (None, "nowhere.urdf")])
def test_a_bad_file_fails_configuring_and_the_node_lives_on(make, tmp_path, four_link, capfd, content, words):
    path = tmp_path / "nowhere.urdf"
    if content is not None:
        path.write_text(content)
    harness = make(robot_description_file=str(path))
    assert harness.node.trigger_configure() == FAILURE
    log = capfd.readouterr().err
    assert "robot_description_file refused" in log
    assert words in log
    (result,) = harness.node.set_parameters([Parameter("robot_description_file", value=four_link)])
    assert result.successful
    harness.activate()
    harness.answer()


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("/etc/passwd", "must carry the URDF's XML, which starts with '<', not '/etc/passwd'"),
        ("", "must carry the URDF's XML"),
        (
            "<robot name='r'><xacro:include filename='x'/></robot>",
            "line 1: <xacro:include> is xacro, not URDF",
        ),
        ("<robot name='still'><link name='a'/></robot>", "'still' has no moving joint"),
    ],
)
def test_what_is_no_robot_displaces_none(make, root, four_link, capfd, description, words):
    harness = make(robot_description_file="").start()
    good = (root / "urdf/four_link.urdf").read_text()
    harness.descriptions.publish(String(data=good))
    harness.spin_until(lambda: harness.node.session is not None)
    session = harness.node.session
    harness.descriptions.publish(String(data=description or " "))
    harness.said(words, capfd)
    assert harness.node.session is session


def test_a_topic_is_not_expanded_even_with_xacro_arguments(make, capfd):
    """Expanding reads files; arguments are for the file of robot_description_file."""
    harness = make(robot_description_file="", xacro_arguments=["x:=1"]).start()
    description = "<robot name='r'><xacro:include filename='/etc/passwd'/></robot>"
    harness.descriptions.publish(String(data=description))
    harness.said("<xacro:include> is xacro, not URDF", capfd)
    assert harness.node.session is None


def test_a_topic_that_names_a_good_file_is_refused_all_the_same(make, four_link, capfd):
    harness = make(robot_description_file="")
    assert harness.node.trigger_configure() == SUCCESS
    harness.descriptions.publish(String(data=four_link))
    harness.said("starts with '<'", capfd)
    assert harness.node.session is None


def test_a_robot_from_the_topic_replaced_refused_replaced(make, root, four_link, capfd):
    harness = make(robot_description_file="").start()
    assert "waiting for a robot" in harness.status("input").message
    harness.descriptions.publish(String(data=(root / "urdf/four_link.urdf").read_text()))
    harness.spin_until(lambda: harness.node.session is not None)
    harness.connect()
    assert harness.answer().effort.tolist() == expected(four_link).tolist()
    capfd.readouterr()
    harness.descriptions.publish(String(data="<robot name='broken'>"))
    log = harness.said("robot_description refused", capfd)
    assert "'four_link' stays" in log
    assert harness.answer().effort.tolist() == expected(four_link).tolist()
    harness.descriptions.publish(String(data=(root / "urdf/branched_38dof.urdf").read_text()))
    harness.spin_until(lambda: harness.node.session.robot.graph.name == "branched_38dof")
    graph = harness.node.session.robot.graph
    harness.spin_until(lambda: harness.states.get_subscription_count() == 1)
    harness.spin_until(lambda: harness.graphs and harness.graphs[-1].robot == "branched_38dof")
    q, v = np.full((2, 38), [[0.1], [0.2]])
    answer = harness.answer_when_connected(names=graph.joint_names, q=q, v=v)
    assert answer.effort.tolist() == md.inverse_dynamics(graph, q, v, np.zeros(38)).tolist()
