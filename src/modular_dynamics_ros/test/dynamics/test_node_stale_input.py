"""dynamics_node: what it does when joint states stop."""

import numpy as np
import pytest

from helpers.nodes.dynamics_harness import Q, expected
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_stop_publishes_nothing_and_says_so(make, capfd):
    harness = make(stale_after=0.1, on_stale="stop")
    harness.activate()
    harness.answer()
    count = len(harness.torques)
    status = harness.status("input", lambda s: s.level == b"\x02")
    assert "joint states are stale" in status.message
    assert len(harness.torques) == count
    harness.status("input", lambda s: s.level != b"\x02", meanwhile=harness.send)
    assert len(harness.torques) > count


def test_hold_gravity_keeps_the_last_position(make, four_link):
    harness = make(stale_after=0.1, on_stale="hold_gravity")
    harness.activate()
    last = harness.answer().header.stamp
    harness.spin_until(lambda: stamp_nanoseconds(harness.torques[-1].header.stamp) > stamp_nanoseconds(last))
    held = harness.torques[-1]
    assert held.effort == pytest.approx(expected(four_link, v=np.zeros(4)), abs=1e-13)
    assert held.position.tolist() == Q.tolist()
    assert held.velocity.tolist() == [0.0] * 4


def test_ramp_to_zero_falls_and_ends_at_zero(make, four_link):
    harness = make(stale_after=0.05, on_stale="ramp_to_zero", ramp_time=1.0)
    harness.activate()
    answer = harness.answer()
    first = harness.torques.index(answer)
    harness.spin_until(lambda: list(harness.torques[-1].effort) == [0.0] * 4)
    ramp = np.array([message.effort for message in harness.torques[first:]])
    factors = ramp @ ramp[0] / (ramp[0] @ ramp[0])
    assert ramp == pytest.approx(np.outer(factors, ramp[0]), abs=1e-12)  # one factor for all joints
    assert factors[0] == pytest.approx(1.0)
    assert (np.diff(factors) < 0.0).all()
    assert len(factors) > 3
