from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

import modular_dynamics as md
import modular_dynamics.crosscheck
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.dynamics.crosscheck import (
    MOST_COORDINATES,
    CrossCheckMonitor,
    PinocchioCheck,
    crosscheck_status,
)
from modular_dynamics_ros.messages.status import ERROR, OK, WARN


def test_a_robot_can_be_compared(four_link):
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == ""


def test_a_robot_whose_copy_in_pinocchio_would_fill_the_memory_is_not_compared(monkeypatch):
    built = MagicMock()
    monkeypatch.setattr(md.crosscheck, "CrossCheck", built)
    graph = SimpleNamespace(nv=MOST_COORDINATES + 1)
    check = PinocchioCheck.of(SimpleNamespace(graph=graph, closed=False, black_boxes=()))
    assert "151 coordinates" in check.unavailable
    assert not built.called


def test_a_check_that_fails_says_why(four_link, monkeypatch):
    def broken(*arguments):
        raise IndexError("out of range")

    monkeypatch.setattr(md.crosscheck.CrossCheck, "__call__", broken)
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == "IndexError: out of range"


def test_every_tenth_of_200_hz_at_20_hz():
    monitor = CrossCheckMonitor(rate=20.0, threshold=1e-9)
    due = [k for k in range(201) if monitor.due(k * 0.005 + 1e-7 * k)]
    assert len(due) == pytest.approx(21, abs=1)
    assert due[:2] == [0, 10]


def test_a_pause_is_not_made_up_for():
    monitor = CrossCheckMonitor(rate=10.0, threshold=1e-9)
    assert [monitor.due(t) for t in (0.0, 5.0, 5.01, 5.05, 5.2)] == [True, True, False, False, True]


def test_a_failure_is_counted_and_over_with_the_next_comparison():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    monitor.add_failure("IndexError: 7")
    assert (monitor.failed, monitor.failure, monitor.count) == (1, "IndexError: 7", 0)
    monitor.add(1e-12, {})
    assert (monitor.failed, monitor.failure, monitor.count) == (1, "", 1)


def test_rate_zero_is_off():
    assert not CrossCheckMonitor(rate=0.0, threshold=1e-9).due(1.0)


def test_it_keeps_the_worst_and_judges_the_last():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    assert not monitor.disagrees
    monitor.add(1e-3, {"arm": 0.5, "base": 0.1})
    assert monitor.disagrees
    monitor.add(1e-12, {"arm": 0.1, "base": 0.2})
    assert not monitor.disagrees
    assert (monitor.worst_relative, monitor.worst) == (1e-3, {"arm": 0.5, "base": 0.2})
    monitor.add(float("nan"), {})
    assert monitor.disagrees


def test_crosscheck_levels():
    monitor = CrossCheckMonitor(rate=0.0, threshold=1e-9)
    assert (crosscheck_status(monitor, "").level, crosscheck_status(monitor, "").message) == (OK, "off")
    monitor.rate = 1.0
    assert crosscheck_status(monitor, "Pinocchio cannot be imported").level == WARN
    monitor.add(1e-15, {"stem": 1e-14})
    assert crosscheck_status(monitor, "").level == OK
    assert crosscheck_status(monitor, "").values["worst difference of stem [N m or N]"] == "1.000e-14"
    monitor.add(1e-3, {"stem": 1.0})
    assert crosscheck_status(monitor, "").level == ERROR
