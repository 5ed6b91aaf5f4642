"""Comparison with Pinocchio: what can be compared, when, what is shown, and when torques are held back."""

import numpy as np
import pytest

import modular_dynamics as md
import modular_dynamics.crosscheck
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import (
    AGREEMENTS,
    CrossCheckMonitor,
    PinocchioCheck,
    crosscheck_status,
)
from modular_dynamics_ros.messages.status import ERROR


def test_a_robot_can_be_compared(four_link):
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == ""


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


def test_every_tenth_of_200_hz_at_20_hz():
    monitor = CrossCheckMonitor(rate=20.0, threshold=1e-9)
    due = [k for k in range(201) if monitor.due(k * 0.005 + 1e-7 * k)]
    assert len(due) == pytest.approx(21, abs=1)
    assert due[:2] == [0, 10]


def test_it_keeps_the_worst_and_judges_the_last():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    assert not monitor.disagrees
    monitor.add({"arm": 1e-3, "base": 0.0}, {"arm": 0.5, "base": 0.1})
    assert monitor.disagrees
    monitor.add({"arm": 1e-12}, {"arm": 0.1, "base": 0.2})
    assert not monitor.disagrees
    assert (monitor.worst_relative, monitor.worst) == (1e-3, {"arm": 0.5, "base": 0.2})
    for difference in (0.5, float("nan"), 0.7):
        monitor.add({"arm": difference, "base": 0.6}, {"arm": difference})
        assert monitor.where == ("arm" if difference != 0.5 else "base")
        assert monitor.disagrees
    assert np.isnan([monitor.worst_relative, monitor.worst["arm"]]).all()  # from one on


def stopped():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    monitor.add({"arm": 1.1e-9}, {})
    assert monitor.stopped
    return monitor


def test_torques_return_after_ten_agreements_in_a_row_well_below_the_threshold():
    monitor = stopped()
    for relative in [*[1e-12] * (AGREEMENTS - 1), 0.6e-9]:  # below the threshold, but not by half
        monitor.add({"arm": relative}, {})
        assert monitor.stopped
    for k in range(AGREEMENTS):
        assert monitor.stopped
        assert monitor.due(k * 1e-9)  # whatever the rate is
        monitor.add({"arm": 0.4e-9}, {})
    assert not monitor.stopped


def test_a_comparison_that_fails_neither_stops_nor_releases():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    monitor.add_failure("IndexError")
    assert not monitor.stopped
    monitor = stopped()
    for _ in range(2 * AGREEMENTS):
        monitor.add_failure("IndexError")
    assert monitor.stopped
    assert crosscheck_status(monitor, "").level == ERROR


@pytest.mark.parametrize(
    ("settings", "still"),
    [((1.0, 1e-9, True), True), ((0.0, 1e-9, True), False), ((1.0, 1e-9, False), False)],
)
def test_settings_that_hold_nothing_back_release_at_once(settings, still):
    monitor = stopped()
    monitor.change(*settings[:2], stops=settings[2])
    assert monitor.stopped == still
