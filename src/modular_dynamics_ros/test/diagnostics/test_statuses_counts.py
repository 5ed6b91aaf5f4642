import numpy as np
import pytest

from modular_dynamics_ros.diagnostics.statuses import LatencyWindow, summarise


def test_percentiles_are_values_that_occurred():
    summary = summarise(np.arange(1, 101) * 1_000_000, np.arange(100) * 10_000_000)
    assert (summary.count, summary.p50, summary.p99, summary.max) == pytest.approx((100, 0.050, 0.099, 0.100))
    assert summary.rate == pytest.approx(100.0)  # 99 intervals of 10 ms


def test_one_slow_answer_of_few_is_the_p99():
    assert summarise(np.array([1, 1, 1, 900_000_000]), np.arange(4)).p99 == pytest.approx(0.9)


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
    window.clear()
    assert window.summary().count == 0
