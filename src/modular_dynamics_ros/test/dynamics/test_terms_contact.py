"""What the world exerts along the joints, against Pinocchio."""

import numpy as np
import pytest
from modular_dynamics_interfaces.msg import TorqueTerms
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.sessions.term_session import FORCE, Q, Session, V, forces
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.query_subjects import hand

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_external_torques_are_what_the_world_exerts_along_the_joints(four_link):
    """Efforts as they are measured while the world pushes: M a + h less J^T F of Pinocchio."""
    session = Session(four_link, external_torque_cutoff=0.0)
    tree = PinocchioTree(session.robot.graph)
    body = session.robot.graph.joint_index("right")
    measured, _ = forces(tree, Q, V, np.zeros(4), {body: FORCE})
    session.receive_at(1.0, effort=measured).receive_at(1.1, effort=measured)
    message = session.last("external_torques")
    assert (message.header.stamp.nanosec, message.name) == (100_000_000, list(session.robot.state_names))
    assert message.effort == pytest.approx(tree.jacobian(Q, body).T @ FORCE, rel=1e-9, abs=1e-11)
    assert np.abs(message.effort).max() > 0.1
    assert not message.position


def test_friction_and_limits_and_what_is_published_do_not_change_what_is_contact():
    """Measured efforts overcome friction, too, so that the model must, whatever part of it is sent."""
    q, v = np.array([0.3, -0.5, 0.7]), np.array([1.0, -2.0, 0.5])
    more = {"friction": "urdf", "output": "full_minus_gravity", "effort_limits": "clip"}
    session = Session(hand(), external_torque_cutoff=0.0, **more)
    graph = session.robot.graph
    measured = md.inverse_dynamics(graph, q, v, np.zeros(3), friction="urdf")
    session.receive_at(1.0, q, v, measured).receive_at(1.1, q, v, measured)
    assert session.last("external_torques").effort == pytest.approx(np.zeros(3), abs=1e-10)
    assert np.abs(np.array(session.last("joint_torques").effort) - measured).max() > 0.1


def test_joints_without_measured_effort_are_left_out(four_link):
    session = Session(four_link, external_torque_cutoff=0.0)
    names = session.robot.state_names
    for effort in ([1.0, np.nan, np.inf, 2.0],) * 2:
        session.receive_at(1.0, effort=effort)
    assert session.last("external_torques").name == ["turn", "right"]
    count = len(session.sent("external_torques"))
    session.receive_at(1.1)
    assert len(session.sent("external_torques")) == count  # none has an effort: no message
    # a gripper of its own: each joint keeps its newest effort, as its position
    session.receive_at(1.2, Q[:3], V[:3], [1.0, 2.0, 3.0], names[:3])
    assert session.last("external_torques").name == list(names[:3])
    session.receive_at(1.21, Q[3:], V[3:], [4.0], names[3:])
    assert session.last("external_torques").name == list(names)


def test_the_cutoff_filters(four_link):
    session = Session(four_link, external_torque_cutoff=5.0)
    torques = md.inverse_dynamics(session.robot.graph, Q, V, np.zeros(4))
    session.receive_at(1.0, effort=torques).receive_at(1.0, effort=torques).receive_at(
        1.02, effort=torques - 1.0
    )
    expected = 1.0 - np.exp(-2.0 * np.pi * 5.0 * 0.02)
    assert session.last("external_torques").effort == pytest.approx(np.full(4, expected), rel=1e-6)


def test_a_subscriber_that_comes_to_a_running_node_gets_contact_and_terms(make):
    """Over the middleware: efforts are read from the moment on at which somebody asks."""
    harness, contact, terms = make(external_torque_cutoff=0.0).activate(), [], []
    harness.answer(effort=[1.0, 2.0, 3.0, 4.0])
    harness.probe.create_subscription(JointState, "dynamics_node/external_torques", contact.append, 10)
    harness.probe.create_subscription(TorqueTerms, "dynamics_node/torque_terms", terms.append, 10)

    def both():
        harness.send(effort=[1.0, 2.0, 3.0, 4.0])
        return contact and terms

    harness.spin_until(both)
    torques = harness.answer()
    assert terms[0].total == pytest.approx(torques.effort, abs=1e-12)
    assert contact[0].name == terms[0].joint_names
    expected = np.array(terms[0].total) - [1.0, 2.0, 3.0, 4.0]
    assert contact[0].effort == pytest.approx(expected, abs=1e-12)
