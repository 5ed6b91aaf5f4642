from dataclasses import replace

import numpy as np

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.settings import ComputationSettings
from modular_dynamics_ros.diagnostics.counts import MessageCounts
from modular_dynamics_ros.dynamics.crosscheck_monitor import CrossCheckMonitor
from modular_dynamics_ros.dynamics.status import crosscheck_status, output_status
from modular_dynamics_ros.messages.status import ERROR, OK, WARN


def test_output_reports_latency_limits_and_source(four_link):
    computation = Computation(load_robot(four_link), ComputationSettings(effort_limits="clip"))
    counts = MessageCounts(answered=2)
    counts.latency.add(0, 1_000_000)
    counts.latency.add(10_000_000, 3_000_000)
    counts.count_limits(np.array([False, True, False, False]))
    status = output_status(counts, computation, None)
    assert status.level == OK
    assert (status.values["rate [Hz]"], status.values["latency p99 [ms]"]) == ("100.00", "3.000")
    assert status.values["effort limit of bend reached in"] == "1 answers"
    assert status.values["acceleration source"] == "zero: accelerations are taken as zero"
    answer = computation.compute(computation.observe(1, np.zeros(4), np.zeros(4)), 1)
    assert output_status(counts, computation, answer).level == OK
    limited = replace(answer, exceeded=np.array([False, True, False, False]))
    status = output_status(counts, computation, limited)
    assert (status.level, status.message) == (WARN, "effort limit reached (clip): bend")


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
