"""A node that hears all that dynamics_node says about a robot with closed loops, and talks to it."""

import time
from collections.abc import Callable

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from modular_dynamics_ros.conversions import (
    stamp_message,
    stamp_nanoseconds,
    trajectory_from_message,
    wrench_from_message,
)
from modular_dynamics_ros.reference import ReferenceSampler

LIMIT = 60.0  # [s] on a busy machine
DEPTH = 1000
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class ClosedLoopProbe:
    """Messages by stamp [ns].

    Attributes:
        states, torques, completed: joint state messages. cuts: loop joint -> stamp -> wrench message.
        accelerations: of the reference at each state's stamp. statuses: all diagnostics, in order.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        self.graph, self.node = graph, Node("probe")
        self.states: dict[int, JointState] = {}
        self.torques: dict[int, JointState] = {}
        self.completed: dict[int, JointState] = {}
        self.accelerations: dict[int, np.ndarray] = {}
        self.cuts: dict[str, dict[int, WrenchStamped]] = {loop.name: {} for loop in graph.loop_joints}
        self.statuses: list[DiagnosticStatus] = []
        self.active = False
        self._reference = ReferenceSampler(hold=0.0)
        listen = self.node.create_subscription
        listen(JointTrajectory, "reference", self._on_reference, 10)
        listen(JointState, "joint_states", self._on_state, DEPTH)
        for topic, kept in (("joint_torques", self.torques), ("completed_joint_states", self.completed)):
            listen(JointState, f"dynamics_node/{topic}", self._keep(kept), DEPTH)
        for name, kept in self.cuts.items():
            listen(WrenchStamped, f"dynamics_node/loop_joints/{name}/wrench", self._keep(kept), DEPTH)
        listen(SubsystemGraph, "dynamics_node/subsystem_graph", self._on_graph, LATCHED)
        listen(DiagnosticArray, "/diagnostics", lambda message: self.statuses.extend(message.status), 10)
        self.publisher = self.node.create_publisher(JointState, "joint_states", DEPTH)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)

    @staticmethod
    def _keep(kept: dict) -> Callable:
        return lambda message: kept.__setitem__(stamp_nanoseconds(message.header.stamp), message)

    def _on_graph(self, message: SubsystemGraph) -> None:
        self.active = True  # it is published on activation

    def _on_reference(self, message: JointTrajectory) -> None:
        self._reference.add(trajectory_from_message(message, self.graph.independent_joint_names, 0))

    def _on_state(self, message: JointState) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self.states[stamp] = message
        acceleration = np.full(len(self.graph.independent_joint_names), np.nan)  # it would be seen
        self._reference.sample(stamp, acceleration)
        self.accelerations[stamp] = acceleration

    def spin_until(self, reached: Callable[[], object], what: str) -> None:
        """Serve callbacks until the condition holds."""
        deadline = time.monotonic() + LIMIT
        while not reached():
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            self.executor.spin_once(timeout_sec=0.05)

    def send(self, names: tuple[str, ...], q: np.ndarray, v: np.ndarray) -> int:
        """Publish a joint state with the present as its stamp, and return that."""
        message = JointState(name=list(names), position=q.tolist(), velocity=v.tolist())
        stamp = time.time_ns()
        message.header.stamp = stamp_message(stamp)
        self.publisher.publish(message)
        return stamp

    def answered(self, stamp: int) -> bool:
        """Whether this state was answered on all topics."""
        return all(stamp in kept for kept in (self.torques, self.completed, *self.cuts.values()))

    def silent(self, stamp: int) -> bool:
        """Whether this state was answered on no topic."""
        return not any(stamp in kept for kept in (self.torques, self.completed, *self.cuts.values()))

    def status_after(self, first: int, part: str, words: str) -> DiagnosticStatus:
        """The first status of a part with these words, from number `first` on."""

        def found() -> list[DiagnosticStatus]:
            return [s for s in self.statuses[first:] if s.name.endswith(part) and words in s.message]

        self.spin_until(found, f"'{words}' of {part}")
        return found()[0]

    def vectors(self, message: JointState, names: tuple[str, ...], field: str) -> np.ndarray:
        """A field in the order of these joints."""
        return np.array([getattr(message, field)[message.name.index(name)] for name in names])

    def cut(self, name: str, stamp: int) -> tuple[str, np.ndarray]:
        """The wrench at a loop joint: (frame, [force, moment])."""
        message = self.cuts[name][stamp]
        return message.header.frame_id, wrench_from_message(message)

    def close(self) -> None:
        """Leave the ROS graph."""
        self.executor.shutdown()
        self.node.destroy_node()
