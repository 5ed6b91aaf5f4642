"""on_stale: hold_gravity holds the pose measured last, whether it was answered or not."""

import numpy as np
import pinocchio
import pytest
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

UNANSWERED = [  # parameters, and what the joint state lacks
    ({"acceleration_source": "filtered"}, {"velocity": []}),
    ({}, {"velocity": [1e200] * 9}),
    ({}, {"stamp": 10**9 + 20_000_000}),
]


@pytest.fixture
def arm(root):
    """A vendor's arm of seven joints with a gripper, in Pinocchio."""
    path = root / "urdf/vendor_arm.urdf"
    return str(path), pinocchio.buildModelFromUrdf(str(path))


def held_torques(path, names, poses, parameters, lacking):
    """Publishes while stale: the torques by joint; the poses before the last one are answered."""
    table = DynamicsParameters(on_stale="hold_gravity", stale_after=0.1, **parameters)
    session = DynamicsSession(node := lone_node(), DynamicsSession.load(path, table), table)
    session.activate(None)

    def send(q, stamp=0, **fields):
        values = {"name": names, "position": list(q), "velocity": [0.0] * len(names)} | fields
        message = JointState(**values)
        message.header.stamp = stamp_message(stamp or node.time)
        session.receive(message, message_info(node.time), superseded=False)

    for k in range(10):  # the filter starts with the sixth
        node.time = 10**9 + k * 2_000_000
        send(poses[0])
    assert session.record.counts.answered > 0
    answered = session.record.counts.answered
    node.time += 50_000_000 if "stamp" not in lacking else 10**9
    with np.errstate(all="ignore"):
        send(poses[1], **lacking)
    assert session.record.counts.answered == answered
    node.time += 10**9
    node.sent["~/joint_torques"].clear()
    session._on_watch()
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
