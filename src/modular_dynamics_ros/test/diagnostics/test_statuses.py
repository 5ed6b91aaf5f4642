import numpy as np
import pytest

from modular_dynamics_ros.computation.open_chain import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.diagnostics.status import ERROR, OK, WARN
from modular_dynamics_ros.diagnostics.statuses import (
    Tally,
    crosscheck_status,
    input_status,
    output_status,
)
from modular_dynamics_ros.dynamics.crosscheck_monitor import CrossCheckMonitor
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

pytestmark = pytest.mark.ros


def test_input_levels():
    tally = Tally(received=10)
    tally.rejected["not finite"] = 3
    assert input_status(tally, [], None, stale=False).level == WARN
    good = input_status(tally, [], 0.01, stale=False)
    assert good.level == OK
    assert good.values["messages in"] == "10"
    assert good.values["messages rejected"] == "3"
    assert good.values["rejected: not finite"] == "3"
    warned = input_status(tally, ["joint_states: position of 'a' is NaN"], 0.01, stale=False)
    assert (warned.level, warned.message) == (WARN, "joint_states: position of 'a' is NaN")
    stale = input_status(tally, ["x"], 2.5, stale=True)
    assert stale.level == ERROR
    assert "2.50 s ago" in stale.message


def test_output_tells_latency_limits_and_source(four_link):
    computation = Computation(load_robot(four_link), DynamicsParameters(effort_limits="clip"))
    tally = Tally(answered=2)
    tally.latency.add(0, 1_000_000)
    tally.latency.add(10_000_000, 3_000_000)
    tally.count_limits(np.array([False, True, False, False]))
    status = output_status(tally, computation)
    assert status.level == OK
    assert (status.values["rate [Hz]"], status.values["latency p99 [ms]"]) == ("100.00", "3.000")
    assert status.values["effort limit of bend reached in"] == "1 answers"
    assert status.values["acceleration source"] == "zero: accelerations are taken as zero"
    computation.exceeded[1] = True
    assert output_status(tally, computation).level == WARN


def test_crosscheck_levels():
    monitor = CrossCheckMonitor(rate=0.0, threshold=1e-9)
    assert (crosscheck_status(monitor, "").level, crosscheck_status(monitor, "").message) == (OK, "off")
    monitor.rate = 1.0
    assert crosscheck_status(monitor, "Pinocchio cannot be imported").level == WARN
    monitor.take(1e-15, {"stem": 1e-14})
    assert crosscheck_status(monitor, "").level == OK
    assert crosscheck_status(monitor, "").values["worst difference of stem [N m or N]"] == "1.000e-14"
    monitor.take(1e-3, {"stem": 1.0})
    assert crosscheck_status(monitor, "").level == ERROR
