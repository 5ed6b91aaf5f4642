"""The services of dynamics_node: what they answer and refuse, in all its states and of several robots."""

from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import RobotState
from modular_dynamics_interfaces.srv import LockJoints
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.asking import SERVICES, STATE, A, Asking, good
from helpers.nodes.dynamics_harness import NAMES, Q, V
from helpers.robots.closed_robots import path
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.status import ERROR
from modular_dynamics_ros.messages.subsystems import connection_wrenches_from_message
from modular_dynamics_ros.messages.trajectories import trajectory_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@pytest.fixture(scope="module")
def node(ros, four_link):
    """Active, and one joint state is processed."""
    with closing(Asking(robot_description_file=four_link)) as harness:
        yield harness.activate()


@pytest.fixture(scope="module")
def graph(four_link):
    return md.load_urdf(four_link)


def push(frame, *values):
    return WrenchWriter().write(Time(), frame, np.array(values, float))


def test_inverse_dynamics(node, graph, monkeypatch):
    monkeypatch.setattr(node.node.session, "description", "a1")
    answer = good(
        node.ask("inverse_dynamics", state=STATE, external_wrenches=[push("left_branch", 1, 2, 3, 4, 5, 6)])
    )
    wrenches = {"left_branch": np.arange(1.0, 7.0)}
    result = md.InverseDynamics(graph).solve(Q, V, A, external_wrenches=wrenches)
    assert answer.torques.joint_names == NAMES
    assert answer.torques.total == pytest.approx(result.tau, rel=1e-12)
    expected = md.inverse_dynamics(graph, Q, V, A) - result.tau
    assert answer.torques.external == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert answer.connections.description == "a1"
    read = connection_wrenches_from_message(answer.connections, ["left_branch"], graph.links)
    index = [subsystem.name for subsystem in graph.subsystems].index("left_branch")
    assert read["left_branch"][1] == pytest.approx(result.connection_wrench_in_link(index)[1], rel=1e-12)
    assert answer.base_wrench.header.frame_id == ""  # the root is fixed


def test_without_joints_it_is_the_state_processed_last(node, graph):
    stamp = node.send(q=Q + 0.1)
    node.spin_until(lambda: node.torque_of(stamp) is not None)
    answer = good(node.ask("inverse_dynamics"))
    assert answer.torques.total.tolist() == node.torque_of(stamp).effort.tolist()
    assert stamp_nanoseconds(answer.torques.header.stamp) == stamp


def test_equation_of_motion(node, graph):
    equation = good(node.ask("equation_of_motion", state=STATE)).equation
    assert equation.coordinates == NAMES
    M = np.reshape(equation.mass_matrix, (4, 4))
    assert pytest.approx(md.mass_matrix(graph, Q), rel=1e-10, abs=1e-14) == M
    assert equation.nonlinear_effects == pytest.approx(md.nonlinear_effects(graph, Q, V), rel=1e-10)
    assert equation.gravity == pytest.approx(md.gravity_torque(graph, Q), rel=1e-10, abs=1e-13)
    total = M @ A + equation.nonlinear_effects
    assert total == pytest.approx(md.inverse_dynamics(graph, Q, V, A), rel=1e-10)


def trajectory(*points, names=NAMES):
    """One point each second."""
    samples = [(np.array(values, float),) for values in points]
    return trajectory_message(0, names, range(0, len(points) * 10**9, 10**9), samples)


def test_trajectory_torques(node, graph):
    asked = trajectory(Q, Q + 0.5)
    asked.header.stamp.sec, asked.header.frame_id = 5, "map"
    answer = good(node.ask("trajectory_torques", trajectory=asked))
    assert answer.trajectory.header == asked.header
    assert answer.trajectory.joint_names == NAMES
    for point, q in zip(answer.trajectory.points, (Q, Q + 0.5), strict=True):
        assert point.effort == pytest.approx(
            md.inverse_dynamics(graph, q, np.full(4, 0.5), np.zeros(4)), rel=1e-10
        )
    assert answer.excesses == []
    fast = good(node.ask("trajectory_torques", trajectory=trajectory(Q, Q + 1000.0)))
    assert {one.quantity for one in fast.excesses} == {0, 1, 2}


LONG = trajectory(*[[0.0]] * 20_001, names=["turn"])
BAD = [  # others are in test_query_model, test_trajectory and helpers.nodes.request_hail
    ("inverse_dynamics", {"external_wrenches": [push("nix", *range(6))]}, "UNKNOWN_NAME", "no link 'nix'"),
    ("inverse_dynamics", {"external_wrenches": [push("base", *[np.nan] * 6)]}, "BAD_STATE", "NaN"),
    (
        "equation_of_motion",
        {"state": RobotState(joint_names=["turn"], positions=[np.inf])},
        "BAD_STATE",
        "NaN",
    ),
    ("trajectory_torques", {"trajectory": LONG}, "BAD_STATE", "at most 20000 are taken"),
]


@pytest.mark.parametrize(("name", "fields", "code", "text"), BAD)
def test_bad_requests_are_refused_with_a_reason(node, name, fields, code, text):
    assert text in node.refused(name, code, **fields)
    assert node.answer().effort


def test_a_locked_joint_is_said_to_be(node):
    client = node.client(LockJoints, "dynamics_node/lock_joints")

    def lock(**fields):
        future = client.call_async(LockJoints.Request(joint_names=["left"], **fields))
        node.spin_until(future.done)
        assert future.result().success, future.result().error_message

    lock(positions=[0.25])
    try:
        for name, fields in (
            ("inverse_dynamics", {"state": STATE}),
            ("trajectory_torques", {"trajectory": trajectory([0.0], names=["left"])}),
        ):
            assert "'left' is locked at 0.25: leave out" in node.refused(name, "REFUSED", **fields)
    finally:
        lock(unlock=True)
        node.probe.destroy_client(client)
    good(node.ask("inverse_dynamics", state=STATE))


def test_an_error_that_no_request_should_cause_is_processed_and_logged(node, capfd):
    with patch("modular_dynamics_ros.queries.state_of", side_effect=ZeroDivisionError("odd")):
        text = node.refused("inverse_dynamics", "UNEXPECTED")
    assert text.startswith("ZeroDivisionError: odd (queries.py:")
    assert "unexpected error in ~/inverse_dynamics: ZeroDivisionError: odd" in capfd.readouterr().err
    good(node.ask("inverse_dynamics", state=STATE))


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
        assert "no joint state of this robot has been processed" in harness.refused(
            "inverse_dynamics", "BAD_STATE"
        )
        good(harness.ask("inverse_dynamics", state=STATE))
        # another robot: what was processed about the first one does not count
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


def test_requests_while_the_robot_changes_are_processed_or_refused_with_a_reason(four_link):
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
