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
    """The right answer to the state of a stamp, or another one, and what rclpy says of it."""
    graph = md.load_urdf(URDF)
    q, v = state_at(JOINTS, stamp)
    order = [joint_names(JOINTS).index(name) for name in graph.joint_names]
    tau = md.inverse_dynamics(graph, q[order], v[order], np.zeros(JOINTS))
    numbers = {"position": q[order], "velocity": v[order], "effort": tau} | changes
    message = JointState(name=list(graph.joint_names), **{k: list(map(float, x)) for k, x in numbers.items()})
    message.header.stamp = stamp_message(stamp)
    return message, {"source_timestamp": published or stamp}


def answered(judge, factors, stamped=True, unstamped=True):
    """Right answers, and commands that are their torques times factors, which come first every other time."""
    for k, factor in enumerate(factors):
        message, info = answer(time.time_ns())
        efforts = [factor * x for x in message.effort]
        commands = JointState(header=message.header, name=message.name, effort=efforts)
        if stamped and k % 2:
            judge.commands.on_stamped(commands)
        judge.on_answer(message, info)
        if stamped and not k % 2:
            judge.commands.on_stamped(commands)
        if unstamped:
            judge.commands.on_unstamped(Float64MultiArray(data=efforts))
    judge.commands.finish()


@pytest.mark.parametrize(
    ("factors", "topics", "wrong"),
    [
        ([1.0] * 60, (True, True), 0),
        ([1.0 + 1e-9] * 2, (True, False), 2),
        ([1.5] * 20, (False, True), 1),  # without a stamp some may be lost: most must be torques
        ([1.0] * 60, (False, False), 1),  # no commands at all
    ],
)
def test_commands_are_the_torques_of_answers(judge, factors, topics, wrong):
    answered(judge, factors, *topics)
    assert (judge.tally.right, judge.tally.wrong) == (len(factors), wrong)


def test_a_state_that_is_answered_again_is_wrong_unless_it_was_sent_again(judge):
    message, info = answer(stamp := time.time_ns())
    for _ in range(2):  # /clock stands still
        judge.on_sent(stamp)
    for wrong in (0, 0, 1):
        judge.on_answer(message, info)
        assert judge.tally.wrong == wrong


def test_states_without_an_answer_are_known(judge):
    for stamp in (NOW, NOW + 1, NOW + 2):
        judge.on_sent(stamp)
    judge.on_answer(*answer(NOW + 1))
    assert (judge.unanswered(NOW), judge.unanswered(NOW + 1)) == ([NOW, NOW + 2], [NOW + 2])


@pytest.mark.parametrize("field", ["position", "velocity", "effort"])
@pytest.mark.parametrize("change", [1e-6, np.nan])
def test_another_number_is_wrong(judge, field, change):
    values = list(getattr(answer()[0], field))
    values[2] += change
    judge.on_answer(*answer(**{field: values}))
    assert (judge.tally.right, judge.tally.wrong) == (0, 1)


def test_an_old_answer_is_wrong_and_its_finding_kept(judge):
    judge.on_answer(*answer(published=NOW + 9 * 10**8))
    (finding,) = judge.tally.findings
    assert "0.900 s old" in finding.text
    assert finding.file.exists()


def test_stamps_that_go_back_malformed_states_and_inactive_nodes_have_no_answers(judge):
    judge.refused[NOW + 2] = "NaN"
    for stamp, wrong in ((NOW + 1, 0), (NOW, 1), (NOW + 2, 2)):
        judge.on_answer(*answer(stamp))
        assert judge.tally.wrong == wrong
    judge.silent_since = NOW
    judge.on_answer(*answer(NOW + 3))
    assert (judge.tally.right, judge.tally.wrong) == (1, 3)


def test_a_value_of_a_part_that_is_old_is_wrong(judge):
    old = NOW - 10**9
    judge.parts = {NOW: (0, 1, 2), old: (3, 4, 5)}
    now, before = state_at(JOINTS, NOW)[0], state_at(JOINTS, old)[0]
    merged = dict(zip(joint_names(JOINTS), [*now[:3], *before[3:]], strict=True))
    message, _ = answer()
    judge.on_answer(*answer(position=[merged[name] for name in message.name]))
    assert judge.tally.wrong == 1


@pytest.mark.parametrize(
    ("choice", "efforts", "fault"),
    [
        ("stop", [[1.0]], ""),
        ("stop", [[1.0], [1.0]], "instead of none"),
        ("stop", [], "no state"),
        ("hold_gravity", [[1.0], [2.0], [2.0], [2.0]], ""),
        ("hold_gravity", [[1.0], [2.0], [2.0], [2.1]], "change"),
        ("hold_gravity", [[1.0]], "instead of many"),
        ("ramp_to_zero", [[-2.0], [-1.0], [-0.5], [-0.0]], ""),
        ("ramp_to_zero", [[-2.0], [-1.0], [-1.5], [0.0]], "grow"),
        ("ramp_to_zero", [[-2.0], [-2.0], [-2.0], [-2.0]], "not zero"),
    ],
)
def test_what_follows_the_last_answer_is_judged(choice, efforts, fault):
    found = fault_of(choice, [Torques(one, answers=k == 0) for k, one in enumerate(efforts)])
    assert fault in found
    assert bool(fault) == bool(found)


def test_silence_begins_at_the_last_answer():
    held_before = [Torques([3.0], True), Torques([1.0], False), Torques([2.0], True)]
    assert not fault_of("ramp_to_zero", [*held_before, *(Torques([x], False) for x in (2.0, 1.0, 0.0))])


def test_torques_of_large_trees_are_those_of_pinocchio(monkeypatch):
    urdf, count = tree_urdf(60, 3), 60
    q, v = state_at(count, NOW)
    theirs = Oracle(urdf)
    monkeypatch.setattr(oracle, "MOST_FOR_PINOCCHIO", 0)
    large, names = Oracle(urdf), joint_names(count)
    terms = [one.terms(*(x[[names.index(n) for n in one.names]] for x in (q, v))) for one in (large, theirs)]
    order = [large.names.index(name) for name in theirs.names]
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


@pytest.mark.parametrize(
    ("growing", "too_much"),
    [((0, 0, 0), False), ((2, 0, 0), False), ((3, 0, 0), True), ((0, 1, 0), True), ((0, 0, 1), True)],
)
def test_growth_is_noticed(growing, too_much):
    samples = [Resources(100.0 + k * growing[0], 20 + k * growing[1], 10 + k * growing[2]) for k in range(30)]
    assert growth(samples)[1] == too_much
