"""Evaluation of recorded answers: completeness, latency, difference from Pinocchio, weight; and its table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from modular_dynamics_interfaces.msg import TorsoReactions
from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from examples.demo.playing import MotionRecorder, Playback, Recorder
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics_ros.diagnostics.statuses import LatencySummary, summarise
from modular_dynamics_ros.player import Schedule, load_motion

UNKNOWN = np.full(6, np.nan)
FORCE_ERROR = 1e-7  # [N] by which an actuator's force may differ from that of virtual power
NODE = "torso_reaction_node"


@dataclass(frozen=True)
class RunFigures:
    """Completeness and latency of the answers to a motion.

    Attributes:
        expected: samples of the motion; sent: joint states that the player reports to have sent; None without
            a player.
        times: (m,) of the processed states [s].
    """

    expected: int
    sent: int | None
    received: int
    times: np.ndarray
    latency: LatencySummary

    @property
    def processed(self) -> int:
        """Number of joint states that were processed."""
        return len(self.times)

    def losses(self) -> list[str]:
        """Return texts on missing messages; empty if none is missing."""
        reasons = []
        if self.sent is not None and self.sent != self.expected:
            reasons.append(f"the player sent {self.sent} joint states; the motion has {self.expected}")
        if self.sent is not None and self.received != self.sent:
            reasons.append(f"of {self.sent} joint states sent {self.received} were received")
        if self.processed < self.received:
            reasons.append(
                f"{self.received - self.processed} of {self.received} joint states were not processed"
            )
        return reasons


def figures_of(
    recorder: Any, processed: Sequence[int], expected: int, sent: int | None, received: int
) -> dict[str, Any]:
    """Return the arguments of `RunFigures`; processed: stamps [ns] of states with a recorded answer."""
    stamps = np.array(processed, dtype=np.int64)
    arrivals, answers = (
        np.array([times[stamp] for stamp in processed], dtype=np.int64)
        for times in (recorder.state_arrivals, recorder.answer_arrivals)
    )
    latency = summarise(answers - arrivals, arrivals)
    times = (stamps - stamps[:1]) * 1e-9
    return {"expected": expected, "sent": sent, "received": received, "times": times, "latency": latency}


@dataclass(frozen=True)
class Evaluation(RunFigures):
    """Figures of one run of dynamics_node.

    Attributes:
        ours, theirs: (m, nv) torques [N m or N].
        disagreement: subsystem -> largest |ours - theirs|; largest: largest |theirs| of the whole run.
        weight: vertical force of the ground on the robot (m,) [N]; fewest_wrenches: messages of the
            connection that has the fewest. dot: the graph that the node published; "" without one.
    """

    ours: np.ndarray
    theirs: np.ndarray
    disagreement: dict[str, float]
    largest: float
    weight: np.ndarray
    fewest_wrenches: int
    dot: str

    @property
    def relative(self) -> float:
        """Largest disagreement relative to the largest torque; NaN without an answer."""
        return float(np.max(list(self.disagreement.values())) / self.largest) if self.processed else np.nan

    def failures(self, threshold: float) -> list[str]:
        """Return why the run failed; empty if it did not."""
        reasons = self.losses()
        if self.fewest_wrenches < self.processed:
            reasons.append(
                f"connection wrenches are missing for {self.processed - self.fewest_wrenches} answers"
            )
        if unknown := int(np.isnan(self.theirs).any(axis=1).sum()):
            reasons.append(
                f"no reference was received for {unknown} answers: they cannot be compared with Pinocchio"
            )
        elif self.processed and not self.relative <= threshold:
            reasons.append(
                f"torques differ from Pinocchio's by {self.relative:.1e} of the largest one, "
                f"allowed are {threshold:.0e}"
            )
        return reasons


def evaluate(recorder: Recorder, expected: int, sent: int) -> Evaluation:
    """Return the comparison of every answer with Pinocchio's, from the recorded state and reference."""
    graph, check, stamps = recorder.graph, CrossCheck(recorder.graph), recorder.processed
    ours = np.array([recorder.torques[stamp] for stamp in stamps]).reshape(len(stamps), graph.nv)
    theirs = np.full_like(ours, np.nan)
    for row, stamp in enumerate(stamps):
        if np.isfinite(recorder.states[stamp]).all():  # otherwise no reference was received
            theirs[row] = check.torques(*recorder.states[stamp])
    difference = np.abs(ours - theirs)
    disagreement = {
        subsystem.name: float(difference[:, coordinates_of(graph, subsystem)].max(initial=0.0))
        for subsystem in graph.subsystems
    }
    return Evaluation(
        **figures_of(recorder, recorder.processed, expected, sent, len(recorder.states)),
        ours=ours,
        theirs=theirs,
        disagreement=disagreement,
        largest=float(np.abs(theirs).max(initial=0.0)),
        weight=_weight(recorder, stamps),
        fewest_wrenches=min(len(messages) for messages in recorder.wrenches.values()),
        dot=recorder.dot,
    )


def coordinates_of(graph: md.SubsystemGraph, subsystem: md.Subsystem) -> list[int]:
    """Return indices in tau of a subsystem's coordinates."""
    return [graph.v_slice(joint.name).start for joint in subsystem.joints if joint.mimic is None]


def _weight(recorder: Recorder, stamps: list[int]) -> np.ndarray:
    """Return the ground's force on the robot against gravity, from published wrenches [N]; NaN if none."""
    graph, gravity = recorder.graph, recorder.graph.gravity
    up = -gravity / (np.linalg.norm(gravity) or 1.0)
    weight = np.zeros(len(stamps))
    for subsystem in graph.subsystems:
        if subsystem.predecessor is not None:
            continue
        for row, stamp in enumerate(stamps):
            frame, wrench = recorder.wrenches[subsystem.name].get(stamp, (graph.ground.name, UNKNOWN))
            (pose,) = md.frame_poses(graph, recorder.states[stamp][0], [frame])
            weight[row] += up @ pose[:3, :3] @ wrench[:3]
    return weight


def table_of(title: str, run: RunFigures, answers: str) -> Table:
    """Return a table that begins with messages and latency."""
    table = Table(title=title, title_style="bold")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("unit")
    if run.sent is None:
        table.add_row("joint states received", f"{run.received}", "messages")
    else:
        table.add_row("joint states sent / received", f"{run.sent} / {run.received}", "messages")
    table.add_row(f"{answers} received", f"{run.processed}", "messages")
    table.add_row("rate", f"{run.latency.rate:.1f}", "Hz")
    for name in ("p50", "p99", "max"):
        table.add_row(f"latency {name} (*)", f"{1e3 * getattr(run.latency, name):.2f}", "ms")
    table.add_section()
    return table


def print_torques(console: Console, graph: md.SubsystemGraph, run: Evaluation) -> None:
    """Print messages, latency, disagreement per subsystem and weight."""
    title = f"{graph.name}: {graph.nv} joints in {len(graph.subsystems)} subsystems"
    table, weight = table_of(title, run, "torques"), run.weight
    table.add_row("[bold]worst difference to Pinocchio", "N m or N", "(of the largest torque)")
    for name, difference in run.disagreement.items():
        relative = difference / run.largest if run.largest else np.nan
        table.add_row(f"  {name}", f"{difference:.1e}", f"({relative:.1e})")
    table.add_row("largest torque of a joint", f"{run.largest:.1f}", "N m or N")
    table.add_section()
    if len(weight):
        table.add_row("total weight on the base, mean", f"{np.mean(weight):.1f}", "N")
        table.add_row("  as the robot moves", f"{np.min(weight):.1f} .. {np.max(weight):.1f}", "N")
    console.print(table)
    console.print("(*) from a joint state's arrival to its torques' arrival, both at the recorder")


@dataclass(frozen=True)
class TorsoRun(RunFigures):
    """The figures of one run.

    Attributes:
        actuators, springs: name -> force (m,) [N]. base: (m, 6) reaction of body 2 on 3 [N, N m].
        difference: largest difference of actuators' forces from those of virtual power [N], recomputed here.
        residual: largest equilibrium residual of a body [N or N m]. singularity: least distance from one.
    """

    actuators: dict[str, np.ndarray]
    springs: dict[str, np.ndarray]
    base: np.ndarray
    difference: float
    residual: float
    singularity: float

    def failures(self) -> list[str]:
        """Return why the run failed; empty if it succeeded."""
        reasons = self.losses()
        if self.processed and not self.difference <= FORCE_ERROR:
            reasons.append(f"actuator forces differ from virtual power by {self.difference:.1e} N")
        return reasons


def play_torso(files: Path, rate: float, out: Path, console: Console) -> TorsoRun:
    """Play the torso's motion at `rate` [Hz] through both nodes; return the figures of the run.

    Args:
        files: where urdf/ and config/ are. out: folder of the logs.

    Raises:
        DemoError: a node has ended, or does not answer.
    """
    urdf, motion = files / "urdf/charmie_torso.urdf", files / "config/charmie_torso_motion.yaml"
    graph, expected = md.load_urdf(urdf), len(Schedule(load_motion(motion), rate, loop=False))
    robot = f"robot_description_file:={urdf}"
    rules = f"rules_file:={files / 'urdf/charmie_torso_rules.yaml'}"
    nodes = {"dynamics_node": (robot,), NODE: (robot, rules)}
    playback = Playback(nodes, files / "config/charmie_torso.yaml", motion, rate, expected)
    recorder = MotionRecorder("torso_recorder", graph.independent_joint_names)
    reactions: dict[int, TorsoReactions] = recorder.record(TorsoReactions, f"{NODE}/reactions", lambda m: m)
    sent = playback.record(recorder, out, console)
    messages = [reactions[stamp] for stamp in recorder.processed]
    actuators = _by_name([{a.name: a.force for a in message.actuators} for message in messages])
    bases = [next(j.wrench for j in message.joints if j.name == "j3") for message in messages]
    parts = [[getattr(part, axis) for part in (w.force, w.torque) for axis in "xyz"] for w in bases]
    return TorsoRun(
        **figures_of(recorder, recorder.processed, expected, sent, len(recorder.states)),
        actuators=actuators,
        springs=_by_name([{s.name: s.tension for s in message.springs} for message in messages]),
        base=np.array(parts).reshape(-1, 6),
        difference=_difference(graph, recorder, actuators),
        residual=max((max(m.residual_force, m.residual_moment) for m in messages), default=np.nan),
        singularity=min((message.singularity_distance for message in messages), default=np.nan),
    )


def _by_name(values: list[dict[str, float]]) -> dict[str, np.ndarray]:
    """Return the values of each name over time."""
    return {name: np.array([one[name] for one in values]) for name in (values[0] if values else ())}


def _difference(
    graph: md.SubsystemGraph, recorder: MotionRecorder, actuators: dict[str, np.ndarray]
) -> float:
    """Return the largest difference [N] of actuators' forces from virtual power; NaN without a reference."""
    solver = md.loops.ClosedLoopInverseDynamics(graph)
    indices, guess = [graph.independent_joint_names.index(name) for name in actuators], None
    differences = [0.0]
    for row, stamp in enumerate(recorder.processed):
        if not np.isfinite(recorder.states[stamp]).all():  # no reference was received
            return np.nan
        whole = solver.solve(*recorder.states[stamp], guess=guess)
        guess = whole.coordinates
        forces = np.array([values[row] for values in actuators.values()])
        differences.append(float(np.abs(whole.tau[indices] - forces).max(initial=0.0)))
    return float(np.max(differences))


def print_reactions(console: Console, run: TorsoRun) -> None:
    """Print messages, latency, forces of actuators and springs, and equilibrium."""
    table = table_of("charmie_torso: reactions of its torso, live", run, "reactions")
    if run.processed:
        for name, force in (run.actuators | run.springs).items():
            table.add_row(f"force of {name}", f"{force.min():.2f} .. {force.max():.2f}", "N")
        table.add_row("actuators, difference to virtual power", f"{run.difference:.1e}", "N")
        table.add_section()
        table.add_row("weight on body 3, mean", f"{run.base[:, 2].mean():.1f}", "N")
        table.add_row("equilibrium residual, largest", f"{run.residual:.1e}", "N or N m")
        table.add_row("distance from a singular configuration, smallest", f"{run.singularity:.3f}", "of 1")
    console.print(table)
    console.print("(*) by way of dynamics_node, whose wrenches of arms and head are the loads")
