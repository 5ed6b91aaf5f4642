import numpy as np
import pytest

from modular_dynamics_ros.diagnostics.statuses import LatencyWindow, MessageCounts, input_status, summarise
from modular_dynamics_ros.messages.status import ERROR, OK, WARN

pytestmark = pytest.mark.ros


def test_input_levels():
    counts = MessageCounts(received=10)
    counts.rejected["not finite"] = 3
    waiting = input_status(counts, [], None, stale="")
    assert (waiting.level, waiting.values["time since last answer, or first joint state [s]"]) == (
        WARN,
        "none yet",
    )
    good = input_status(counts, [], 0.01, stale="")
    assert good.level == OK
    assert good.values["messages in"] == "10"
    assert good.values["time since last answer, or first joint state [s]"] == "0.010"
    assert good.values["messages rejected"] == "3"
    assert good.values["rejected: not finite"] == "3"
    warned = input_status(counts, ["joint_states: position of 'a' is NaN"], 0.01, stale="")
    assert (warned.level, warned.message) == (WARN, "joint_states: position of 'a' is NaN")
    stale = input_status(counts, ["x"], 2.5, stale="joint states are stale")
    assert (stale.level, stale.message) == (ERROR, "joint states are stale; x")


def test_percentiles_are_values_that_occurred():
    summary = summarise(np.arange(1, 101) * 1_000_000, np.arange(100) * 10_000_000)
    assert (summary.count, summary.p50, summary.p99, summary.max) == pytest.approx((100, 0.050, 0.099, 0.100))
    assert summary.rate == pytest.approx(100.0)  # 99 intervals of 10 ms


def test_nothing_yet_is_nan_not_zero():
    summary = LatencyWindow().summary()
    assert summary.count == 0
    assert np.isnan([summary.rate, summary.p50, summary.p99, summary.max]).all()


def test_window_forgets_the_oldest_and_keeps_the_order_of_arrival():
    window = LatencyWindow(size=4)
    for k in range(10):
        window.add(arrival_ns=k * 1_000_000_000, latency_ns=k)
    summary = window.summary()
    assert (summary.count, summary.max, summary.p50) == pytest.approx((4, 9e-9, 7e-9))
    assert summary.rate == pytest.approx(1.0)
