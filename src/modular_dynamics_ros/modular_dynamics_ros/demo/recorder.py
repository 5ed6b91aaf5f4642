"""Records everything that the nodes publish while the demo runs."""

from functools import partial
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from modular_dynamics_ros.computation.reference import ReferenceSampler
from modular_dynamics_ros.demo.lead_in import MotionStart
from modular_dynamics_ros.messages.joint_states import JointStateReader
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.messages.wrenches import wrench_from_message
from modular_dynamics_ros.node.topics import topic_name

__all__ = ["Recorder"]

DEPTH = 2000
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Recorder(Node):
    """Subscribes to all inputs and outputs of dynamics_node and keeps them by the stamp that belongs to them.

    When the motion begins, it forgets what came before: the player's lead-in.

    Attributes:
        states: stamp [ns] -> (q, v); torques: stamp -> effort; accelerations: stamp -> reference at that
        stamp; arrivals: stamp -> arrival of the state, answers: stamp -> arrival of its torques [ns];
        wrenches: subsystem -> stamp -> (frame, [force, moment]); diagnostics: newest status by name.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        super().__init__("demo_recorder")
        self.graph = graph
        self.states: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.torques: dict[int, np.ndarray] = {}
        self.accelerations: dict[int, np.ndarray] = {}
        self.arrivals: dict[int, int] = {}
        self.answers: dict[int, int] = {}
        self.wrenches: dict[str, dict[int, tuple[str, np.ndarray]]] = {s.name: {} for s in graph.subsystems}
        self.diagnostics: dict[str, DiagnosticStatus] = {}
        by_stamp = self.states, self.torques, self.accelerations, self.arrivals, self.answers
        self._start = MotionStart(*by_stamp, *self.wrenches.values())
        self.node_is_active = False
        self.dot = ""
        self._reader = JointStateReader(graph.joint_names)
        self._torque_order: np.ndarray | None = None
        self._reference = ReferenceSampler(hold=0.0)
        self.create_subscription(JointTrajectory, "reference", self._on_reference, 10)
        self.create_subscription(JointState, "joint_states", self._on_state, DEPTH)
        self.create_subscription(JointState, "dynamics_node/joint_torques", self._on_torques, DEPTH)
        self.create_subscription(SubsystemGraph, "dynamics_node/subsystem_graph", self._on_graph, LATCHED)
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        for subsystem in graph.subsystems:
            topic = f"dynamics_node/connections/{topic_name(subsystem.name)}/wrench"
            self.create_subscription(WrenchStamped, topic, partial(self._on_wrench, subsystem.name), DEPTH)

    @property
    def connected(self) -> bool:
        """Whether a state was answered on all topics."""
        return self._start.connected(self.states, self.torques, *self.wrenches.values())

    def _on_reference(self, message: JointTrajectory) -> None:
        self._reference.add(trajectory_from_message(message, self.graph.joint_names, 0))
        self._start.add_reference(message)

    def _on_state(self, message: JointState, info: dict[str, Any]) -> None:
        if (stamp := stamp_nanoseconds(message.header.stamp)) < self._start.stamp:
            return
        sample = self._reader.read(message)
        self.states[stamp] = (sample.q, sample.v)
        self.arrivals[stamp] = info["received_timestamp"]
        acceleration = np.full(
            self.graph.nv, np.nan
        )  # NaN where no reference covers the stamp: it would be noticed
        self._reference.sample(stamp, acceleration)
        self.accelerations[stamp] = acceleration

    def _on_torques(self, message: JointState, info: dict[str, Any]) -> None:
        if self._torque_order is None:
            self._torque_order = np.array([message.name.index(name) for name in self.graph.joint_names])
        if (stamp := stamp_nanoseconds(message.header.stamp)) < self._start.stamp:
            return
        self.torques[stamp] = np.array(message.effort)[self._torque_order]
        self.answers[stamp] = info["received_timestamp"]

    def _on_wrench(self, subsystem: str, message: WrenchStamped) -> None:
        if (stamp := stamp_nanoseconds(message.header.stamp)) >= self._start.stamp:
            self.wrenches[subsystem][stamp] = (message.header.frame_id, wrench_from_message(message))

    def _on_graph(self, message: SubsystemGraph) -> None:
        self.dot = message.dot
        self.node_is_active = True  # it is published on activation

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.diagnostics.update({status.name: status for status in message.status})
