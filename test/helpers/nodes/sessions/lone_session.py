"""A session of dynamics_node without DDS, with a clock that the test sets."""

import numpy as np
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V
from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

S = 1_000_000_000  # [ns]


class LoneSession(DynamicsSession):
    """An active session; times are in s of the node's clock. `subscribed`: topics that have a subscriber."""

    def __init__(self, description, subscribed=(), **parameters):
        table = DynamicsParameters(**parameters)
        node = lone_node(subscribed, table.stale_after)
        super().__init__(node, self.load(str(description), table), table)
        self.activate(None)

    @property
    def node(self):
        """The node: its clock, its log, and what was published."""
        return self._node

    @property
    def torques(self):
        """All messages on ~/joint_torques."""
        return self._node.sent["~/joint_torques"]

    @property
    def stamps(self):
        """The stamps of all torques [s]."""
        return [stamp_nanoseconds(one.header.stamp) / S for one in self.torques]

    def send(self, now, stamp=None, arrival=None, names=NAMES, q=Q, v=V, effort=()):
        """Receive a joint state; return the messages of torques that are published then."""
        self._node.time, before = round(now * S), len(self.torques)
        numbers = {"position": q, "velocity": v, "effort": effort}
        message = JointState(name=list(names), **{k: np.array(x, float).tolist() for k, x in numbers.items()})
        message.header.stamp = stamp_message(round((now if stamp is None else stamp) * S))
        self.receive(message, message_info(round((now if arrival is None else arrival) * S)))
        return self.torques[before:]

    def watch(self, now):
        """Look for stale input; return the torques that are published."""
        self._node.time, before = round(now * S), len(self.torques)
        self.on_watch()
        return self.torques[before:]
