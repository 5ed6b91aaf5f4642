"""Joint states that the middleware lost are a warning in the next status, the first ones as all others."""

from contextlib import closing

import pytest

from helpers.nodes.dynamics_harness import Harness
from modular_dynamics_ros.messages.status import OK, WARN
from modular_dynamics_ros.node.robot_node import SUCCESS

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def arrivals_status(node):
    _, statuses = node.report()
    return next(status for status in statuses if status.name == "joint_states")


def test_each_loss_is_one_warning_with_the_number_of_new_ones(four_link):
    with closing(Harness(robot_description_file=four_link).activate()) as harness:
        node = harness.node
        for lost, new in ((0, 0), (3, 3), (3, 0), (5, 2)):
            node._lost = lost
            status = arrivals_status(node)
            assert status.level == (WARN if new else OK)
            assert status.message == (f"{new} joint states were lost on the way" if new else "received")
            assert status.values == {"lost on the way": str(lost)}
        node._lost = None  # a second publisher has come
        assert arrivals_status(node).level == OK
        node._lost = 5
        assert arrivals_status(node).level == WARN
        assert node.trigger_deactivate() == SUCCESS
        assert node.trigger_activate() == SUCCESS  # from now on it counts anew
        node._lost = 2
        assert arrivals_status(node).message == "2 joint states were lost on the way"
