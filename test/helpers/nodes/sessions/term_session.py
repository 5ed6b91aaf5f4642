"""A session of dynamics_node whose torque terms, joint wrenches, external torques and markers are heard."""

import numpy as np

from helpers.nodes.dynamics_harness import Q, V
from helpers.nodes.sessions.lone_session import LoneSession

TOPICS = ("torque_terms", "joint_wrenches", "external_torques", "markers")
ALL = {f"~/{topic}" for topic in TOPICS}


class Session(LoneSession):
    """A session whose topics in `subscribed` have a subscriber; it receives states at a time [s]."""

    def __init__(self, description, subscribed=ALL, **parameters):
        super().__init__(description, subscribed, **({"crosscheck_rate": 0.0} | parameters))

    def receive_at(self, time, q=Q, v=V, effort=(), names=None):
        """Receive a joint state at a time [s]; return the session."""
        self._outputs.subscribed._next_look = 0
        self.send(time, names=names or self.robot.state_names, q=q, v=v, effort=effort)
        return self

    def sent(self, topic):
        """Return all messages of a topic, the last one at the end."""
        return self.node.sent[f"~/{topic}"]

    def last(self, topic):
        return self.sent(topic)[-1]


def vec6(wrench):
    """Return (force, moment) of a message."""
    f, m = wrench.force, wrench.torque
    return np.array([f.x, f.y, f.z, m.x, m.y, m.z])
