"""on_stale: hold_gravity holds the pose measured last, whether it was answered or not."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.nodes.dynamics_harness import Q
from helpers.nodes.sessions.lone_session import LoneSession
from modular_dynamics.algebra import Quaternion


def holding(path, **parameters):
    return LoneSession(path, on_stale="hold_gravity", stale_after=0.1, **parameters)


@pytest.fixture
def arm(root):
    """A vendor's arm of seven joints with a gripper: its path, and the arm in Pinocchio."""
    path = root / "urdf/vendor_arm.urdf"
    return str(path), pinocchio.buildModelFromUrdf(str(path))


def weight(model, q):
    """Torques that hold the arm; the right finger mimics the left one."""
    gravity = pinocchio.computeGeneralizedGravity(model, model.createData(), q)
    return np.append(gravity[:-2], gravity[-2] + gravity[-1])


@pytest.mark.parametrize(
    ("parameters", "unanswered"),
    [({"acceleration_source": "filtered"}, {"now": 1.07, "v": []}), ({}, {"now": 2.0, "stamp": 1.02})],
)
def test_the_pose_measured_last_is_held_not_the_last_answered_one(arm, parameters, unanswered):
    """A joint state without velocities, which the filter needs; or one that is too old."""
    path, model = arm
    names, rng = list(model.names)[1:], np.random.default_rng(3)
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    poses = [low + (high - low) * rng.random(model.nq) for _ in range(2)]
    for q in poses:
        q[-1] = q[-2]
    session, rest = holding(path, **parameters), np.zeros(len(names))
    for k in range(10):  # the filter starts with the sixth
        session.send(1.0 + 0.002 * k, names=names, q=poses[0], v=rest)
    answered = session.record.counts.answered
    assert answered > 0
    session.send(**({"names": names, "q": poses[1], "v": rest} | unanswered))
    assert session.record.counts.answered == answered
    (held,) = session.watch(3.1)
    before, gravity = (weight(model, q) for q in poses)
    assert np.abs(gravity - before).max() > 1.0  # [N m]: the poses differ
    assert held.name == names[:-1]
    assert np.array(held.effort) == pytest.approx(gravity, abs=1e-10)
    assert held.position.tolist() == poses[1][:-1].tolist()
    assert not np.any(held.velocity)
    assert held.header.stamp.sec == 3


def test_a_root_that_goes_on_turning_is_held_as_it_stands(four_link):
    session = holding(four_link, gravity_source="imu")
    states = session.computation.base_states
    states.add(10**9, Quaternion(1.0, 0.0, 0.0, 0.0), np.zeros(6))
    session.send(1.0, v=np.zeros(4))
    states.add(2 * 10**9, Quaternion(np.cos(0.3), np.sin(0.3), 0.0, 0.0), np.zeros(6))
    (held,) = session.watch(2.0)
    graph = md.load_urdf(four_link, gravity=(0.0, -9.81 * np.sin(0.6), -9.81 * np.cos(0.6)))
    assert held.effort == pytest.approx(md.gravity_torque(graph, Q), abs=1e-12)


def test_a_position_that_is_too_large_is_counted_and_the_one_before_is_held(arm):
    path, model = arm
    names = list(model.names)[1:]
    session, rest = holding(path, gravity=(0.0, 0.0, -1e4)), np.zeros(len(names))
    for q in ([0.01] * len(names), [0.01] * (len(names) - 2) + [1e10, 1e308]):
        session.send(1.0, names=names, q=q, v=rest)
    assert session.record.counts.rejected == {"too large": 1}
    (answered,), (held,) = [*session.torques], session.watch(2.0)
    assert held.position == answered.position
    assert held.effort == pytest.approx(answered.effort.tolist(), abs=1e-9)


@pytest.mark.parametrize("parts", [("all", "fingers"), ("arm", "fingers"), ("fingers", "arm")])
def test_of_each_joint_the_newest_position_is_held_also_a_late_one(arm, parts):
    """States of the arm come 0.15 s late, which is more than stale_after; those of the gripper in time."""
    path, model = arm
    names, session = list(model.names)[1:], holding(path)
    ranges = {"all": slice(0, 9), "arm": slice(0, 7), "fingers": slice(7, 9)}

    def send(part, q, now, stamp):
        joints = ranges[part]
        session.send(now, stamp, names=names[joints], q=q[joints], v=np.zeros(len(names[joints])))

    send("all", np.full(9, 0.01), 1.0, 1.0)
    poses = {part: np.full(9, 0.02) + np.append(k + np.arange(7) / 7, [0, 0]) for k, part in enumerate(parts)}
    for part, q in poses.items():
        send(part, q, 2.0, 2.0 if part == "fingers" else 1.85)
    send("arm", np.full(9, -1.0), 2.0, 1.7)  # older than what is known
    assert session.record.counts.answered == 1
    (held,) = session.watch(2.0)
    expected = np.append(next(q for part, q in poses.items() if part != "fingers")[:7], [0.02, 0.02])
    assert held.position.tolist() == expected[:-1].tolist()
    assert np.array(held.effort) == pytest.approx(weight(model, expected), abs=1e-10)  # [N m or N] rounding
