"""Comparison with Pinocchio: what can be compared, when, what is shown, and when torques are held back."""

from types import SimpleNamespace

import numpy as np
import pytest

import modular_dynamics as md
import modular_dynamics.crosscheck
from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import AGREEMENTS, CrossChecks, PinocchioCheck
from modular_dynamics_ros.messages.status import ERROR


def test_a_check_that_fails_says_why(four_link, monkeypatch):
    def broken(*arguments):
        raise IndexError("out of range")

    monkeypatch.setattr(md.crosscheck.CrossCheck, "__call__", broken)
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == "IndexError: out of range"


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("name", ["charmie_torso", "crane", "exoskeleton", "four_bar", "slider_crank"])
def test_rounding_error_of_closed_loops_is_no_alarm(root, name, gravity):
    """Rods without mass carry nothing, and what is computed of them is rounding error of the other joints."""
    robot = load_robot(root / f"urdf/{name}.urdf", gravity=gravity)
    one, check = Computation(robot, ComputationSettings()), PinocchioCheck.of(robot)
    rng, rest = np.random.default_rng(0), np.zeros(len(robot.state_names))
    q = robot.graph.neutral()[[robot.graph.q_slice(joint).start for joint in robot.state_names]]
    answer = None
    for stamp in range(40):
        speed = (0.0, 1e-6, 1.0, 1e3)[stamp % 4]
        v = speed * rng.normal(size=len(rest))
        near = q + 0.005 * rng.normal(size=len(rest)) * min(stamp, 1)
        answer = one.compute(one.observe(stamp, near, v), stamp, answer)
        assert max(check(answer).of_terms.values()) < 1e-13


class Failing:
    """What no answer can be compared with."""

    unavailable = ""

    def __call__(self, answer):
        raise IndexError("out of range")


def made(rate=1.0):
    """The comparisons of a robot that is not asked for."""
    return CrossChecks(SimpleNamespace(closed=False), lone_node().log, Failing(), rate)


def test_every_tenth_of_200_hz_at_20_hz():
    one = made(20.0)
    due = [k for k in range(201) if one.due(k * 0.005 + 1e-7 * k)]
    assert len(due) == pytest.approx(21, abs=1)
    assert due[:2] == [0, 10]


def test_it_keeps_the_worst_and_judges_the_last():
    one = made()
    assert not one.disagrees
    one.add({"arm": 1e-3, "base": 0.0}, {"arm": 0.5, "base": 0.1})
    assert one.disagrees
    one.add({"arm": 1e-12}, {"arm": 0.1, "base": 0.2})
    assert not one.disagrees
    assert (one.worst_relative, one.worst) == (1e-3, {"arm": 0.5, "base": 0.2})
    for difference in (0.5, float("nan"), 0.7):
        one.add({"arm": difference, "base": 0.6}, {"arm": difference})
        assert one.where == ("arm" if difference != 0.5 else "base")
        assert one.disagrees
    assert np.isnan([one.worst_relative, one.worst["arm"]]).all()  # from one on


def stopped():
    one = made()
    one.add({"arm": 1.1e-9}, {})
    assert one.stopped
    return one


def test_torques_return_after_ten_agreements_in_a_row_well_below_the_threshold():
    one = stopped()
    for relative in [*[1e-12] * (AGREEMENTS - 1), 0.6e-9]:  # below the threshold, but not by half
        one.add({"arm": relative}, {})
        assert one.stopped
    for k in range(AGREEMENTS):
        assert one.stopped
        assert one.due(k * 1e-9)  # whatever the rate is
        one.add({"arm": 0.4e-9}, {})
    assert not one.stopped


def test_a_comparison_that_fails_neither_stops_nor_releases():
    one = made()
    assert one.admits(None)
    one = stopped()
    assert not any(one.admits(None) for _ in range(2 * AGREEMENTS))
    assert (one.failed, one.held_back) == (2 * AGREEMENTS,) * 2
    assert one.status().level == ERROR
