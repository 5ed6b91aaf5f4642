"""What dynamics_node publishes of robots with closed loops; states out of reach are named, not processed."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.nodes.sessions.term_session import Session, vec6
from helpers.paths import ROBOTS
from helpers.robots.closed_robots import OUT_OF_REACH, STATES
from modular_dynamics.loops import stamped_cut_wrenches
from modular_dynamics_ros.messages.status import ERROR, OK, WARN

pytestmark = pytest.mark.ros
COMPLETED = "completed_joint_states"
OPEN = 1e-9  # [m or 1]


def session_of(robot, *topics, **parameters):
    return Session(ROBOTS / f"{robot}.urdf", {f"~/{topic}" for topic in topics}, **parameters)


def gap(graph, coordinates):
    """How far apart loop joints' anchors are, and their axes from parallel: from the tree's poses alone."""
    worst = 0.0
    for loop in graph.loop_joints:
        before, after = (
            md.frame_poses(graph, coordinates, [end.link])[0] @ homogeneous(end.x_link_anchor)
            for end in (loop.predecessor, loop.successor)
        )
        apart = [before[:3, 3] - after[:3, 3], before[:3, :3] @ loop.axis - after[:3, :3] @ loop.axis]
        worst = max(worst, np.abs(apart).max())
    for gear in graph.gears:
        place = {name: coordinates[graph.q_slice(name)][0] for name in graph.joint_names}
        driven = gear.offset + sum(ratio * place[name] for name, ratio in gear.drivers)
        worst = max(worst, abs(place[gear.joint] - driven))
    return worst


def homogeneous(x):
    rotation, position = md.algebra.to_rotation_translation(x)
    return np.block([[rotation, position[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


@pytest.mark.parametrize(("robot", "swing"), [("exoskeleton", 0.2), ("four_bar", 3.3)])  # more than a turn
def test_a_motion_of_the_independent_joints_is_completed_and_processed(robot, swing):
    graph = md.load_urdf(ROBOTS / f"{robot}.urdf")
    cuts = {loop.name: f"loop_joints/{loop.name}/wrench" for loop in graph.loop_joints}
    session, guess = session_of(robot, COMPLETED, *cuts.values(), crosscheck_rate=1000.0), None
    for t in np.arange(0.0, 1.0, 0.02):
        q = STATES[robot] + swing * np.sin(3.0 * t)
        v = np.full(len(q), 3.0 * swing * np.cos(3.0 * t))
        expected = md.InverseDynamics(graph).solve(q, v, 0 * q, guess=guess)
        guess = expected.coordinates
        session.receive_at(1.0 + t, q, v)
        full, torques = session.last(COMPLETED), session.last("joint_torques")
        assert full.header.stamp == torques.header.stamp
        assert tuple(full.name) == graph.joint_names
        assert np.array(full.position) == pytest.approx(guess, abs=1e-9)
        assert gap(graph, np.array(full.position)) < OPEN
        assert np.array(full.velocity) == pytest.approx(expected.velocities, abs=1e-9)
        assert not full.effort
        assert tuple(torques.name) == graph.independent_joint_names
        scale = np.abs(expected.tau).max() + 1.0
        assert np.array(torques.effort) == pytest.approx(expected.tau, abs=1e-9 * scale)
        for name, (link, wrench) in stamped_cut_wrenches(graph, expected).items():
            cut = session.last(cuts[name])
            assert cut.header.frame_id == link
            assert vec6(cut.wrench) == pytest.approx(wrench, abs=1e-9 * (np.abs(wrench).max() + 1.0))
    status = status_of(session, "closure")
    assert status.level == OK
    assert status.message.startswith("the loops are closed; largest residual")
    assert float(status.values["largest residual [m or 1]"]) < OPEN
    assert ("tension of spring [N]" in status.values) == (robot == "exoskeleton")
    check = status_of(session, "cross-check")
    assert check.level == OK
    assert "open tree" in check.message
    assert "equal Pinocchio's" in check.message


def status_of(session, name):
    return next(status for status in session.statuses() if status.name == name)


def test_a_state_out_of_reach_is_named_not_processed_and_the_next_good_one_is():
    good = STATES["exoskeleton"]
    session = session_of("exoskeleton", COMPLETED).receive_at(1.0, good, 0 * good)
    for k, (bad, part, level, words) in enumerate(
        (
            (OUT_OF_REACH, "closure", ERROR, "cannot close: the loops of 'exoskeleton' do not close"),
            ([*good[:4], np.nan], "input", WARN, "position of 'rho_7' is NaN"),
        )
    ):
        session.receive_at(1.01 + 0.01 * k, bad, 0 * good)
        status = status_of(session, part)
        assert (status.level, words in status.message) == (level, True)
    session.receive_at(1.03, good, 0 * good)
    for topic in ("joint_torques", COMPLETED):
        assert [one.header.stamp.nanosec for one in session.sent(topic)] == [0, 30_000_000]
