"""on_stale: hold_gravity holds the pose measured last, whether it was answered or not."""

import numpy as np
import pinocchio
import pytest
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q
from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

UNANSWERED = [  # parameters, and what the joint state lacks
    ({"acceleration_source": "filtered"}, {"velocity": []}),
    ({}, {"stamp": 10**9 + 20_000_000}),
]


@pytest.fixture
def arm(root):
    """A vendor's arm of seven joints with a gripper, in Pinocchio."""
    path = root / "urdf/vendor_arm.urdf"
    return str(path), pinocchio.buildModelFromUrdf(str(path))


def held_torques(path, names, poses, parameters, lacking, later=50_000_000):
    """Publishes while stale: the torques by joint; the poses before the last one are answered."""
    table = DynamicsParameters(on_stale="hold_gravity", stale_after=0.1, **parameters)
    session = DynamicsSession(node := lone_node(stale_after=0.1), DynamicsSession.load(path, table), table)
    session.activate(None)

    def send(q, stamp=0, **fields):
        values = {"name": names, "position": list(q), "velocity": [0.0] * len(names)} | fields
        message = JointState(**values)
        message.header.stamp = stamp_message(stamp or node.time)
        session.receive(message, message_info(node.time))

    for k in range(10):  # the filter starts with the sixth
        node.time = 10**9 + k * 2_000_000
        send(poses[0])
    assert session.record.counts.answered > 0
    answered = session.record.counts.answered
    node.time += later if "stamp" not in lacking else 10**9
    with np.errstate(all="ignore"):
        send(poses[1], **lacking)
    assert session.record.counts.answered == answered
    node.time += 10**9
    node.sent["~/joint_torques"].clear()
    session.on_watch()
    (message,) = node.sent["~/joint_torques"]
    session.destroy()
    return message


@pytest.mark.parametrize(("parameters", "lacking"), UNANSWERED)
def test_the_pose_measured_last_is_held_not_the_last_answered_one(arm, parameters, lacking):
    path, model = arm
    names, rng = list(model.names)[1:], np.random.default_rng(3)
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    poses = [low + (high - low) * rng.random(model.nq) for _ in range(2)]
    for q in poses:
        q[-1] = q[-2]  # the right finger mimics the left one
    message = held_torques(path, names, poses, parameters, lacking)
    before, gravity = (pinocchio.computeGeneralizedGravity(model, model.createData(), q) for q in poses)
    assert np.abs(gravity - before).max() > 1.0  # [N m]: the poses differ
    gravity[-2] += gravity[-1]
    assert message.name == names[:-1]
    assert np.array(message.effort) == pytest.approx(gravity[:-1], abs=1e-10)
    assert message.position.tolist() == poses[1][:-1].tolist()


def test_joints_that_are_still_measured_are_held_where_they_are(arm):
    """A gripper with a publisher of its own is silent; the arm goes on moving, and that is known."""
    path, model = arm
    names, poses = list(model.names)[1:], [np.full(model.nq, 0.01), np.full(model.nq, 0.01)]
    poses[1][:-2] = np.linspace(-0.5, 0.7, model.nq - 2)
    parts = {"name": names[:-2], "position": list(poses[1][:-2]), "velocity": [0.0] * (model.nq - 2)}
    message = held_torques(path, names, poses, {}, parts, later=150_000_000)
    gravity = pinocchio.computeGeneralizedGravity(model, model.createData(), poses[1])
    gravity[-2] += gravity[-1]
    assert np.array(message.effort) == pytest.approx(gravity[:-1], abs=1e-10)


def test_a_root_that_goes_on_turning_is_held_as_it_stands(four_link):
    table = DynamicsParameters(on_stale="hold_gravity", gravity_source="imu", stale_after=0.1)
    session = DynamicsSession(
        node := lone_node(stale_after=0.1), DynamicsSession.load(four_link, table), table
    )
    session.activate(None)
    states, level = session.computation.base_states, Quaternion(1.0, 0.0, 0.0, 0.0)
    node.time = 10**9
    states.add(node.time, level, np.zeros(6))
    message = JointState(name=NAMES, position=Q.tolist(), velocity=[0.0] * len(NAMES))
    session.receive(message, message_info(node.time))
    node.time += 10**9
    states.add(node.time, Quaternion(np.cos(0.3), np.sin(0.3), 0.0, 0.0), np.zeros(6))
    session.on_watch()
    held = node.sent["~/joint_torques"][-1]
    graph = md.load_urdf(four_link, gravity=(0.0, -9.81 * np.sin(0.6), -9.81 * np.cos(0.6)))
    rest = np.zeros(len(Q))
    assert held.effort == pytest.approx(md.inverse_dynamics(graph, Q, rest, rest), abs=1e-12)


@pytest.mark.parametrize("output", ["full", "gravity", "full_minus_gravity"])
def test_a_position_that_is_too_large_is_counted_and_the_one_before_is_held(arm, output):
    path, model = arm
    names = list(model.names)[1:]
    heavy = {"gravity": (0.0, 0.0, -1e4), "output": output}
    table = DynamicsParameters(on_stale="hold_gravity", stale_after=0.1, **heavy)
    session = DynamicsSession(node := lone_node(stale_after=0.1), DynamicsSession.load(path, table), table)
    session.activate(None)
    node.time = 10**9
    for q in ([0.01] * len(names), [0.01] * (len(names) - 2) + [1e10, 1e308]):
        message = JointState(name=names, position=q, velocity=[0.0] * len(names))
        session.receive(message, message_info(node.time))
    assert session.record.counts.rejected == {"too large": 1}
    node.time += 10**9
    session.on_watch()
    answered, held = node.sent["~/joint_torques"]
    assert held.position == answered.position
    assert held.effort == pytest.approx(answered.effort.tolist(), abs=1e-9)


LATE = 150_000_000  # [ns] more than stale_after


@pytest.mark.parametrize("parts", [("all", "fingers"), ("arm", "fingers"), ("fingers", "arm")])
def test_of_each_joint_the_newest_position_is_held_also_a_late_one(arm, parts):
    """States of the arm come late; those of the gripper in time."""
    path, model = arm
    names = list(model.names)[1:]
    ranges = {"all": slice(0, 9), "arm": slice(0, 7), "fingers": slice(7, 9)}
    table = DynamicsParameters(on_stale="hold_gravity", stale_after=0.1)
    session = DynamicsSession(node := lone_node(stale_after=0.1), DynamicsSession.load(path, table), table)
    session.activate(None)

    def send(part, q, stamp):
        joints = ranges[part]
        message = JointState(name=names[joints], position=q[joints], velocity=[0.0] * len(names[joints]))
        message.header.stamp = stamp_message(stamp)
        session.receive(message, message_info(node.time))

    node.time = 10**9
    send("all", np.full(9, 0.01), node.time)
    node.time += 10**9
    poses = {part: np.full(9, 0.02) + np.append(k + np.arange(7) / 7, [0, 0]) for k, part in enumerate(parts)}
    for part, q in poses.items():
        send(part, q, node.time if part == "fingers" else node.time - LATE)
    send("arm", np.full(9, -1.0), node.time - 2 * LATE)  # older than what is known
    assert session.record.counts.answered == 1
    session.on_watch()
    held = node.sent["~/joint_torques"][-1]
    expected = np.append(next(q for part, q in poses.items() if part != "fingers")[:7], [0.02, 0.02])
    gravity = pinocchio.computeGeneralizedGravity(model, model.createData(), expected)
    gravity[-2] += gravity[-1]
    assert held.position.tolist() == expected[:-1].tolist()
    assert np.array(held.effort) == pytest.approx(gravity[:-1], abs=1e-10)  # [N m or N] rounding
    session.destroy()
