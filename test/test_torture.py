"""A short run of `make torture`, and whether its judge notices what is wrong."""

import os

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.processes import run_python
from modular_dynamics_ros.messages.stamps import stamp_message
from torture.harness import oracle
from torture.harness.judge import Judge
from torture.harness.motion import PERIOD, accelerations_at, state_at
from torture.harness.oracle import Oracle
from torture.harness.resources import Resources, growth
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally

pytestmark = pytest.mark.ros
JOINTS = 6
NOW = 1_800_000_000_123_456_789
URDF = tree_urdf(JOINTS)


@pytest.mark.slow
def test_a_short_run_finds_nothing_wrong_and_nothing_dead(root, tmp_path):
    environment = os.environ | {"COLUMNS": "120"}
    done = run_python("-m", "torture", "--short", "--out", tmp_path, cwd=root / "test", env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


@pytest.fixture
def judge(tmp_path):
    return Judge(Tally("test", tmp_path, 0), URDF, joint_names(JOINTS))


def answer(stamp=NOW, published=NOW, **changes):
    """The right answer to the state of a stamp, and what rclpy says of it."""
    graph = md.load_urdf(URDF)
    q, v = state_at(JOINTS, stamp)
    order = [joint_names(JOINTS).index(name) for name in graph.joint_names]
    tau = md.inverse_dynamics(graph, q[order], v[order], np.zeros(JOINTS))
    numbers = {"position": q[order], "velocity": v[order], "effort": tau} | changes
    message = JointState(name=list(graph.joint_names), **{k: list(map(float, x)) for k, x in numbers.items()})
    message.header.stamp = stamp_message(stamp)
    return message, {"source_timestamp": published}


def test_a_right_answer_is_right(judge):
    judge.on_answer(*answer())
    assert (judge.tally.right, judge.tally.wrong, judge.answered) == (1, 0, [NOW])


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
