"""Evaluation of recorded answers: completeness, latency, difference from Pinocchio, weight; and its table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics_ros.demo.recorder import MotionRecorder, Recorder
from modular_dynamics_ros.diagnostics.statuses import LatencySummary, summarise

__all__ = [
    "Evaluation",
    "RunFigures",
    "coordinates_of",
    "evaluate",
    "print_torques",
    "run_figures",
    "table_of",
]

UNKNOWN = np.full(6, np.nan)


@dataclass(frozen=True)
class RunFigures:
    """Completeness and latency of the answers to a motion.

    Attributes:
        expected: samples of the motion; sent: joint states that the player reports to have sent; None without
            a player.
        times: (m,) of the answered states [s].
    """

    expected: int
    sent: int | None
    received: int
    times: np.ndarray
    latency: LatencySummary

    @property
    def answered(self) -> int:
        """Number of joint states that were answered."""
        return len(self.times)

    def losses(self) -> list[str]:
        """Return which messages are missing, as texts; empty if none is."""
        reasons = []
        if self.sent is not None and self.sent != self.expected:
            reasons.append(f"the player sent {self.sent} joint states; the motion has {self.expected}")
        if self.sent is not None and self.received != self.sent:
            reasons.append(f"of {self.sent} joint states sent {self.received} were received")
        if self.answered < self.received:
            reasons.append(
                f"{self.received - self.answered} of {self.received} joint states were not answered"
            )
        return reasons


def run_figures(recorder: MotionRecorder, expected: int, sent: int) -> dict[str, Any]:
    """Return the arguments of `RunFigures`."""
    stamps = np.array(recorder.answered, dtype=np.int64)
    arrivals, answers = (
        np.array([times[stamp] for stamp in recorder.answered], dtype=np.int64)
        for times in (recorder.state_arrivals, recorder.answer_arrivals)
    )
    return {
        "expected": expected,
        "sent": sent,
        "received": len(recorder.states),
        "times": (stamps - stamps[:1]) * 1e-9,
        "latency": summarise(answers - arrivals, arrivals),
    }


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
        return float(np.max(list(self.disagreement.values())) / self.largest) if self.answered else np.nan

    def failures(self, threshold: float) -> list[str]:
        """Return why the run failed; empty if it did not."""
        reasons = self.losses()
        if self.fewest_wrenches < self.answered:
            reasons.append(
                f"connection wrenches are missing for {self.answered - self.fewest_wrenches} answers"
            )
        if unknown := int(np.isnan(self.theirs).any(axis=1).sum()):
            reasons.append(
                f"no reference was received for {unknown} answers: they cannot be compared with Pinocchio"
            )
        elif self.answered and not self.relative <= threshold:
            reasons.append(
                f"torques differ from Pinocchio's by {self.relative:.1e} of the largest one, "
                f"allowed are {threshold:.0e}"
            )
        return reasons


def evaluate(recorder: Recorder, expected: int, sent: int) -> Evaluation:
    """Return recompute every answer with Pinocchio from the recorded state and reference, and compare."""
    graph, check, stamps = recorder.graph, CrossCheck(recorder.graph), recorder.answered
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
        **run_figures(recorder, expected, sent),
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
    table.add_row(f"{answers} received", f"{run.answered}", "messages")
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
