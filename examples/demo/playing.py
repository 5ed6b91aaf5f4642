"""Playing of a motion: nodes start as processes, and all their answers are recorded."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from lifecycle_msgs.srv import GetState
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from examples.demo.processes import Processes, signals_deferred
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceSampler
from modular_dynamics_ros.computation.values import Array, StampedWrench
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import wrench_from_message
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.player import sent_in

DEPTH = 2000
SETTLING = 1.0  # [s] for the middleware to note that processes have ended
PLAYER = "joint_state_player"
START_LIMIT = 120.0  # [s] for nodes to become active, on a busy machine
CONNECT_LIMIT = 60.0  # [s] for the first pose to be processed, by nodes that are active
QUIET_LIMIT = 3.0  # [s] without a new answer after the player has ended
ASK_AGAIN = 10.0  # [s] for an answer about a node's state, before another client asks
TIMES = 3  # most attempts at playing a motion, such as at the requested rate, half of it, a quarter
Read = Callable[[Any], Any]


class StampRecorder(Node):
    """Records messages by stamp [ns]; `start`: older ones are left out."""

    start = 0

    def listen(
        self,
        kind: type,
        topic: str,
        contents: dict[int, Any],
        arrivals: dict[int, int],
        read: Read = lambda m: m,
    ) -> None:
        """Fill `contents` by stamp with `read(message)`, and `arrivals` with arrival times [ns]."""

        def on_message(message: Any, info: dict[str, Any]) -> None:
            if (stamp := stamp_nanoseconds(message.header.stamp)) >= self.start:
                contents[stamp], arrivals[stamp] = read(message), info["received_timestamp"]

        self.create_subscription(kind, topic, on_message, DEPTH)


class MotionRecorder(StampRecorder):
    """A recorder of joint states and of the answers to them, by stamp [ns].

    When the motion begins, which its reference announces, earlier records (the player's lead-in) are removed.

    Attributes:
        states: (q, v, acceleration) of `joint_names`; NaN where no reference covers the stamp.
        answers: of all topics given to `record`. start: stamp of the motion; 0 before a reference has come.
        state_arrivals, answer_arrivals: of states, and of the messages of the first topic [ns of the system].
    """

    def __init__(self, name: str, joint_names: Sequence[str]) -> None:
        super().__init__(name)
        self.answers: list[dict[int, Any]] = []
        self.state_arrivals: dict[int, int] = {}
        self.answer_arrivals: dict[int, int] = {}
        self._names = joint_names
        self._reference = ReferenceSampler()
        self.create_subscription(JointTrajectory, "reference", self._on_reference, 10)
        self.states: dict[int, tuple[Array, Array, Array]] = {}
        self.listen(JointState, "joint_states", self.states, self.state_arrivals, self._read_state)

    def record(self, kind: type, topic: str, read: Read) -> dict[int, Any]:
        """Subscribe to answers; return the mapping by stamp that fills with `read(message)`."""
        answers: dict[int, Any] = {}
        self.listen(kind, topic, answers, {} if self.answers else self.answer_arrivals, read)
        self.answers.append(answers)
        return answers

    def _read_state(self, message: JointState) -> tuple[Array, Array, Array]:
        places = [message.name.index(name) for name in self._names]
        q, v = (np.array(values)[places] for values in (message.position, message.velocity))
        acceleration = np.full(len(places), np.nan)
        self._reference.sample(stamp_nanoseconds(message.header.stamp), acceleration)
        return q, v, acceleration

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
    def processed(self) -> list[int]:
        """Return the stamps of the states that have an answer on the first topic."""
        return sorted(self.states.keys() & self.answers[0].keys())


class Recorder(MotionRecorder):
    """A recorder of all outputs of dynamics_node.

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
        if missing := [name for name in self.graph.joint_names if name not in efforts]:
            raise DemoError(
                f"dynamics_node/joint_torques holds no {missing[0]}: another dynamics_node runs in this "
                "ROS_DOMAIN_ID; choose another one"
            )
        return np.array([efforts[name] for name in self.graph.joint_names])


def _read_wrench(message: WrenchStamped) -> StampedWrench:
    return message.header.frame_id, wrench_from_message(message)


def join(node: Node) -> None:
    """Subscribe to the player's topics again, as the last subscriber that its lead_in waits for."""
    for kind, topic in ((JointTrajectory, "reference"), (JointState, "joint_states")):
        node.create_subscription(kind, topic, _ignore, 1)


def _ignore(message: object) -> None:
    """Discard a message; another subscription of the node receives it."""


def destroy(node: Node) -> None:
    """Destroy a node some time after the processes that it subscribed to have ended.

    Fast DDS can wait for ever if a subscription is destroyed while it removes participants that have left
    (eProsima/Fast-DDS issues 6193 and 6502).
    """
    time.sleep(SETTLING)
    node.destroy_node()


class DemoError(RuntimeError):
    """The demo cannot go on; the text says why."""


class StalledError(DemoError):
    """Active nodes do not answer, or the player does not play, for example because DDS connects no topic.

    `play_completely` plays once more.
    """


def spin_until(
    executor: SingleThreadedExecutor,
    processes: Processes,
    reached: Callable[[], bool],
    limit: float,
    what: str,
    needed: Sequence[str],
) -> None:
    """Spin until the condition holds.

    Raises:
        DemoError: one of the processes `needed` has ended. StalledError: `what` took longer than `limit` [s].
    """
    deadline = time.monotonic() + limit
    while not reached():
        with signals_deferred():
            executor.spin_once(timeout_sec=0.1)
        for name in needed:
            _check_code(processes, name, None)
        if time.monotonic() > deadline:
            logs = "\n".join(f"log of {name}:\n{processes.log(name)}" for name in needed)
            raise StalledError(f"{what} took longer than {limit:g} s; {logs}")


def _check_code(processes: Processes, name: str, *allowed: int | None) -> int | None:
    """Return the exit code of a process. Raises DemoError: it is not among those allowed."""
    if (code := processes.code(name)) not in allowed:
        raise DemoError(f"{name} ended with code {code}:\n{processes.log(name)}")
    return code


@dataclass(frozen=True)
class Playback:
    """The nodes to start and the motion to play.

    Attributes:
        nodes: name -> parameters "NAME:=VALUE" of each node that answers.
        params: file of parameters of all nodes. rate: of the joint states [Hz]; expected: their number.
    """

    nodes: Mapping[str, Sequence[str]]
    params: Path
    motion: Path
    rate: float
    expected: int

    def record(self, recorder: MotionRecorder, logs: Path, console: Console) -> int:
        """Start the motion once the first pose is processed, and record all answers.

        Returns the number of joint states that the player reports to have sent. Destroys the recorder: a
        later player would count its subscriptions.

        Raises:
            StalledError: the nodes do not answer, or the motion does not end.
            DemoError: a process has failed.
        """
        try:
            return self._record(recorder, logs, console)
        finally:
            destroy(recorder)

    def _record(self, recorder: MotionRecorder, logs: Path, console: Console) -> int:
        executor = SingleThreadedExecutor()
        executor.add_node(recorder)
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with (
            Processes(logs) as processes,
            Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress,
        ):

            def wait(reached: Callable[[], bool], limit: float, what: str) -> None:
                spin_until(executor, processes, reached, limit, what, list(self.nodes))

            def player_has_ended() -> bool:
                return _check_code(processes, PLAYER, None, 0) == 0

            task = progress.add_task(f"{' and '.join(self.nodes)}: loading the robot", total=None)
            for name, parameters in self.nodes.items():
                processes.start(name, *parameters, "autostart:=true", params_file=self.params)
            for name in self.nodes:
                wait(_activity(recorder, processes, name), START_LIMIT, f"starting {name}")
            subscribers = f"wait_for_subscriber:={len(self.nodes) + 2}"  # the nodes, the recorder, it again
            own = f"motion_file:={self.motion}", f"rate:={self.rate}", "lead_in:=true", subscribers
            processes.start(PLAYER, *own, params_file=self.params)
            wait(lambda: player_has_ended() or recorder.connected, CONNECT_LIMIT, "answering the first pose")
            progress.remove_task(task)
            task = progress.add_task(f"playing {self.motion.name} at {self.rate:g} Hz", total=self.expected)
            join(recorder)
            received = _all_received(recorder, self.expected)

            def complete() -> bool:
                progress.update(task, completed=len(recorder.answers[0]))
                return player_has_ended() and received()

            wait(complete, 60.0 + 10.0 * self.expected / self.rate, "playing the motion")
            if (sent := sent_in(processes.log(PLAYER))) is None:
                raise DemoError(f"{PLAYER} does not report what it sent:\n{processes.log(PLAYER)}")
        return sent


def _all_received(recorder: MotionRecorder, expected: int) -> Callable[[], bool]:
    """Return a function that returns whether all answers have come, or nothing has for QUIET_LIMIT."""
    newest, seen = time.monotonic(), -1

    def received() -> bool:
        nonlocal newest, seen
        counts = [len(recorder.states), *map(len, recorder.answers)]
        if sum(counts) != seen:
            newest, seen = time.monotonic(), sum(counts)
        return min(counts) >= expected or time.monotonic() - newest > QUIET_LIMIT

    return received


def _activity(recorder: MotionRecorder, processes: Processes, name: str) -> Callable[[], bool]:
    """Return a function: whether a node is active. It raises DemoError if the node did not start.

    On a busy computer Fast DDS loses answers that a service gives before it has discovered the client
    (ros2/rmw_fastrtps issue 842), and services stay undiscovered (792). So a new client asks now and then.
    """
    client: Any = None
    answer: Any = None
    due = 0.0

    def active() -> bool:
        nonlocal client, answer, due
        if answer is not None and answer.done():
            if answer.result().current_state.label != "active":
                raise DemoError(f"{name} did not start:\n{processes.log(name)}")
            return True
        if client is None or time.monotonic() >= due:
            if client is not None:
                recorder.destroy_client(client)
            client, answer = recorder.create_client(GetState, f"{name}/get_state"), None
            due = time.monotonic() + ASK_AGAIN
        if answer is None and client.service_is_ready():
            answer = client.call_async(GetState.Request())
        return False

    return active


def play_completely(play: Callable[[float], Any], rate: float, console: Console) -> Any:
    """Return the result of `play` at a rate [Hz]; halve it while it has `losses`, three times at most.

    Nodes that fall behind skip old states, and count them (`stale_after`): on a busy computer a loss says
    nothing about the node, one at every rate does. The same holds for a playback that stalled, which is
    repeated at the same rate. Returns the last result; why it is not the first is printed.

    Raises:
        StalledError: of the last playback.
    """
    for _ in range(TIMES - 1):
        try:
            played = play(rate)
        except StalledError as error:
            console.print(f"[yellow]once more:[/] {escape(str(error))}", highlight=False)
            continue
        if not (losses := played.losses()):
            return played
        rate /= 2.0
        text = f"[yellow]at {2.0 * rate:g} Hz {', and '.join(losses)}[/]: once more at {rate:g} Hz"
        console.print(text, highlight=False)
    return play(rate)
