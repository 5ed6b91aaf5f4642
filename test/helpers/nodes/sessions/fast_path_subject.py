"""Sessions of dynamics_node with nodes of their own, which get joint states of many kinds."""

from dataclasses import replace

import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

NAMES = ["turn", "bend", "left", "right"]
MS = 1_000_000
START = 1_700_000_000_000_000_000
ODD = ["partly", "stranger", "broken", "huge", "at rest", "short", "efforts", "few efforts"]
ODD += ["another time", "unstamped"]


class Subject:
    """A session with a node of its own."""

    def __init__(self, description, *, usual, subscribed, **parameters):
        self.node = lone_node(subscribed)
        self.node.time = START
        self.table = DynamicsParameters(crosscheck_rate=0.0, **parameters)
        self.session = DynamicsSession(self.node, DynamicsSession.load(description, self.table), self.table)
        self.session.activate(None)
        self.answered, self.source = 0, self.table.acceleration_source
        answer = self.session._fast_path.answer
        if not usual:
            self.session._fast_path.answer = lambda data, since=0, number=0, *, rehearsal=False: None
            return

        def counted(data, since=0, number=0, *, rehearsal=False):
            found = answer(data, since, number, rehearsal=rehearsal)
            self.answered += found is not None and not rehearsal
            return found

        self.session._fast_path.answer = counted

    def receive(self, message, info):
        """As `JointStateArrivals` does it."""
        if not self.session.answer(serialize_message(message), info, 0):
            self.session.receive(message, info)

    def set(self, **change):
        self.table = replace(self.table, **change)
        self.session.set_parameters(self.table)

    @property
    def seen(self):
        """All that others can see of it."""
        counts = vars(self.session.record.counts) | {"latency": None}
        last = self.session.last_published
        described = self.session.computation.accelerations.description(None)
        state = None if last is None else (last.state.stamp, last.state.q.tolist(), last.state.a.tolist())
        return counts, self.session.positions, described, state, self.session.record.missing


def joint_state(rng, now, kind):
    """A random joint state, "usual" or of a kind of ODD, with the stamp `now` [ns] but for "another time"."""
    names, stamp = list(NAMES), now
    if kind in ("turned round", "partly"):
        rng.shuffle(names)
    names = names[:3] if kind == "partly" else [*names, "stranger"] if kind == "stranger" else names
    q, v = rng.normal(size=(2, len(names)))
    message = JointState(name=names, position=q.tolist(), velocity=v.tolist())
    if kind == "broken":
        field, value = rng.choice(["position", "velocity"]), rng.choice([np.nan, np.inf])
        getattr(message, field)[int(rng.integers(len(names)))] = value
    elif kind == "huge":
        message.velocity[0] = 1e200
    elif kind == "at rest":
        message.velocity = []
    elif kind == "short":
        message.velocity = [0.0]
    elif kind == "efforts":
        message.effort = rng.normal(size=len(names)).tolist()
    elif kind == "few efforts":
        message.effort = [1.0]
    elif kind == "another time":
        stamp += int(rng.choice([-400, -30, -2, 30, 400])) * MS
    if kind != "unstamped":
        message.header.stamp = stamp_message(stamp)
    return message
