"""A node that sends or receives joint states, and waits for the answers of processes."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from examples.demo.playing import join
from examples.demo.processes import Processes
from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceSampler
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message

DEPTH = 2000


class NodeProbe(SpunNodes):
    """Messages by stamp [ns].

    Attributes:
        processes: with their logs in ``folder``; ended by `close`.
        states: joint state messages. accelerations: of the reference at each state's stamp.
        answers: messages of each topic on which the node under test answers every state.
        statuses: diagnostics whose name starts with ``heard``, in order. start: of the player's motion [ns].
    """

    answers: tuple[dict[int, Any], ...]

    def __init__(self, urdf: Path, folder: Path, heard: str = "") -> None:
        self.urdf, self.graph, self.node = urdf, md.load_urdf(urdf), Node("probe")
        super().__init__(self.node)
        self.processes = Processes(folder)
        self.states: dict[int, JointState] = {}
        self.accelerations: dict[int, np.ndarray] = {}
        self.statuses: list[DiagnosticStatus] = []
        self.start = 0  # the lead-in is kept
        self._heard, self._reference = heard, ReferenceSampler()
        self.listen = listen = self.node.create_subscription
        listen(JointTrajectory, "reference", self._on_reference, 10)
        listen(JointState, "joint_states", self._on_state, DEPTH)
        listen(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self.publisher = self.node.create_publisher(JointState, "joint_states", DEPTH)

    @staticmethod
    def keep(kept: dict) -> Callable:
        """A callback that files messages under their stamps."""
        return lambda message: kept.__setitem__(stamp_nanoseconds(message.header.stamp), message)

    def _on_reference(self, message: JointTrajectory) -> None:
        trajectory = trajectory_from_message(message, self.graph.independent_joint_names, 0)
        self._reference.add(trajectory, trajectory.start)
        self.start = max(self.start, stamp_nanoseconds(message.header.stamp))

    def _on_state(self, message: JointState) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self.states[stamp] = message
        acceleration = np.full(len(self.graph.independent_joint_names), np.nan)  # it would be seen
        self._reference.sample(stamp, acceleration)
        self.accelerations[stamp] = acceleration

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.statuses += [status for status in message.status if status.name.startswith(self._heard)]

    def answered(self, stamp: int) -> bool:
        """Whether the state of this stamp was answered, on all topics."""
        return all(stamp in kept for kept in self.answers)

    def connect(self) -> None:
        """Wait until a reference, a state and all answers to it are received: DDS has connected all nodes."""
        self.spin_until(lambda: self.start > 0 and any(map(self.answered, self.states)), "a first answer")

    def play(self, count: int) -> list[int]:
        """Let the player begin, as its last subscriber; once all states are answered, return their stamps."""
        join(self.node)

        def played() -> list[int]:
            return sorted(stamp for stamp in self.states if stamp >= self.start)

        def unanswered() -> list[int]:
            return [k for k, stamp in enumerate(played()) if not self.answered(stamp)]

        self.spin_until(
            lambda: len(played()) == count and all(map(self.answered, played())),
            f"an answer to each of {count} states",
            so_far=lambda: f"; of {len(played())} states these have none: {unanswered()}",
        )
        return played()

    def publish(
        self, q: Sequence[float], v: Sequence[float] | None = None, names: Sequence[str] | None = None
    ) -> int:
        """Publish a joint state with the present as its stamp, and return that.

        It is at rest, of the independent joints, unless said otherwise.
        """
        names = self.graph.independent_joint_names if names is None else names
        v = [0.0] * len(q) if v is None else v
        message = JointState(name=list(names), position=list(map(float, q)), velocity=list(map(float, v)))
        stamp = time.time_ns()
        message.header.stamp = stamp_message(stamp)
        self.publisher.publish(message)
        return stamp

    def publish_until(
        self, reached: Callable[[list[int]], object], what: str, *state: Any, **options: Any
    ) -> list[int]:
        """Publish a state, a hundred times a second, until this is true of the stamps; return these."""
        sent: list[int] = []

        def published() -> object:
            sent.append(self.publish(*state, **options))
            time.sleep(0.01)
            return reached(sent)

        self.spin_until(published, what)
        return sent

    def publish_until_answered(self, *state: Any, what: str = "an answer") -> int:
        """Publish a state until one is answered; return its stamp."""
        sent = self.publish_until(lambda sent: any(map(self.answered, sent)), what, *state)
        return next(filter(self.answered, sent))

    def independent_state(self, stamp: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the independent joints in the state of this stamp."""
        message = self.states[stamp]
        order = [message.name.index(name) for name in self.graph.independent_joint_names]
        return np.array(message.position)[order], np.array(message.velocity)[order]

    def status_after(self, first: int, part: str, words: str) -> DiagnosticStatus:
        """The first status of a part with these words, from number `first` on."""

        def matching() -> list[DiagnosticStatus]:
            return [s for s in self.statuses[first:] if s.name.endswith(part) and words in s.message]

        self.spin_until(matching, f"'{words}' of {part}")
        return matching()[0]

    def close(self) -> None:
        """Leave the ROS graph, and end all processes."""
        with self.processes:
            super().close()
