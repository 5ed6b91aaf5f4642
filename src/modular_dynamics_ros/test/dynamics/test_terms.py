"""What stands behind the torques, against Pinocchio: terms, joint wrenches, arrows."""

import numpy as np
import pinocchio
import pytest
from modular_dynamics_interfaces.msg import TorqueTerms
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.dynamics_harness import Q, V
from helpers.nodes.sessions.term_session import ALL, TOPICS, Session, vec6
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.query_subjects import hand
from helpers.robots.closed_robots import STATES, path
from helpers.wrenches import feed
from modular_dynamics.algebra import Quaternion, to_rotation_translation
from modular_dynamics_ros.computation.torque_terms import TermsSolver
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.markers import arrow_scales
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])


def forces(tree, q, v, a, external=None):
    """Torques, and data.f (n, 6), of Pinocchio's rnea; external wrenches by body, at and in its frame."""
    loads = [pinocchio.Force.Zero() for _ in range(tree.model.njoints)]
    for body, wrench in (external or {}).items():
        loads[tree.ids[body]] += pinocchio.Force(wrench[:3], wrench[3:])
    tau = pinocchio.rnea(tree.model, tree.data, tree.q(q), tree.v(v), tree.v(a), loads)
    wrenches = [tree.data.f[tree.ids[k]].np for k in range(len(tree.graph.joints))]
    return tree.fold().T @ np.asarray(tau), np.array(wrenches)


def test_nothing_is_computed_for_nobody(four_link):
    subscribed = set()
    session = Session(four_link, subscribed)
    session.receive_at(1.0, effort=np.zeros(4))
    assert all(not session.sent(topic) for topic in TOPICS)
    assert session._outputs.terms._model is None
    assert session.record.last.state.effort is None  # efforts are not even read
    subscribed |= ALL
    session.receive_at(1.1, effort=np.zeros(4)).receive_at(1.2, effort=np.zeros(4))
    assert all(session.sent(topic) for topic in TOPICS)


def test_terms_are_those_of_pinocchio(four_link):
    session = Session(four_link).receive_at(1.0)
    tree, zero = PinocchioTree(session.robot.graph), np.zeros(4)
    terms = session.last("torque_terms")
    assert (terms.header.stamp.sec, terms.joint_names) == (1, list(session.robot.joint_names))
    gravity, bias = tree.inverse_dynamics(Q, zero, zero), tree.inverse_dynamics(Q, V, zero)
    close = {"rel": 1e-10, "abs": 1e-12}
    assert terms.gravity == pytest.approx(gravity, **close)
    assert terms.coriolis == pytest.approx(bias - gravity, **close)
    assert terms.total == pytest.approx(session.last("joint_torques").effort, **close)
    assert terms.inertia == pytest.approx(zero)


def test_gravity_that_changes_at_run_time_is_that_of_the_terms(four_link):
    session = Session(four_link).receive_at(1.0)
    before = np.array(session.last("torque_terms").gravity)
    parameters = DynamicsParameters(gravity=(0.0, 0.0, -1.62), crosscheck_rate=0.0)
    session.set_parameters(parameters)
    session.receive_at(1.1)
    assert session.last("torque_terms").gravity == pytest.approx(before * 1.62 / 9.81)


@pytest.mark.parametrize("prefix", ["", "left/"])
def test_joint_wrenches_are_data_f_of_pinocchio(prefix):
    """With a mimic joint, a spring and an armature: they are no part of what a joint transmits."""
    q, v = np.array([0.3, -0.5, 0.7]), np.array([1.0, -2.0, 0.5])
    session = Session(hand(), frame_prefix=prefix).receive_at(1.0, q, v)
    _, expected = forces(PinocchioTree(session.robot.graph), q, v, np.zeros(3))
    message = session.last("joint_wrenches")
    assert message.joint_names == [joint.name for joint in session.robot.graph.joints]
    assert message.frames == [f"{prefix}l{k}" for k in (1, 2, 3, 4)]
    assert np.array([vec6(one) for one in message.wrenches]) == pytest.approx(expected, rel=1e-10, abs=1e-11)


def test_joints_in_black_boxes_have_no_wrench(four_link, boxed_branch):
    session = Session(four_link, partition_file=boxed_branch, on_stale_black_box="zero")
    feed(session.computation, "right_branch", FORCE, stamp=1_000_000_000)
    session.receive_at(1.0, Q[:3], V[:3])
    message = session.last("joint_wrenches")
    assert message.joint_names == ["turn", "bend", "left"]
    assert np.isfinite([vec6(one) for one in message.wrenches]).all()
    box = session.last("markers").markers[4:6]
    assert [marker.ns for marker in box] == ["force on right_branch", "moment on right_branch"]
    connection = session.robot.graph.subsystem("right_branch").connection
    R, at = to_rotation_translation(connection.x_link_connection)
    scales = arrow_scales(session.robot.graph)
    for marker, part, scale in zip(box, (FORCE[:3], FORCE[3:]), scales, strict=True):
        start, end = (np.array([p.x, p.y, p.z]) for p in marker.points)
        assert (marker.action, marker.header.frame_id) == (marker.ADD, connection.link)
        assert (start, end - start) == (pytest.approx(at), pytest.approx(scale * (R @ part)))


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_with_loops_the_published_wrenches_are_in_equilibrium(name):
    """The tree under the published wrenches of its loop joints has these wrenches at its joints."""
    q = STATES[name]
    session = Session(path(name)).receive_at(1.0, q, 0.4 * q)
    message, graph = session.last("joint_wrenches"), session.robot.graph
    wrenches = dict(zip(message.joint_names, map(vec6, message.wrenches), strict=True))
    result = session.record.last.dynamics.result
    tree, loads = PinocchioTree(graph.tree), {}
    motion = result.coordinates, result.velocities, result.accelerations
    forces(tree, *motion)
    pinocchio.forwardKinematics(tree.model, tree.data, tree.q(result.coordinates))
    for loop in graph.loop_joints:
        assert message.frames[message.joint_names.index(loop.name)] == loop.successor.link
        on_world = None
        for link, sign in ((loop.successor.link, 1.0), (loop.predecessor.link, -1.0)):
            body, x_body_link = graph.link_pose(link)
            if body is None and sign < 0.0:
                continue  # the ground needs no equilibrium
            X = tree.data.oMi[tree.ids[body]]
            if sign > 0.0:
                to_body = pinocchio.SE3(*to_rotation_translation(x_body_link))
                wrench = wrenches[loop.name]
                on_body = to_body.act(pinocchio.Force(wrench[:3], wrench[3:]))
                on_world = X.act(on_body)
            else:
                on_body = X.actInv(-on_world)
            loads[body] = loads.get(body, np.zeros(6)) + on_body.np
    tau, expected = forces(tree, *motion, loads)
    for joint, one in zip(graph.joints, expected, strict=True):
        assert wrenches[joint.name] == pytest.approx(one, rel=1e-8, abs=1e-8), joint.name
    by_joint = dict(zip(graph.joint_names, tau, strict=True))
    for independent, effort in zip(
        session.robot.joint_names, session.last("joint_torques").effort, strict=True
    ):
        assert by_joint[independent] == pytest.approx(effort, rel=1e-8, abs=1e-9)


def test_arrows_are_the_connection_wrenches_at_their_rate(four_link, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr("modular_dynamics_ros.dynamics.terms.MARKER_RATE", 10.0)
    session = Session(four_link, force_scale=0.01, moment_scale=0.1)
    for step in range(21):
        clock[0] = 100.0 + 0.05 * step + 1e-9
        session.receive_at(1.0 + 0.05 * step)
    assert len(session.sent("markers")) == 11
    graph = session.robot.graph
    result = md.InverseDynamics(graph).solve(Q, V, np.zeros(4))
    markers = session.last("markers").markers
    assert len({(marker.ns, marker.id) for marker in markers}) == len(markers) == 2 * len(graph.subsystems)
    colours = set()
    for k, subsystem in enumerate(graph.subsystems):
        R, at = to_rotation_translation(subsystem.connection.x_link_connection)
        for marker, part, scale in zip(
            markers[2 * k : 2 * k + 2], np.split(result.connection_wrenches[k], 2), (0.01, 0.1), strict=True
        ):
            start, end = (np.array([p.x, p.y, p.z]) for p in marker.points)
            assert marker.header.frame_id == subsystem.connection.link
            assert (start, end) == (pytest.approx(at), pytest.approx(at + scale * (R @ part), abs=1e-12))
            colours.add((marker.color.r, marker.color.g, marker.color.b))
    assert len(colours) == len(markers)


def test_arrows_are_turned_from_the_connection_frame_to_that_of_its_link(tmp_path):
    partition = tmp_path / "partition.yaml"
    subsystems = "[{name: base, joints: [j1]}, {name: fingers, joints: [j2, j3, j4]}]"
    partition.write_text(f"version: 1\nsubsystems: {subsystems}\n")
    session = Session(hand(), partition_file=str(partition), force_scale=1.0, moment_scale=1.0)
    session.receive_at(1.0, Q[:3], V[:3])
    wrench = session.record.last.dynamics.tree.connection_wrenches[1]
    wrenches = {"force": wrench[:3], "moment": wrench[3:]}
    connection = session.robot.graph.subsystem("fingers").connection
    R = np.array(to_rotation_translation(connection.x_link_connection)[0])
    assert np.abs(R - np.eye(3)).max() > 0.1
    for marker in session.last("markers").markers[2:]:
        start, end = (np.array([p.x, p.y, p.z]) for p in marker.points)
        assert end - start == pytest.approx(R @ wrenches[marker.ns.split()[0]], abs=1e-9)


def test_the_wrench_on_a_floating_base_is_drawn_where_the_base_is(quadruped):
    session = Session(quadruped, floating_base=True)
    base = session.computation.base_states
    base.add(1_000_000_000, session.robot.base.root * Quaternion(1.0, 0.0, 0.0, 0.0), np.zeros(6))
    session.receive_at(1.0, np.linspace(-0.7, 0.8, 12), np.zeros(12))
    marker = session.last("markers").markers[0]
    assert marker.header.frame_id == "trunk"
    assert [marker.points[0].x, marker.points[0].y, marker.points[0].z] == [0.0, 0.0, 0.0]
    # 0.5 m for the weight
    assert [marker.points[1].x, marker.points[1].y, marker.points[1].z] == pytest.approx(
        [0, 0, 0.5], abs=1e-9
    )
    assert session.last("joint_wrenches").frames[0] == "trunk"


def test_what_cannot_be_computed_is_reported_and_the_torques_go_on(four_link, monkeypatch):
    def fail(*given, **options):
        raise BadMessage("singular configuration", "at a singular configuration")

    monkeypatch.setattr(TermsSolver, "split", fail)
    session = Session(four_link).receive_at(1.0)
    assert len(session.sent("joint_torques")) == session.record.counts.processed == 1
    assert not session.sent("torque_terms")
    assert session._node.log.texts("torque_terms") == ["not published: at a singular configuration"]


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
