"""Commands with a stamp and names, beside the vector that has neither."""

from unittest.mock import MagicMock

import numpy as np
import pytest

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node import outputs as outputs_module
from modular_dynamics_ros.node.outputs import Outputs

pytestmark = pytest.mark.ros
TOPIC = "~/stamped_effort_commands"


@pytest.mark.parametrize("controller_joints", [(), ("grip", "turn")])
def test_the_stamped_twin_has_the_names_of_the_commands(controller_joints, monkeypatch):
    monkeypatch.setattr(outputs_module, "LOOK_PERIOD", 0)
    node, indices = lone_node(), {"turn": 0, "bend": 1, "grip": 3}
    outputs, stamp = Outputs(node, controller_joints, indices, "it has"), 7_000_000_009
    efforts = np.array([1.0, 2.0, 3.0, 4.0])
    outputs._publish_commands(efforts, stamp)
    assert node.sent[TOPIC] == []  # nobody listens
    outputs._stamped_publisher.get_subscription_count = MagicMock(return_value=1)
    outputs._publish_commands(efforts, stamp)
    (message,) = node.sent[TOPIC]
    names = list(controller_joints or indices)
    assert (message.header.stamp, message.name) == (stamp_message(stamp), names)
    assert message.effort.tolist() == [efforts[indices[name]] for name in names]
    assert message.effort == node.sent["~/effort_commands"][-1].data
    assert len(message.position) == len(message.velocity) == 0


def test_subscribers_that_stand_still_delay_the_end_once_and_not_on_each_topic(monkeypatch):
    outputs, now = Outputs(lone_node(), (), {"turn": 0}, "it has"), 10**9

    def wait(timeout):
        nonlocal now
        now += timeout.nanoseconds

    monkeypatch.setattr(outputs_module.time, "monotonic_ns", lambda: now)
    outputs._publishers = [MagicMock(wait_for_all_acked=wait) for _ in range(40)]
    outputs.wait_until_received()
    assert now == 10**9 + outputs_module.RECEIPT
