"""What dynamics_node publishes of robots with closed loops; states out of reach are named, not answered."""

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


def session_of(robot, *topics):
    return Session(ROBOTS / f"{robot}.urdf", {f"~/{topic}" for topic in topics})


@pytest.mark.parametrize(("robot", "swing"), [("exoskeleton", 0.2), ("four_bar", 3.3)])  # more than a turn
def test_a_motion_of_the_independent_joints_is_completed_and_answered(robot, swing):
    graph = md.load_urdf(ROBOTS / f"{robot}.urdf")
    cuts = {loop.name: f"loop_joints/{loop.name}/wrench" for loop in graph.loop_joints}
    session, guess = session_of(robot, COMPLETED, *cuts.values()), None
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
    assert float(status.values["largest residual [m or 1]"]) < 1e-9
    assert ("tension of spring [N]" in status.values) == (robot == "exoskeleton")


def status_of(session, name):
    return next(status for status in session.statuses() if status.name == name)


def test_a_state_out_of_reach_is_named_not_answered_and_the_next_good_one_is():
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
