"""Answers that disagree with Pinocchio are not published; what is published before the node stops."""

import gc
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import modular_dynamics.crosscheck
from helpers.nodes.dynamics_harness import expected
from helpers.nodes.sessions.lone_session import LoneSession
from modular_dynamics_ros.dynamics import crosscheck
from modular_dynamics_ros.dynamics.crosscheck import AGREEMENTS, PinocchioCheck
from modular_dynamics_ros.messages.status import ERROR, OK, WARN

MS = 1_000_000


class Wrong:
    """Pinocchio's torques, and where `by` is not zero, an error of that part in the right arm."""

    unavailable = ""

    def __init__(self, check, by):
        self.check, self.by = check, by

    def __call__(self, answer):
        residual = self.check(answer)
        return replace(residual, of_terms=residual.of_terms | {"right_branch": self.by})


class Session(LoneSession):
    """A session whose states come every millisecond; `wrong` is what its answers are compared with."""

    def __init__(self, description, **parameters):
        super().__init__(description, **({"crosscheck_rate": 1000.0} | parameters))
        self.wrong = self.crosschecks.check = Wrong(self.crosschecks.check, 0.0)

    def answer(self):
        """The number of messages that a state brings."""
        return len(self.send(1e-9 * (self.node.time + MS)))

    def status(self, name):
        return next(status for status in self.statuses() if status.name == name)

    @property
    def logged(self):
        return [call.args[0] for call in self.node.log._logger.error.call_args_list]


@pytest.fixture(autouse=True)
def always_due(monkeypatch):
    """Each state comes later than the one before, by the monotonic clock too."""
    ticks = iter(range(10**9))
    monkeypatch.setattr(crosscheck, "time", SimpleNamespace(monotonic=lambda: 1.0 * next(ticks)))


def test_a_difference_of_a_millionth_stops_the_torques_until_ten_states_agree(four_link):
    session = Session(four_link)
    assert [session.answer() for _ in range(3)] == [1] * 3
    assert session.status("cross-check").level == OK
    session.wrong.by = 1e-6
    assert [session.answer() for _ in range(5)] == [0] * 5
    status = session.status("cross-check")
    assert status.level == ERROR
    assert "'right_branch' differ from Pinocchio's by 1.0e-06" in status.message
    assert "threshold 1.0e-09" in status.message
    assert status.values["answers held back by the cross-check"] == "5"
    session.wrong.by = 0.0
    assert [session.answer() for _ in range(AGREEMENTS + 1)] == [0] * (AGREEMENTS - 1) + [1] * 2
    assert session.status("cross-check").level == OK
    (line,) = session.logged
    assert "'right_branch' differ from Pinocchio's by 1.0e-06" in line
    assert "held back until 10 in a row agree" in line
    assert session.record.counts.processed == 5


def test_a_held_position_is_compared_too(four_link):
    session = Session(four_link, on_stale="hold_gravity", stale_after=0.1)
    session.answer()
    session.node.time += 200 * MS
    session.on_watch()
    assert len(session.torques) == 2
    session.wrong.by = 1e-6
    session.on_watch()
    assert len(session.torques) == 2


def test_held_positions_do_not_let_the_torques_go_again(four_link):
    session = Session(four_link, on_stale="hold_gravity")
    session.answer()
    session.wrong.by = 1e-6
    session.answer()
    session.wrong.by = 0.0  # at rest all agrees
    session.node.time += 10**9
    count = len(session.torques)
    for _ in range(2 * AGREEMENTS):
        session.on_watch()
    assert len(session.torques) == count
    assert session.crosschecks.stopped


@pytest.mark.parametrize("torque", [0.0, 1e-6])
def test_tiny_torques_are_no_disagreement(four_link, torque):
    """At rest without gravity, and with so little of it that torques are a millionth."""
    session = Session(four_link, gravity=(0.0, 0.0, -9.81 * torque))
    for _ in range(20):
        assert session.answer() == 1
    assert session.crosschecks.count == 20


def test_nothing_is_built_without_a_rate(four_link, monkeypatch):
    monkeypatch.setattr(PinocchioCheck, "of", None)
    assert LoneSession(four_link, crosscheck_rate=0.0).statuses()[2].message == "off"


def test_a_robot_beyond_the_largest_is_not_compared_and_that_is_said(four_link, monkeypatch):
    monkeypatch.setattr(modular_dynamics.crosscheck, "CrossCheck", None)  # not even tried
    monkeypatch.setattr("modular_dynamics_ros.dynamics.crosscheck.LARGEST_COMPARED", 3)
    status = LoneSession(four_link).statuses()[2]
    assert (status.level, status.message) == (
        WARN,
        "not possible: it has 4 velocities; up to 3 are compared",
    )


def ramp(session, until=lambda: False):
    session.torques.clear()
    gc.collect()  # not meanwhile: that takes longer than the ramp
    began = time.perf_counter()
    session.wind_down(until)
    return np.array([message.effort for message in session.torques]), time.perf_counter() - began


def test_a_ramp_that_has_begun_goes_on_from_there(four_link):
    session = Session(four_link, on_stale="ramp_to_zero", ramp_time=0.2, stale_after=0.1)
    session.answer()
    for later in (101 * MS, 159 * MS):
        session.node.time += later
        session.on_watch()
    efforts, took = ramp(session)
    assert took < 0.15
    assert (efforts[:, 0] / expected(four_link)[0]).max() < 0.2
