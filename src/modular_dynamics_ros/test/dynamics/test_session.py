from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.lone_node import lone_node, receive
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.diagnostics.statuses import MessageCounts
from modular_dynamics_ros.dynamics.session import DynamicsSession, OutputCounts, output_status
from modular_dynamics_ros.messages.status import ERROR, OK, WARN
from modular_dynamics_ros.parameters.nodes import DynamicsParameters


class Session(DynamicsSession):
    """A session that receives a state at one time [s], and looks for stale input at another."""

    def __init__(self, description, **parameters):
        super().__init__(lone_node(), description, DynamicsParameters(stale_after=0.1, **parameters))
        self.activate(None)

    def receive(self, time):
        self._node.time = round(1e9 * time)
        receive(self._node, "joint_states", JointState(name=NAMES, position=Q.tolist(), velocity=V.tolist()))

    def published_at(self, time):
        self._node.time, torques = round(1e9 * time), self._node.sent["~/joint_torques"]
        torques.clear()
        self._on_watch()
        return torques


@pytest.mark.parametrize(("on_stale", "count"), [("stop", 0), ("hold_gravity", 1), ("ramp_to_zero", 1)])
def test_what_is_published_while_no_state_comes(four_link, on_stale, count):
    session = Session(four_link, on_stale=on_stale)
    assert session.published_at(1.0) == []  # before the first state there is nothing to hold
    for time in (1.0, 2.0):
        session.receive(time)
        assert session.published_at(time + 0.1) == []
        assert session.statuses()[0].level == OK
        assert len(session.published_at(time + 0.1 + 1e-9)) == count
        assert "joint states are stale" in session.statuses()[0].message
        assert session.statuses()[0].level == ERROR
    session.receive(100.0)
    # the clock was set back, and time begins anew
    assert [len(session.published_at(time)) for time in (1.0, 1.1, 2.0)] == [0, 0, count]


def test_hold_gravity_keeps_the_last_position(four_link):
    session = Session(four_link, on_stale="hold_gravity")
    session.receive(1.0)
    for time in (2, 3):
        (held,) = session.published_at(time)
        assert held.effort == pytest.approx(expected(four_link, v=np.zeros(4)), abs=1e-13)
        assert (held.position.tolist(), held.velocity.tolist()) == (Q.tolist(), [0.0] * 4)
        assert held.header.stamp.sec == time


def test_the_ramp_falls_linearly_and_ends_with_one_zero(four_link):
    session = Session(four_link, on_stale="ramp_to_zero", ramp_time=2.0)
    for start in (0.0, 5.0):
        session.receive(start)
        for time, factor in ((0.6, 0.75), (1.1, 0.5), (3.0, 0.0)):
            (message,) = session.published_at(start + time)
            assert message.effort == pytest.approx(factor * expected(four_link), abs=1e-12)
        assert session.published_at(start + 4.0) == []


def test_output_reports_latency_limits_and_source(four_link):
    computation = Computation(load_robot(four_link), ComputationSettings(effort_limits="clip"))
    counts = MessageCounts(answered=2)
    counts.latency.add(0, 1_000_000)
    counts.latency.add(10_000_000, 3_000_000)
    outputs = OutputCounts(limited=Counter(bend=1))
    status = output_status(counts, outputs, computation, None)
    assert status.level == OK
    assert (status.values["rate [Hz]"], status.values["latency p99 [ms]"]) == ("100.00", "3.000")
    assert status.values["effort limit of bend reached in"] == "1 answers"
    assert status.values["acceleration source"] == "zero: accelerations are taken as zero"
    answer = computation.compute(computation.observe(1, np.zeros(4), np.zeros(4)), 1, None)
    assert output_status(counts, outputs, computation, answer).level == OK
    limited = replace(answer, exceeded=np.array([False, True, False, False]))
    status = output_status(counts, outputs, computation, limited)
    assert (status.level, status.message) == (WARN, "effort limit reached (clip): bend")
