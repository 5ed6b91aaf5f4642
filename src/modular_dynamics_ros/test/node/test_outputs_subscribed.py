"""Subscribers are noticed soon, and asked for rarely."""

from unittest.mock import MagicMock

import pytest

from modular_dynamics_ros.node import outputs
from modular_dynamics_ros.node.outputs import SubscribedPublishers

pytestmark = pytest.mark.ros


def test_a_subscriber_is_noticed_a_look_later_and_asking_is_rare(monkeypatch):
    subscribed, publisher, now = SubscribedPublishers(), MagicMock(), 10**9
    monkeypatch.setattr(outputs.time, "monotonic_ns", lambda: now)
    publisher.get_subscription_count.return_value = 0
    subscribed.add(publisher)
    for now in range(10**9, 10**9 + 10**8 + 1, 10**6):  # 1 kHz for 0.1 s
        if now == 10**9 + 5 * 10**7:
            publisher.get_subscription_count.return_value = 1
        subscribed.update()
        assert (publisher in subscribed.publishers) >= (now >= 10**9 + 7 * 10**7)
        assert (publisher in subscribed.publishers) <= (now >= 10**9 + 5 * 10**7)
    assert publisher.get_subscription_count.call_count == 6
