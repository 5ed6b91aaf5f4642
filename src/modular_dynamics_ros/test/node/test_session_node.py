"""What sessions of one node share: newest values of joints, publishers and subscriptions, the time."""

import pytest

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.node.session_node import SharedEntities, Stopwatch

pytestmark = pytest.mark.ros


@pytest.fixture
def node():
    return lone_node()


def test_a_publisher_lives_as_long_as_one_session_uses_it(node):
    shared = SharedEntities(node, lambda: 0.2)
    first, second = (shared.create_lifecycle_publisher(str, "~/torques", 10) for _ in range(2))
    other = shared.create_lifecycle_publisher(str, "~/wrench", 10)
    assert first is second is not other
    shared.destroy_lifecycle_publisher(first)
    node.destroy_lifecycle_publisher.assert_not_called()
    shared.destroy_lifecycle_publisher(first)
    node.destroy_lifecycle_publisher.assert_called_once_with(first)
    assert shared.create_lifecycle_publisher(str, "~/torques", 10) is not first


def test_messages_go_to_the_newest_session_and_back_when_it_leaves(node):
    shared, got = SharedEntities(node, lambda: 0.2), []
    uses = [
        shared.create_subscription(str, "reference", lambda message, info, k=k: got.append((k, message)), 10)
        for k in range(2)
    ]
    receive = node.create_subscription.call_args.args[2]
    node.create_subscription.assert_called_once()
    receive("x", {})
    shared.destroy_subscription(uses[1])
    receive("y", {})
    shared.destroy_subscription(uses[0])
    assert got == [(1, "x"), (0, "y")]
    node.destroy_subscription.assert_called_once_with(node.create_subscription.return_value)


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
