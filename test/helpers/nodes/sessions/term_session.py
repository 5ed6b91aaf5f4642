"""A session of dynamics_node with subscribers of what stands behind the torques; Pinocchio's forces."""

import numpy as np
import pinocchio
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

TOPICS = (
    "torque_terms",
    "joint_wrenches",
    "external_torques",
    "markers",
)
ALL = {f"~/{topic}" for topic in TOPICS}
Q, V = np.array([0.3, -0.5, 0.7, 0.2]), np.array([1.0, -2.0, 0.5, 0.1])
FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])


class Session(DynamicsSession):
    """A session whose topics in `subscribed` have a subscriber; it receives states at a time [s]."""

    def __init__(self, description, subscribed=ALL, **parameters):
        table = DynamicsParameters(**({"robot_description_file": "x", "crosscheck_rate": 0.0} | parameters))
        super().__init__(lone_node(subscribed), self.load(str(description), table), table)
        self.activate(None)

    def receive_at(self, time, q=Q, v=V, effort=(), names=None):
        self._node.time = round(1e9 * time)
        self._outputs.subscribed._next_look = 0
        given = {"position": q, "velocity": v, "effort": effort}
        message = JointState(
            name=list(names or self.robot.state_names),
            **{k: np.array(x, float).tolist() for k, x in given.items()},
        )
        self.receive(message, message_info(self._node.time))
        return self

    def sent(self, topic):
        return self._node.sent[f"~/{topic}"]

    def last(self, topic):
        return self.sent(topic)[-1]


def forces(tree, q, v, a, external=None):
    """Torques, and data.f (n, 6), of Pinocchio's rnea; external wrenches by body, at and in its frame."""
    loads = [pinocchio.Force.Zero() for _ in range(tree.model.njoints)]
    for body, wrench in (external or {}).items():
        loads[tree.ids[body]] += pinocchio.Force(wrench[:3], wrench[3:])
    tau = pinocchio.rnea(tree.model, tree.data, tree.q(q), tree.v(v), tree.v(a), loads)
    return tree.fold().T @ np.asarray(tau), np.array(
        [tree.data.f[tree.ids[k]].np for k in range(len(tree.graph.joints))]
    )


def vec6(wrench):
    f, m = wrench.force, wrench.torque
    return np.array([f.x, f.y, f.z, m.x, m.y, m.z])
