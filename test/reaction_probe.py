"""A node that hears all that torso_reaction_node says, and talks to it."""

import time
from collections.abc import Callable

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

import modular_dynamics as md
from modular_dynamics_ros.conversions import stamp_message, stamp_nanoseconds, trajectory_from_message
from modular_dynamics_ros.reference import ReferenceSampler

LIMIT = 60.0  # [s] on a busy machine
DEPTH = 2000
NODE = "torso_reaction_node"


class ReactionProbe:
    """Messages by stamp [ns].

    Attributes:
        states, springs: joint states. reactions: TorsoReactions. accelerations: of the reference at each
        state's stamp. arrivals: of the reactions [ns]. wrenches: joint -> stamp -> message. efforts, markers:
        in order. statuses: all diagnostics of this node, in order.

    Args:
        joints: whose wrenches are heard. everything: also springs, commands and markers.
    """

    def __init__(self, graph: md.SubsystemGraph, *joints: str, everything: bool = True) -> None:
        self.graph, self.node = graph, Node("reaction_probe")
        self.states: dict[int, JointState] = {}
        self.springs: dict[int, JointState] = {}
        self.reactions: dict[int, TorsoReactions] = {}
        self.arrivals: dict[int, int] = {}
        self.accelerations: dict[int, np.ndarray] = {}
        self.wrenches: dict[str, dict[int, WrenchStamped]] = {name: {} for name in joints}
        self.efforts: list[Float64MultiArray] = []
        self.markers: list[MarkerArray] = []
        self.statuses: list[DiagnosticStatus] = []
        self._reference = ReferenceSampler(hold=0.0)
        listen = self.node.create_subscription
        listen(JointTrajectory, "reference", self._on_reference, 10)
        listen(JointState, "joint_states", self._on_state, DEPTH)
        listen(TorsoReactions, f"{NODE}/reactions", self._on_reactions, DEPTH)
        if everything:
            listen(JointState, f"{NODE}/springs", self._keep(self.springs), DEPTH)
            listen(Float64MultiArray, f"{NODE}/effort_commands", self.efforts.append, DEPTH)
            listen(MarkerArray, f"{NODE}/markers", self.markers.append, DEPTH)
        for name, kept in self.wrenches.items():
            listen(WrenchStamped, f"{NODE}/joints/{name}/wrench", self._keep(kept), DEPTH)
        listen(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self.publisher = self.node.create_publisher(JointState, "joint_states", DEPTH)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)

    @staticmethod
    def _keep(kept: dict) -> Callable:
        return lambda message: kept.__setitem__(stamp_nanoseconds(message.header.stamp), message)

    def _on_reference(self, message: JointTrajectory) -> None:
        self._reference.add(trajectory_from_message(message, self.graph.independent_joint_names, 0))

    def _on_state(self, message: JointState) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self.states[stamp] = message
        acceleration = np.full(len(self.graph.independent_joint_names), np.nan)  # it would be seen
        self._reference.sample(stamp, acceleration)
        self.accelerations[stamp] = acceleration

    def _on_reactions(self, message: TorsoReactions, info: dict) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self.reactions[stamp], self.arrivals[stamp] = message, info["received_timestamp"]

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.statuses += [status for status in message.status if status.name.startswith(NODE)]

    def spin_until(self, reached: Callable[[], object], what: str) -> None:
        """Serve callbacks until the condition holds."""
        deadline = time.monotonic() + LIMIT
        while not reached():
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            self.executor.spin_once(timeout_sec=0.05)

    def send(self, q: np.ndarray, v: np.ndarray | None = None, names: tuple[str, ...] = ()) -> int:
        """Publish a joint state with the present as its stamp, and return that."""
        names = names or self.graph.independent_joint_names
        rest = np.zeros(len(names)) if v is None else v
        message = JointState(name=list(names), position=list(map(float, q)), velocity=rest.tolist())
        stamp = time.time_ns()
        message.header.stamp = stamp_message(stamp)
        self.publisher.publish(message)
        return stamp

    def vectors(self, stamp: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the independent joints in the state of this stamp."""
        message = self.states[stamp]
        order = [message.name.index(name) for name in self.graph.independent_joint_names]
        return np.array(message.position)[order], np.array(message.velocity)[order]

    def status_after(self, first: int, part: str, words: str) -> DiagnosticStatus:
        """The first status of a part with these words, from number `first` on."""

        def found() -> list[DiagnosticStatus]:
            return [s for s in self.statuses[first:] if s.name.endswith(part) and words in s.message]

        self.spin_until(found, f"'{words}' of {part}")
        return found()[0]

    def close(self) -> None:
        """Leave the ROS graph."""
        self.executor.shutdown()
        self.node.destroy_node()
