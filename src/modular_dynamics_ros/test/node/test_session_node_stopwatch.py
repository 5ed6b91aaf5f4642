"""Time since an event, while clocks are set, stand still, or begin anew."""

import pytest

from modular_dynamics_ros.node.session_node import Stopwatch

pytestmark = pytest.mark.ros
S = 1_000_000_000  # [ns]


class Node:
    def __init__(self, *, simulated):
        self.simulated, self.clock, self.monotonic = simulated, 0.0, 0.0

    def now(self):
        return round(self.clock * S)

    def steady(self):
        return round(self.monotonic * S)


def seconds(node, watch, clock, steady):
    node.clock, node.monotonic = clock, steady
    return watch.seconds()


def test_system_time_may_be_set():
    node = Node(simulated=False)
    watch = Stopwatch(node)
    for clock in (1e9, -3600.0, 5.0):
        assert seconds(node, watch, clock, 0.3) == pytest.approx(0.3)


def test_a_simulation_runs_at_its_own_pace():
    node = Node(simulated=True)
    watch = Stopwatch(node)
    assert seconds(node, watch, 0.01, 0.9) == pytest.approx(0.01)
    assert seconds(node, watch, 0.02, 1.8) == pytest.approx(0.02)
    assert seconds(node, watch, 5.0, 1.9) == pytest.approx(5.0)
    assert seconds(node, watch, 1.0, 1.9) == 0.0  # it starts again
    assert seconds(node, watch, 1.5, 2.0) == pytest.approx(0.5)


def test_a_simulation_that_stands_still_is_noticed():
    node = Node(simulated=True)
    watch = Stopwatch(node)
    assert seconds(node, watch, 0.1, 0.5) == pytest.approx(0.1)
    assert seconds(node, watch, 0.1, 1.4) == pytest.approx(0.1)
    assert seconds(node, watch, 0.1, 1.6) == pytest.approx(1.1)
    assert seconds(node, watch, 0.2, 1.7) == pytest.approx(0.2)
