from dataclasses import replace

import numpy as np

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.diagnostics.statuses import MessageCounts
from modular_dynamics_ros.dynamics.session import output_status
from modular_dynamics_ros.messages.status import OK, WARN


def test_output_reports_latency_limits_and_source(four_link):
    computation = Computation(load_robot(four_link), ComputationSettings(effort_limits="clip"))
    counts = MessageCounts(answered=2)
    counts.latency.add(0, 1_000_000)
    counts.latency.add(10_000_000, 3_000_000)
    counts.limited["bend"] = 1
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
