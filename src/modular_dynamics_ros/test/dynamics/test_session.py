"""What a session of dynamics_node answers, and what it publishes while no joint states come."""

from unittest.mock import MagicMock

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.nodes.dynamics_harness import Q, V, expected
from helpers.nodes.sessions.lone_session import LoneSession
from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.status import ERROR, OK, WARN
from modular_dynamics_ros.parameters.nodes import DynamicsParameters


def session_of(description, **parameters):
    return LoneSession(description, stale_after=0.1, **parameters)


@pytest.mark.parametrize(("on_stale", "count"), [("stop", 0), ("hold_gravity", 1), ("ramp_to_zero", 1)])
def test_what_is_published_while_no_state_comes(four_link, on_stale, count):
    session = session_of(four_link, on_stale=on_stale)
    assert session.watch(1.0) == []  # before the first state there is nothing to hold
    for time in (1.0, 2.0):
        session.send(time)
        assert session.watch(time + 0.1) == []
        assert session.statuses()[0].level == OK
        assert len(session.watch(time + 0.1 + 1e-9)) == count
        assert "joint states are stale" in session.statuses()[0].message
        assert session.statuses()[0].level == ERROR
    session.node.simulated = True
    session.send(100.0)
    # the clock was set back, and time begins anew
    assert [len(session.watch(time)) for time in (1.0, 1.1, 2.0)] == [0, 0, count]


def test_a_state_that_grows_old_while_it_is_computed_is_not_processed(four_link, monkeypatch):
    """Where other processes had the processor for longer than stale_after."""
    session, compute = session_of(four_link), Computation.compute

    def interrupted(*arguments, **named):
        session.node.time += 150_000_000
        return compute(*arguments, **named)

    monkeypatch.setattr(Computation, "compute", interrupted)
    session.send(1.0)
    assert session.torques == []
    assert session.record.counts.rejected == {"too old": 1}
    monkeypatch.undo()
    session.send(2.0)
    assert len(session.torques) == 1


def test_the_ramp_falls_linearly_and_ends_with_one_zero(four_link):
    session = session_of(four_link, on_stale="ramp_to_zero", ramp_time=2.0)
    for start in (0.0, 5.0):
        session.send(start)
        for time, factor in ((0.1 + 1e-9, 1.0), (0.6, 0.75), (1.1, 0.5), (3.0, 0.0)):
            (message,) = session.watch(start + time)
            assert message.effort == pytest.approx(factor * expected(four_link), abs=1e-8)
        assert session.watch(start + 4.0) == []
    session.send(10.0)
    session.watch(10.12)
    efforts = [session.watch(time)[0].effort[0] for time in (11.0, 10.2)]  # the clock is set back
    assert efforts == pytest.approx([0.55 * expected(four_link)[0]] * 2, abs=1e-12)


def test_a_ramp_whose_beginning_was_missed_begins_with_the_last_torques(four_link):
    """The process stood still, or /clock, which is noticed after a second: no step to zero."""
    session = session_of(four_link, on_stale="ramp_to_zero", ramp_time=1.0)
    session.send(0.0)
    for time, factor in ((5.0, 0.98), (5.49, 0.49), (6.0, 0.0)):
        (message,) = session.watch(time)
        assert message.effort == pytest.approx(factor * expected(four_link), abs=1e-12)
    session.send(10.0)
    session.watch(5000.0)
    for time, factor in ((11.0, 0.98), (11.49, 0.49)):  # /clock goes on: the ramp does, too
        (message,) = session.watch(time)
        assert message.effort == pytest.approx(factor * expected(four_link), abs=1e-9)


def test_a_position_that_cannot_be_held_is_not_reported_as_held(four_link, monkeypatch):
    session = session_of(four_link, on_stale="hold_gravity")
    session.send(1.0)
    monkeypatch.setattr(session.computation, "hold", MagicMock(side_effect=BadMessage("no", "too large")))
    assert session.watch(2.0) == []
    assert "publishing nothing" in session.node.log.texts("stale input")[0]


def test_a_stale_input_has_no_running_reference(four_link):
    session = session_of(four_link, acceleration_source="reference")
    trajectory = ReferenceTrajectory.through(np.array([0, 10**8]), accelerations=np.zeros((2, 4)))
    session.computation.accelerations.reference.add(trajectory, 0)
    session.send(0.0)
    sources = []
    for time in (0.0, 1.0):
        session.node.time = round(1e9 * time)
        sources.append(session.statuses()[1].values["acceleration source"])
    assert sources == ["reference: running", "reference: no joint state was processed with one recently"]


@pytest.mark.parametrize("usual", [False, True])
def test_torques_are_answers_also_where_wrenches_cannot_be_computed(four_link, monkeypatch, usual):
    session = session_of(four_link)
    if usual:
        session.send(1.0)
    wanted = MagicMock(side_effect=BadMessage("not finite", "a wrench overflows"))
    monkeypatch.setattr(session._outputs, "_publish_wanted", wanted)
    session._outputs.subscribed.publishers = frozenset([session._outputs._wrenches_publisher])
    session._outputs.subscribed.update = lambda: None
    session.send(1.01)
    assert wanted.called
    assert session.record.counts.processed == len(session.torques) == 1 + usual
    assert session.last_published.state.stamp == 1_010_000_000
    assert not session.record.counts.rejected
    text = "beside the torques nothing is published: a wrench overflows"
    assert session.node.log.texts("outputs") == [text]


def test_output_reports_latency_limits_and_source(four_link):
    session = session_of(four_link, effort_limits="clip")
    record = session.record
    record.counts.latencies.extend([(0, 1_000_000), (10_000_000, 3_000_000)])
    status = session.statuses()[1]
    assert (status.level, status.values["acceleration source"]) == (
        OK,
        "zero: accelerations are taken as zero",
    )
    assert (status.values["rate [Hz]"], status.values["latency p99 [ms]"]) == ("100.00", "3.000")
    session.send(1.0, v=100.0 * V)
    status = session.statuses()[1]
    assert (status.level, status.message.partition(":")[0]) == (WARN, "effort limit reached (clip)")
    assert status.values["answers above the effort limit of bend"] == "1"


def test_once_it_is_logged_whether_torques_include_gravity(four_link):
    """With the first answer, and after a change of `output`."""
    session = session_of(four_link)
    said = session.node.log._logger.info.call_args_list
    assert not [one for one in said if "publishing" in str(one)]
    for k in range(3):
        session.send(1.0 + 0.1 * k)
    for output in ("full_minus_gravity", "gravity", "gravity"):
        session.set_parameters(DynamicsParameters(output=output, crosscheck_rate=0.0))
        session.send(2.0)
    lines = [one.args[0] for one in said if "publishing" in one.args[0]]
    assert [line.partition(" (")[0] for line in lines] == [
        "publishing torques including gravity",
        "publishing torques without gravity",
        "publishing torques that hold the robot at rest, including gravity",
    ]
    assert "set output: full_minus_gravity" in lines[0]


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
    ("parameters", "unprocessed"),
    [({"acceleration_source": "filtered"}, {"now": 1.07, "v": []}), ({}, {"now": 2.0, "stamp": 1.02})],
)
def test_the_pose_measured_last_is_held_not_the_last_processed_one(arm, parameters, unprocessed):
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
    processed = session.record.counts.processed
    assert processed > 0
    session.send(**({"names": names, "q": poses[1], "v": rest} | unprocessed))
    assert session.record.counts.processed == processed
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
    (processed,), (held,) = [*session.torques], session.watch(2.0)
    assert held.position == processed.position
    assert held.effort == pytest.approx(processed.effort.tolist(), abs=1e-9)


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
    assert session.record.counts.processed == 1
    (held,) = session.watch(2.0)
    expected = np.append(next(q for part, q in poses.items() if part != "fingers")[:7], [0.02, 0.02])
    assert held.position.tolist() == expected[:-1].tolist()
    assert np.array(held.effort) == pytest.approx(weight(model, expected), abs=1e-10)  # [N m or N] rounding
