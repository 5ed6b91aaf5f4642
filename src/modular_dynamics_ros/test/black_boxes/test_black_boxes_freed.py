"""A session that was replaced leaves no memory behind: robots may follow each other fast."""

import gc
import weakref

import pytest

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

pytestmark = pytest.mark.ros


def test_a_session_that_is_destroyed_is_freed_without_the_collector(four_link):
    node, table = lone_node(), DynamicsParameters()
    session = DynamicsSession(node, DynamicsSession.load(four_link, table), table)
    session.activate(None)
    alive = weakref.ref(session), weakref.ref(session.computation), weakref.ref(session.boxes)
    session.destroy()
    node.reset_mock()
    gc.disable()
    try:
        del session
        assert [one() for one in alive] == [None] * 3
    finally:
        gc.enable()
