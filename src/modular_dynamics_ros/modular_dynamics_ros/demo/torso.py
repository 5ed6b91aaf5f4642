"""The care robot's real torso: dynamics_node and torso_reaction_node answer its motion, all is recorded."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from modular_dynamics_ros.computation.reference import ReferenceSampler
from modular_dynamics_ros.demo.lead_in import MotionStart, join
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.demo.waiting import ended_well, spin_until
from modular_dynamics_ros.diagnostics.latency import LatencySummary, summarise
from modular_dynamics_ros.messages.joint_state_reader import JointStateReader
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.player.node import sent_in
from modular_dynamics_ros.player.recordings import load_motion
from modular_dynamics_ros.player.schedule import Schedule

__all__ = ["TorsoRun", "play_torso"]

DEPTH = 2000
START_LIMIT = 600.0  # [s] for both nodes to compile their kernels, on a busy machine
QUIET_LIMIT = 3.0  # [s] without a new answer after the player has ended
FORCE_ERROR = 1e-7  # [N] by which an actuator's force may differ from that of virtual power
NODE, PLAYER = "torso_reaction_node", "joint_state_player"


@dataclass(frozen=True)
class TorsoRun:
    """The figures of one run.

    Attributes:
        expected, sent, received: joint states of the motion, of the player, at the recorder.
        times: (m,) of the answered ones [s]; names: of actuators, springs and the base's reaction, with their
            values over time: actuators (m, 2) [N], springs (m, 3) [N], base (m, 6) [N, N m] of body 2 on 3.
        difference: largest of the actuators' forces to those of virtual power [N], recomputed here.
        residual: largest of a body's equilibrium [N or N m]; dead_point: closest to one.
    """

    expected: int
    sent: int
    received: int
    times: np.ndarray
    names: tuple[tuple[str, ...], tuple[str, ...]]
    actuators: np.ndarray
    springs: np.ndarray
    base: np.ndarray
    difference: float
    residual: float
    dead_point: float
    latency: LatencySummary

    def failures(self) -> list[str]:
        """Why the run failed; empty where it did not."""
        reasons, answered = [], len(self.times)
        if not self.expected == self.sent == self.received == answered:
            reasons.append(
                f"the torso: of {self.expected} joint states {self.sent} were sent, {self.received} "
                f"received, {answered} answered"
            )
        if answered and not self.difference <= FORCE_ERROR:
            reasons.append(f"the torso: actuator forces differ from virtual power by {self.difference:.1e} N")
        return reasons


class _Recorder(Node):
    """Subscribes to the inputs and to the reactions: see `recorder.Recorder`."""

    def __init__(self, graph: md.SubsystemGraph) -> None:
        super().__init__("torso_recorder")
        names = graph.independent_joint_names
        self.states: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}  # q, v, acceleration
        self.reactions: dict[int, TorsoReactions] = {}
        self.arrivals: dict[int, int] = {}
        self.answers: dict[int, int] = {}
        self.start = MotionStart(self.states, self.reactions, self.arrivals, self.answers)
        self._names, self._reader = names, JointStateReader(names)
        self._reference = ReferenceSampler(hold=0.0)
        self.create_subscription(JointTrajectory, "reference", self._on_reference, 10)
        self.create_subscription(JointState, "joint_states", self._on_state, DEPTH)
        self.create_subscription(TorsoReactions, f"{NODE}/reactions", self._on_reactions, DEPTH)

    def _on_reference(self, message: JointTrajectory) -> None:
        self._reference.add(trajectory_from_message(message, self._names, 0))
        self.start.add_reference(message)

    def _on_state(self, message: JointState, info: dict[str, Any]) -> None:
        if (stamp := stamp_nanoseconds(message.header.stamp)) < self.start.stamp:
            return
        sample = self._reader.read(message)
        acceleration = np.full(len(self._names), np.nan)  # it would be noticed
        self._reference.sample(stamp, acceleration)
        self.states[stamp] = sample.q, sample.v, acceleration
        self.arrivals[stamp] = info["received_timestamp"]

    def _on_reactions(self, message: TorsoReactions, info: dict[str, Any]) -> None:
        if (stamp := stamp_nanoseconds(message.header.stamp)) >= self.start.stamp:
            self.reactions[stamp], self.answers[stamp] = message, info["received_timestamp"]


def play_torso(files: Path, rate: float, out: Path, console: Console) -> TorsoRun:
    """Play it at `rate` [Hz].

    Args:
        files: where urdf/ and config/ are. out: folder of the logs.

    Raises:
        DemoError: a node has ended, or does not answer.
    """
    graph = md.load_urdf(files / "urdf/charmie_torso.urdf")
    motion = files / "config/charmie_torso_motion.yaml"
    expected = len(Schedule(load_motion(motion), rate, loop=False))
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # Ctrl-C is to raise KeyboardInterrupt here
    try:
        recorder, executor = _Recorder(graph), SingleThreadedExecutor()
        executor.add_node(recorder)
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with Processes(out) as processes, Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("both nodes load the robot and find each other", total=None)
            _start(processes, files, motion, rate)

            def connected() -> bool:
                ended = ended_well(processes, PLAYER)
                return ended or recorder.start.connected(recorder.states, recorder.reactions)

            spin_until(executor, processes, connected, START_LIMIT, "answering the first pose", NODE)
            progress.remove_task(task)
            task = progress.add_task(f"playing {motion.name} at {rate:g} Hz", total=expected)
            join(recorder)
            newest, seen = time.monotonic(), -1

            def complete() -> bool:
                nonlocal newest, seen
                count = len(recorder.reactions)
                progress.update(task, completed=count)
                if count + len(recorder.states) != seen:
                    newest, seen = time.monotonic(), count + len(recorder.states)
                ended = ended_well(processes, PLAYER)
                return ended and (count >= expected or time.monotonic() - newest > QUIET_LIMIT)

            limit = 60.0 + 10.0 * expected / rate
            spin_until(executor, processes, complete, limit, "playing the torso's motion", NODE)
            sent = sent_in(processes.log(PLAYER))
        return _evaluate(graph, recorder, expected, sent or 0)
    finally:
        rclpy.try_shutdown()


def _start(processes: Processes, files: Path, motion: Path, rate: float) -> None:
    """All three nodes; the player holds the first pose until the recorder joins."""
    robot = f"robot_description_file:={files / 'urdf/charmie_torso.urdf'}"
    rules = f"rules_file:={files / 'urdf/charmie_torso_rules.yaml'}"
    own = {
        "dynamics_node": (robot, "autostart:=true"),
        NODE: (robot, rules, "autostart:=true"),
        PLAYER: (
            f"motion_file:={motion}",
            f"rate:={rate}",
            "lead_in:=true",
            "wait_for_subscriber:=4",  # both nodes, the recorder, and that again
        ),
    }
    for name, parameters in own.items():
        processes.start(name, *parameters, params_file=files / "config/charmie_torso.yaml")


def _evaluate(graph: md.SubsystemGraph, recorder: _Recorder, expected: int, sent: int) -> TorsoRun:
    stamps = sorted(recorder.states.keys() & recorder.reactions.keys())
    messages = [recorder.reactions[stamp] for stamp in stamps]
    names = (
        tuple(actuator.name for actuator in messages[0].actuators) if messages else (),
        tuple(spring.name for spring in messages[0].springs) if messages else (),
    )
    actuators = np.array([[a.force for a in message.actuators] for message in messages]).reshape(
        len(messages), -1
    )
    indices, guess = [graph.independent_joint_names.index(name) for name in names[0]], None
    differences = [0.0]
    for stamp, forces in zip(stamps, actuators, strict=True):
        if not np.isfinite(recorder.states[stamp][2]).all():  # no reference was received
            differences.append(np.nan)
            continue
        whole = md.closed_loop_inverse_dynamics(graph, *recorder.states[stamp], guess)
        guess = whole.coordinates
        differences.append(float(np.abs(whole.tau[indices] - forces).max(initial=0.0)))
    bases = [next(j.wrench for j in message.joints if j.name == "j3") for message in messages]
    parts = [[getattr(part, axis) for part in (w.force, w.torque) for axis in "xyz"] for w in bases]
    arrivals, answers = (
        np.array([times[stamp] for stamp in stamps], dtype=np.int64)
        for times in (recorder.arrivals, recorder.answers)
    )
    return TorsoRun(
        expected=expected,
        sent=sent,
        received=len(recorder.states),
        times=(np.array(stamps, dtype=np.int64) - (stamps[0] if stamps else 0)) * 1e-9,
        names=names,
        actuators=actuators,
        springs=np.array([[s.tension for s in message.springs] for message in messages]).reshape(
            len(messages), -1
        ),
        base=np.array(parts).reshape(-1, 6),
        difference=float(np.max(differences)),
        residual=max((max(m.residual_force, m.residual_moment) for m in messages), default=np.nan),
        dead_point=min((message.dead_point_distance for message in messages), default=np.nan),
        latency=summarise(answers - arrivals, arrivals),
    )
