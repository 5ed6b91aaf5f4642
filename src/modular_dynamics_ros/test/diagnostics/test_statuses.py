import numpy as np
import pytest

from modular_dynamics_ros.diagnostics.statuses import (
    LATENCIES,
    MessageCounts,
    answer_values,
    input_status,
    summarise,
)
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


def test_percentiles_are_values_that_occurred_and_without_any_nan():
    counts = MessageCounts()
    assert answer_values(counts, "")["latency p50 [ms]"] == "nan"
    for k in range(LATENCIES + 100):  # the first ones are forgotten
        counts.latencies.append((k * 10_000_000, max(k - LATENCIES + 1, 0) * 1_000_000))
    values = answer_values(counts, "")
    latencies = [values[f"latency {which} [ms]"] for which in ("p50", "p99", "max")]
    assert latencies == ["0.000", "90.000", "100.000"]
    assert values["rate [Hz]"] == "100.00"


def test_percentiles_are_of_the_nearest_rank():
    summary = summarise(np.arange(1, 101) * 1_000_000, np.arange(100) * 10_000_000)
    assert (summary.count, summary.p50, summary.p99, summary.max) == pytest.approx((100, 0.050, 0.099, 0.100))
