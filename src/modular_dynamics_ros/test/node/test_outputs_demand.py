"""Subscribers are noticed soon, and asked for rarely."""

from unittest.mock import MagicMock

import pytest

from modular_dynamics_ros.node import outputs as demand_module
from modular_dynamics_ros.node.outputs import Demand

pytestmark = pytest.mark.ros


def test_a_subscriber_is_noticed_a_look_later_and_asking_is_rare(monkeypatch):
    demand, publisher, now = Demand(), MagicMock(), 10**9
    monkeypatch.setattr(demand_module.time, "monotonic_ns", lambda: now)
    publisher.get_subscription_count.return_value = 0
    demand.add(publisher)
    for now in range(10**9, 10**9 + 10**8 + 1, 10**6):  # 1 kHz for 0.1 s
        if now == 10**9 + 5 * 10**7:
            publisher.get_subscription_count.return_value = 1
        demand.look()
        assert (publisher in demand.wanted) >= (now >= 10**9 + 7 * 10**7)
        assert (publisher in demand.wanted) <= (now >= 10**9 + 5 * 10**7)
    assert publisher.get_subscription_count.call_count == 6
