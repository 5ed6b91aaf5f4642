"""The judge of the tests and what it measures with: faults that a node might have are found."""

import time

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import modular_dynamics as md
from helpers.processes import run_python
from modular_dynamics_ros.messages.stamps import stamp_message
from robustness.harness import oracle
from robustness.harness.judge import Judge
from robustness.harness.oracle import Oracle
from robustness.harness.resources import Resources, growth
from robustness.harness.robots import PERIOD, accelerations_at, joint_names, state_at, tree_urdf
from robustness.harness.tally import Tally
from robustness.joint_states import Torques, fault_of

pytestmark = pytest.mark.ros
JOINTS = 6
NOW = 1_800_000_000_123_456_789
URDF = tree_urdf(JOINTS)


def test_all_tests_can_be_imported_where_the_command_runs(root):
    names = "from importlib import import_module as load; from robustness.__main__ import TESTS"
    each = "[load(f'robustness.{name.rpartition(\".\")[0]}') for name in TESTS.values()]"
    done = run_python("-c", f"{names}; {each}", cwd=root / "test")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def judge(tmp_path):
    return Judge(Tally("judge", tmp_path, 0), URDF, joint_names(JOINTS))


def answer(stamp=NOW, published=None, **changes):
    """The right answer to the state of a stamp, and what rclpy says of it."""
    graph = md.load_urdf(URDF)
    q, v = state_at(JOINTS, stamp)
    order = [joint_names(JOINTS).index(name) for name in graph.joint_names]
    tau = md.inverse_dynamics(graph, q[order], v[order], np.zeros(JOINTS))
    numbers = {"position": q[order], "velocity": v[order], "effort": tau} | changes
    message = JointState(name=list(graph.joint_names), **{k: list(map(float, x)) for k, x in numbers.items()})
    message.header.stamp = stamp_message(stamp)
    return message, {"source_timestamp": published or stamp}


def commands(torques, factor):
    """The stamped commands of an answer, times a factor."""
    effort = [factor * x for x in torques.effort]
    return JointState(header=torques.header, name=list(torques.name), effort=effort)


def test_right_torques_and_commands_are_right(judge):
    for _ in range(60):
        message, info = answer(time.time_ns())
        judge.on_answer(message, info)
        judge.commands.on_stamped(commands(message, 1.0))
        judge.commands.on_unstamped(Float64MultiArray(data=message.effort))
    judge.commands.finish()
    assert (judge.tally.right, judge.tally.wrong) == (60, 0)


def test_a_state_that_is_answered_again_is_wrong_unless_it_was_sent_again(judge):
    message, info = answer(stamp := time.time_ns())
    for _ in range(2):  # /clock stands still
        judge.on_sent(stamp)
    for wrong in (0, 0, 1):
        judge.on_answer(message, info)
        assert judge.tally.wrong == wrong


@pytest.mark.parametrize("torques_first", [True, False])
def test_commands_that_are_not_the_torques_are_wrong(judge, torques_first):
    message, info = answer(time.time_ns())
    calls = [
        lambda: judge.on_answer(message, info),
        lambda: judge.commands.on_stamped(commands(message, 1.0 + 1e-9)),
    ]
    for call in calls if torques_first else reversed(calls):
        call()
    assert (judge.tally.right, judge.tally.wrong) == (1, 1)


def test_commands_without_stamp_that_no_answer_has_are_wrong(judge):
    for _ in range(20):
        message, info = answer(time.time_ns())
        judge.on_answer(message, info)
        judge.commands.on_unstamped(Float64MultiArray(data=commands(message, 1.5).effort))
    judge.commands.finish()
    assert "20 of 20 effort_commands" in judge.tally.findings[0].text


def test_torques_without_commands_are_wrong(judge):
    for _ in range(60):
        judge.on_answer(*answer(time.time_ns()))
    judge.commands.finish()
    assert judge.tally.wrong == 1


@pytest.mark.parametrize(
    ("choice", "efforts", "fault"),
    [
        ("stop", [[1.0]], ""),
        ("stop", [[1.0], [1.0]], "instead of none"),
        ("hold_gravity", [[1.0], [2.0], [2.0], [2.0]], ""),
        ("hold_gravity", [[1.0], [2.0], [2.0], [2.1]], "change"),
        ("hold_gravity", [[1.0]], "instead of many"),
        ("ramp_to_zero", [[-2.0], [-1.0], [-0.5], [-0.0]], ""),
        ("ramp_to_zero", [[-2.0], [-1.0], [-1.5], [0.0]], "grow"),
        ("ramp_to_zero", [[-2.0], [-2.0], [-2.0], [-2.0]], "not zero"),
    ],
)
def test_what_follows_the_last_answer_is_judged(choice, efforts, fault):
    answer_and_rest = [Torques(one, answers=k == 0) for k, one in enumerate(efforts)]
    found = fault_of(choice, answer_and_rest)
    assert fault in found
    assert bool(fault) == bool(found)


def test_silence_begins_at_the_last_answer():
    held_before = [Torques([3.0], True), Torques([1.0], False), Torques([2.0], True)]
    assert not fault_of("ramp_to_zero", [*held_before, *(Torques([x], False) for x in (2.0, 1.0, 0.0))])


def test_silence_needs_a_motion_before_it():
    assert "no state" in fault_of("stop", [])


@pytest.mark.parametrize("field", ["position", "velocity", "effort"])
def test_another_number_is_wrong(judge, field):
    message, _ = answer()
    values = list(getattr(message, field))
    values[2] += 1e-6
    judge.on_answer(*answer(**{field: values}))
    assert (judge.tally.right, judge.tally.wrong) == (0, 1)


def test_torques_that_are_nan_are_wrong(judge):
    judge.on_answer(*answer(effort=[np.nan] * JOINTS))
    assert judge.tally.wrong == 1


def test_an_old_answer_is_wrong(judge):
    judge.on_answer(*answer(published=NOW + 9 * 10**8))
    (finding,) = judge.tally.findings
    assert "0.900 s old" in finding.text
    assert finding.file is not None
    assert finding.file.exists()


def test_stamps_that_go_back_are_wrong(judge):
    judge.on_answer(*answer(NOW + 1))
    judge.on_answer(*answer(NOW))
    assert (judge.tally.right, judge.tally.wrong) == (1, 1)


def test_an_answer_to_a_malformed_state_or_while_inactive_is_wrong(judge):
    judge.refused[NOW] = "NaN"
    judge.on_answer(*answer())
    judge.silent_since = NOW
    judge.on_answer(*answer(NOW + 1, published=NOW + 2))
    assert (judge.tally.right, judge.tally.wrong) == (0, 2)


def test_a_value_of_a_part_that_is_old_is_wrong(judge):
    old = NOW - 10**9
    judge.parts = {NOW: (0, 1, 2), old: (3, 4, 5)}
    now, before = state_at(JOINTS, NOW)[0], state_at(JOINTS, old)[0]
    merged = dict(zip(joint_names(JOINTS), [*now[:3], *before[3:]], strict=True))
    message, _ = answer()
    judge.on_answer(*answer(position=[merged[name] for name in message.name]))
    assert judge.tally.wrong == 1


def test_torques_of_large_trees_are_those_of_pinocchio(monkeypatch):
    urdf, count = tree_urdf(60, 3), 60
    q, v = state_at(count, NOW)
    theirs = Oracle(urdf)
    monkeypatch.setattr(oracle, "MOST_FOR_PINOCCHIO", 0)
    own = Oracle(urdf)
    names = joint_names(count)
    terms = [
        one.terms(*(x[[names.index(name) for name in one.names]] for x in (q, v))) for one in (own, theirs)
    ]
    order = [own.names.index(name) for name in theirs.names]
    for part in ("full", "gravity"):
        ours, right = getattr(terms[0], part)[order], getattr(terms[1], part)
        assert np.abs(ours - right).max() < 1e-12 * terms[1].scale


@pytest.mark.parametrize("stamp", [NOW, NOW - NOW % PERIOD, 1])
def test_the_motion_is_smooth(stamp):
    step = 10**5
    before, after = state_at(JOINTS, stamp - step), state_at(JOINTS, stamp + step)
    # central differences of second order: 1e-10 relative to the motion, and rounding of 1e-16 / 1e-4
    assert np.allclose((after[0] - before[0]) / 2e-4, state_at(JOINTS, stamp)[1], atol=1e-7)
    assert np.allclose((after[1] - before[1]) / 2e-4, accelerations_at(JOINTS, stamp), atol=1e-7)


def test_growth_is_noticed():
    steady = [Resources(100.0, 20, 10)] * 30
    assert not growth(steady)[1]
    assert growth([Resources(100.0 + 2.0 * k, 20, 10) for k in range(30)]) == ("memory 130 -> 150 MiB, "
        "descriptors 20 -> 20, threads 10 -> 10", False)  # fmt: skip
    assert growth([Resources(100.0 + 3.0 * k, 20, 10) for k in range(30)])[1]
    assert growth([Resources(100.0, 20 + k, 10) for k in range(30)])[1]
