"""The judge of the attacks itself: faults that a node might have are found."""

import time
from pathlib import Path

import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.messages.stamps import stamp_message
from torture.harness.judge import Judge
from torture.harness.motion import state_at
from torture.harness.oracle import Oracle
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.silence import Torques, fault_of

JOINTS = 3
URDF = tree_urdf(JOINTS)
INFO = {"source_timestamp": 0}


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(Tally("judge", tmp_path, 0), URDF, joint_names(JOINTS))


def answer(stamp: int, factor: float = 1.0) -> JointState:
    """What a node answers to the state of the motion with this stamp, its torques times a factor."""
    q, v = state_at(JOINTS, stamp)
    oracle = Oracle(URDF)
    assert oracle.names == joint_names(JOINTS)
    effort = factor * oracle.terms(q, v).full
    message = JointState(name=oracle.names, position=q.tolist(), velocity=v.tolist(), effort=effort.tolist())
    message.header.stamp = stamp_message(stamp)
    return message


def commands(torques: JointState, factor: float) -> JointState:
    effort = [factor * x for x in torques.effort]
    return JointState(header=torques.header, name=list(torques.name), effort=effort)


def test_right_torques_and_commands_are_right(judge):
    for _ in range(60):
        message = answer(time.time_ns())
        judge.on_answer(message, INFO)
        judge.commands.on_stamped(commands(message, 1.0))
        judge.commands.on_unstamped(Float64MultiArray(data=message.effort))
    judge.commands.finish()
    assert (judge.tally.right, judge.tally.wrong) == (60, 0)


def test_torques_that_differ_by_a_millionth_are_wrong(judge):
    judge.on_answer(answer(time.time_ns(), 1.0 + 1e-6), INFO)
    assert (judge.tally.right, judge.tally.wrong) == (0, 1)


def test_a_state_that_is_answered_again_is_wrong_unless_it_was_sent_again(judge):
    message = answer(stamp := time.time_ns())
    for _ in range(2):  # /clock stands still
        judge.on_sent(stamp)
    for wrong in (0, 0, 1):
        judge.on_answer(message, INFO)
        assert judge.tally.wrong == wrong


@pytest.mark.parametrize("torques_first", [True, False])
def test_commands_that_are_not_the_torques_are_wrong(judge, torques_first):
    message = answer(time.time_ns())
    calls = [
        lambda: judge.on_answer(message, INFO),
        lambda: judge.commands.on_stamped(commands(message, 1.0 + 1e-9)),
    ]
    for call in calls if torques_first else reversed(calls):
        call()
    assert (judge.tally.right, judge.tally.wrong) == (1, 1)


def test_commands_without_stamp_that_no_answer_has_are_wrong(judge):
    for _ in range(20):
        message = answer(time.time_ns())
        judge.on_answer(message, INFO)
        judge.commands.on_unstamped(Float64MultiArray(data=commands(message, 1.5).effort))
    judge.commands.finish()
    assert "20 of 20 effort_commands" in judge.tally.findings[0].text


def test_torques_without_commands_are_wrong(judge):
    for _ in range(60):
        judge.on_answer(answer(time.time_ns()), INFO)
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
