"""A node that receives all topics of dynamics_node for a robot with closed loops, and sends states."""

import numpy as np
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.node_probe import DEPTH, NodeProbe
from modular_dynamics_ros.messages.wrenches import wrench_from_message

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class ClosedLoopProbe(NodeProbe):
    """As `NodeProbe`.

    Attributes:
        torques, completed: joint state messages. cuts: loop joint -> stamp -> wrench message.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        super().__init__(graph, "probe")
        self.torques: dict[int, JointState] = {}
        self.completed: dict[int, JointState] = {}
        self.cuts: dict[str, dict[int, WrenchStamped]] = {loop.name: {} for loop in graph.loop_joints}
        self.active = False
        for topic, kept in (("joint_torques", self.torques), ("completed_joint_states", self.completed)):
            self.listen(JointState, f"dynamics_node/{topic}", self.keep(kept), DEPTH)
        for name, kept in self.cuts.items():
            self.listen(WrenchStamped, f"dynamics_node/loop_joints/{name}/wrench", self.keep(kept), DEPTH)
        self.listen(SubsystemGraph, "dynamics_node/subsystem_graph", self._on_graph, LATCHED)

    def _on_graph(self, message: SubsystemGraph) -> None:
        self.active = True  # it is published on activation

    def answered(self, stamp: int) -> bool:
        """Whether this state was answered on all topics."""
        return all(stamp in kept for kept in (self.torques, self.completed, *self.cuts.values()))

    def silent(self, stamp: int) -> bool:
        """Whether this state was answered on no topic."""
        return not any(stamp in kept for kept in (self.torques, self.completed, *self.cuts.values()))

    def vectors(self, message: JointState, names: tuple[str, ...], field: str) -> np.ndarray:
        """A field in the order of these joints."""
        return np.array([getattr(message, field)[message.name.index(name)] for name in names])

    def cut(self, name: str, stamp: int) -> tuple[str, np.ndarray]:
        """The wrench at a loop joint: (frame, [force, moment])."""
        message = self.cuts[name][stamp]
        return message.header.frame_id, wrench_from_message(message)
