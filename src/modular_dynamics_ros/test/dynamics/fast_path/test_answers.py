"""Usual answers are those of the computation, and change nothing where there is none."""

import numpy as np
import pytest

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival
from modular_dynamics_ros.dynamics.fast_path.answers import FastAnswers

NOW, MS = 1_700_000_000_000_000_000, 1_000_000


def pair(robot, possible=True, **settings):
    """A computation, and the usual answers of another one."""
    one, other = (Computation(robot, ComputationSettings(**settings)) for _ in range(2))
    usual = FastAnswers(other)
    assert usual.are_possible() == possible
    return one, other, usual


def states(joints, count):
    rng = np.random.default_rng(joints)
    for k in range(count):
        yield NOW + k * MS + int(rng.integers(-100_000, 100_000)), *rng.normal(size=(2, joints))


@pytest.mark.parametrize("source", ["zero", "filtered"])
@pytest.mark.parametrize("name", ["four_link", "branched_38dof"])
def test_answers_are_those_of_the_computation(root, name, source):
    one, other, usual = pair(load_robot(root / f"urdf/{name}.urdf"), acceleration_source=source)
    starting = 6 if source == "filtered" else 0
    for k, (stamp, q, v) in enumerate(states(len(one.robot.state_names), 40)):
        if k < starting:
            assert usual.at(stamp, q, v) is None
            for each in (one, other):
                each.accelerations.filter.update(stamp, v)
            continue
        expected = one.compute(one.observe(stamp, q, v), stamp, None)
        answer = usual.at(stamp, q, v)
        assert answer.state.stamp == stamp
        for part in ("q", "v", "a", "measured"):
            np.testing.assert_array_equal(getattr(answer.state, part), getattr(expected.state, part))
        np.testing.assert_array_equal(answer.effort, expected.effort)
        np.testing.assert_array_equal(answer.exceeded, expected.exceeded)
        np.testing.assert_array_equal(answer.dynamics.joint_wrenches, expected.dynamics.joint_wrenches)
        assert answer.configuration[2:] == expected.configuration[2:]
        assert (answer.wrenches, other.positions(None)) == (expected.wrenches, one.positions(None))


def test_a_state_without_an_answer_leaves_no_trace(root):
    one, other, usual = pair(load_robot(root / "urdf/four_link.urdf"), acceleration_source="filtered")
    series = list(states(4, 12))
    for stamp, _, v in series[:8]:
        for each in (one, other):
            each.accelerations.filter.update(stamp, v)
    stamp, q, v = series[8]
    with np.errstate(all="ignore"):
        for bad_q, bad_v in ((np.full(4, np.nan), v), (q, np.full(4, np.inf)), (q, np.full(4, 1e200))):
            assert usual.at(stamp, bad_q, bad_v) is None
    other.wrenches.take_external("left_branch", np.ones(6), Arrival(stamp, 0))
    assert usual.at(stamp, q, v) is None
    assert not usual.are_possible()
    other.wrenches.clear()
    assert usual.at(series[7][0], q, v) is None  # the same stamp again
    assert other.positions(None) == {}
    for stamp, q, v in series[8:]:
        expected = one.compute(one.observe(stamp, q, v), stamp, None)
        np.testing.assert_array_equal(usual.at(stamp, q, v).effort, expected.effort)


@pytest.mark.parametrize("name", ["crane", "exoskeleton"])
def test_closed_loops_have_none(root, name):
    computation = Computation(load_robot(root / f"urdf/{name}.urdf"), ComputationSettings())
    assert not FastAnswers(computation).are_possible()


def test_black_boxes_and_floating_bases_have_none(root, boxed_branch):
    floating = load_robot(root / "urdf/four_link.urdf", base_source="odometry")
    for robot in (load_robot(root / "urdf/four_link.urdf", boxed_branch), floating):
        pair(robot, possible=False)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("output", "gravity"),
        ("friction", "urdf"),
        ("effort_limits", "scale"),
        ("acceleration_source", "reference"),
    ],
)
def test_other_settings_have_none_once_asked_again(root, setting, value):
    _, other, usual = pair(load_robot(root / "urdf/four_link.urdf"))
    other.apply_settings(ComputationSettings(**{setting: value}))
    assert not usual.are_possible()


def test_another_gravity_counts_once_asked_again(root):
    one, other, usual = pair(load_robot(root / "urdf/four_link.urdf"))
    for each in (one, other):
        each.set_gravity((0.0, 0.0, -1.62))
    assert usual.are_possible()
    stamp, q, v = next(states(4, 1))
    expected = one.compute(one.observe(stamp, q, v), stamp, None)
    np.testing.assert_array_equal(usual.at(stamp, q, v).effort, expected.effort)


def test_wrenches_that_are_read_late_are_those_of_the_answer(root):
    """They are computed when they are read: after other answers, and at another gravity."""
    one, other, usual = pair(load_robot(root / "urdf/four_link.urdf"))
    series = [*states(4, 3)]
    expected = [one.compute(one.observe(stamp, q, v), stamp, None).dynamics for stamp, q, v in series]
    found = [usual.at(*each).dynamics for each in series]
    other.set_gravity((0.0, 0.0, -1.62))
    assert usual.are_possible()
    usual.at(NOW + 20 * MS, *series[0][1:])
    for dynamics, its in zip(reversed(found), reversed(expected), strict=True):
        np.testing.assert_array_equal(dynamics.joint_wrenches, its.joint_wrenches)
        np.testing.assert_array_equal(dynamics.connection_wrench(1)[1], its.connection_wrench(1)[1])
        np.testing.assert_array_equal(dynamics.result.tau, dynamics.torques)
