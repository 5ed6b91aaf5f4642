"""dynamics_node with a robot of four joints, and a client of its services; ended after the test."""

from contextlib import ExitStack, closing

import numpy as np
import pytest
from modular_dynamics_interfaces import srv

import modular_dynamics as md
from helpers.nodes.changes.changing import request
from helpers.nodes.dynamics_harness import NAMES as JOINTS
from helpers.nodes.dynamics_harness import Harness, Q, V

NAMES = {
    "SetPayload": "set_payload",
    "AttachSubsystem": "attach_subsystem",
    "DetachSubsystem": "detach_subsystem",
    "LockJoints": "lock_joints",
}

LOAD = 2.0, (0.1, 0.0, 0.05), (0.01, 0.02, 0.015)  # mass, com, moments


class Client(Harness):
    """Calls the services."""

    def call(self, kind, **fields):
        """The response to a request with these fields, as of `helpers.nodes.changes.changing.request`."""
        asked, service = request(getattr(srv, kind), **fields), f"dynamics_node/{NAMES[kind]}"
        client = self.client(getattr(srv, kind), service)
        future = client.call_async(asked)
        self.spin_until(future.done)
        self.probe.destroy_client(client)
        return future.result()

    def graph(self):
        """In force."""
        return self.node.session.robot.graph

    def is_answered_by(self, graph):
        """The answers are those of a graph, to the bit, and its joints are named in its order."""
        values = dict(zip(JOINTS, zip(Q, V, strict=True), strict=True))
        q, v = np.array([values[name] for name in graph.joint_names]).T
        answer = self.answer()
        assert tuple(answer.name) == graph.joint_names
        assert answer.effort.tolist() == md.inverse_dynamics(graph, q, v, np.zeros(graph.nv)).tolist()


@pytest.fixture
def make(four_link):
    def client(**parameters):
        given = {"robot_description_file": four_link} | parameters
        return ended.enter_context(closing(Client(**given)))

    with ExitStack() as ended:
        yield client


@pytest.fixture
def active(make):
    return make().activate()


@pytest.fixture
def load():
    """Mass, centre of mass and moments of a payload."""
    return LOAD


@pytest.fixture
def loaded():
    """A graph with that payload on left_branch."""

    def change(graph):
        mass, com, moments = LOAD
        return graph.with_payload("left_branch", mass=mass, com=com, inertia=np.diag(moments))

    return change
