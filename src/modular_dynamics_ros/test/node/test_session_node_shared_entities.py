"""Publishers and subscriptions that sessions of one node share."""

import pytest

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.node.session_node import SharedEntities

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
