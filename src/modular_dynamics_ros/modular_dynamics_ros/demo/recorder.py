"""Records what the player and the nodes publish while the demo runs, by stamp."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from modular_dynamics_ros.computation.accelerations.reference_sampler import ReferenceSampler
from modular_dynamics_ros.computation.values import Array, StampedWrench
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.messages.wrenches import wrench_from_message
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.node.topics import LATCHED

__all__ = ["MotionRecorder", "Recorder", "destroy", "join"]

DEPTH = 2000
SETTLING = 1.0  # [s] for the middleware to note that processes have ended


class MotionRecorder(Node):
    """Joint states and what is published in answer to them, by stamp [ns].

    When the motion begins, which its reference announces, it forgets what came before: the player's lead-in.

    Attributes:
        states: (q, v, acceleration) of `joint_names`; NaN where no reference covers the stamp.
        answers: of all topics given to `record`. start: stamp of the motion; 0 before a reference has come.
        state_arrivals, answer_arrivals: of states, and of the messages of the first topic [ns of the system].
    """

    def __init__(self, name: str, joint_names: Sequence[str]) -> None:
        super().__init__(name)
        self.start = 0
        self.answers: list[dict[int, Any]] = []
        self.state_arrivals: dict[int, int] = {}
        self.answer_arrivals: dict[int, int] = {}
        self._names = joint_names
        self._reference = ReferenceSampler()
        self.create_subscription(JointTrajectory, "reference", self._on_reference, 10)
        self.states: dict[int, tuple[Array, Array, Array]] = {}
        self._record(JointState, "joint_states", self._read_state, self.states, self.state_arrivals)

    def record(self, kind: type, topic: str, read: Callable[[Any], Any]) -> dict[int, Any]:
        """Subscribe to answers; the returned mapping fills with what `read` makes of each message."""
        answers: dict[int, Any] = {}
        self._record(kind, topic, read, answers, {} if self.answers else self.answer_arrivals)
        self.answers.append(answers)
        return answers

    def _record(
        self,
        kind: type,
        topic: str,
        read: Callable[[Any], Any],
        contents: dict[int, Any],
        arrivals: dict[int, int],
    ) -> None:
        def on_message(message: Any, info: dict[str, Any]) -> None:
            if (stamp := stamp_nanoseconds(message.header.stamp)) >= self.start:
                contents[stamp], arrivals[stamp] = read(message), info["received_timestamp"]

        self.create_subscription(kind, topic, on_message, DEPTH)

    def _read_state(self, message: JointState) -> tuple[Array, Array, Array]:
        places, acceleration = (
            [message.name.index(name) for name in self._names],
            np.full(len(self._names), np.nan),
        )
        self._reference.sample(stamp_nanoseconds(message.header.stamp), acceleration)
        return np.array(message.position)[places], np.array(message.velocity)[places], acceleration

    def _on_reference(self, message: JointTrajectory) -> None:
        trajectory = trajectory_from_message(message, self._names, 0)
        self._reference.add(trajectory, trajectory.start)
        if (stamp := stamp_nanoseconds(message.header.stamp)) > self.start:
            self.start = stamp
            self.states.clear()
            for kept in (self.state_arrivals, self.answer_arrivals, *self.answers):
                kept.clear()

    @property
    def connected(self) -> bool:
        """Return whether a reference, a state and all its answers arrived, so that DDS connects all nodes."""
        return self.start > 0 and any(all(stamp in kept for kept in self.answers) for stamp in self.states)

    @property
    def answered(self) -> list[int]:
        """Return the stamps of the states that have an answer on the first topic."""
        return sorted(self.states.keys() & self.answers[0].keys())


class Recorder(MotionRecorder):
    """All outputs of dynamics_node.

    Attributes:
        torques: efforts of all joints. wrenches: subsystem -> stamp -> (frame, [force, moment]).
        dot: the node's graph; empty before the node is active.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        super().__init__("demo_recorder", graph.joint_names)
        self.graph, self.dot = graph, ""
        self.create_subscription(SubsystemGraph, "dynamics_node/subsystem_graph", self._on_graph, LATCHED)
        self.torques: dict[int, Array] = self.record(
            JointState, "dynamics_node/joint_torques", self._read_torques
        )
        self.wrenches: dict[str, dict[int, StampedWrench]] = {}
        for subsystem in graph.subsystems:
            topic = f"dynamics_node/connections/{topic_name(subsystem.name)}/wrench"
            self.wrenches[subsystem.name] = self.record(WrenchStamped, topic, _read_wrench)

    def _on_graph(self, message: SubsystemGraph) -> None:
        self.dot = message.dot

    def _read_torques(self, message: JointState) -> Array:
        efforts = dict(zip(message.name, message.effort, strict=True))
        return np.array([efforts[name] for name in self.graph.joint_names])


def _read_wrench(message: WrenchStamped) -> StampedWrench:
    return message.header.frame_id, wrench_from_message(message)


def join(node: Node) -> None:
    """Subscribe once more to the player's topics: this is the last subscriber that its lead_in waits for."""
    for kind, topic in ((JointTrajectory, "reference"), (JointState, "joint_states")):
        node.create_subscription(kind, topic, _ignore, 1)


def _ignore(message: object) -> None:
    """Discard a message; another subscription of the node receives it."""


def destroy(node: Node) -> None:
    """Destroy a node after the processes that it has heard.

    Fast DDS can wait for ever where a subscription is destroyed while it removes participants that have left
    (eProsima/Fast-DDS issues 6193 and 6502).
    """
    time.sleep(SETTLING)
    node.destroy_node()
