"""Evaluation of recorded answers: completeness, latency, difference from Pinocchio, weight; and its table."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from modular_dynamics_interfaces.msg import TorsoReactions
from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics.pictures.colours import subsystem_colours
from modular_dynamics_ros.demo.playing import MotionRecorder, Playback, Recorder
from modular_dynamics_ros.diagnostics.statuses import LatencySummary, summarise
from modular_dynamics_ros.player import Schedule, load_motion

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


# The care robot's real torso: dynamics_node and torso_reaction_node answer its motion, all is recorded.

FORCE_ERROR = 1e-7  # [N] by which an actuator's force may differ from that of virtual power
NODE = "torso_reaction_node"


@dataclass(frozen=True)
class TorsoRun(RunFigures):
    """The figures of one run.

    Attributes:
        actuators, springs: name -> force (m,) [N]. base: (m, 6) reaction of body 2 on 3 [N, N m].
        difference: largest of the actuators' forces to those of virtual power [N], recomputed here.
        residual: largest of a body's equilibrium [N or N m]; dead_point: closest to one.
    """

    actuators: dict[str, np.ndarray]
    springs: dict[str, np.ndarray]
    base: np.ndarray
    difference: float
    residual: float
    dead_point: float

    def failures(self) -> list[str]:
        """Return why the run failed; empty if it did not."""
        reasons = self.losses()
        if self.answered and not self.difference <= FORCE_ERROR:
            reasons.append(f"actuator forces differ from virtual power by {self.difference:.1e} N")
        return reasons


def play_torso(files: Path, rate: float, out: Path, console: Console) -> TorsoRun:
    """Play it at `rate` [Hz].

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
    playback = Playback(nodes, (), files / "config/charmie_torso.yaml", motion, rate, expected)
    recorder = MotionRecorder("torso_recorder", graph.independent_joint_names)
    reactions: dict[int, TorsoReactions] = recorder.record(TorsoReactions, f"{NODE}/reactions", lambda m: m)
    sent = playback.record(recorder, out, console)
    messages = [reactions[stamp] for stamp in recorder.answered]
    actuators = _by_name([{a.name: a.force for a in message.actuators} for message in messages])
    bases = [next(j.wrench for j in message.joints if j.name == "j3") for message in messages]
    parts = [[getattr(part, axis) for part in (w.force, w.torque) for axis in "xyz"] for w in bases]
    return TorsoRun(
        **run_figures(recorder, expected, sent),
        actuators=actuators,
        springs=_by_name([{s.name: s.tension for s in message.springs} for message in messages]),
        base=np.array(parts).reshape(-1, 6),
        difference=_difference(graph, recorder, actuators),
        residual=max((max(m.residual_force, m.residual_moment) for m in messages), default=np.nan),
        dead_point=min((message.dead_point_distance for message in messages), default=np.nan),
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
    for row, stamp in enumerate(recorder.answered):
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
    if run.answered:
        for name, force in (run.actuators | run.springs).items():
            table.add_row(f"force of {name}", f"{force.min():.2f} .. {force.max():.2f}", "N")
        table.add_row("actuators, difference to virtual power", f"{run.difference:.1e}", "N")
        table.add_section()
        table.add_row("weight on body 3, mean", f"{run.base[:, 2].mean():.1f}", "N")
        table.add_row("equilibrium residual, largest", f"{run.residual:.1e}", "N or N m")
        table.add_row("distance from a dead point, smallest", f"{run.dead_point:.3f}", "of 1")
    console.print(table)
    console.print("(*) by way of dynamics_node, whose wrenches of arms and head are the loads")


# Figures over time: torques of every subsystem, ours over Pinocchio's, and the reactions of the torso.

ROUNDING = 1e-17  # differences of exactly zero are drawn here, at the foot of a logarithmic axis
STYLES = ("-", (0, (6, 1.5)), (0, (2, 1)))
OVERLAID = ("-", "-", (0, (5, 5)))  # of equal curves, such as the two springs of body 4, both are seen


@contextmanager
def _panels(title: str, count: int, row_height: float, path: Path) -> Iterator[tuple[Figure, list[Axes]]]:
    """Yield a figure and its panels over time, in two columns; write it to the path at the end."""
    rows = (count + 1) // 2
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(13, row_height * rows + 0.8), layout="constrained")
        panels = list(figure.subplots(rows, 2, sharex=True, squeeze=False).flat)
        yield figure, panels[:count]
        for axis in panels[count:]:
            axis.set_visible(False)
        for axis in panels[count - 2 : count]:
            axis.set_xlabel("time [s]")
            axis.tick_params(labelbottom=True)
        figure.suptitle(title, fontsize=13, fontweight="bold")
        figure.savefig(path, dpi=130)


def _finish(axis: Axes, title: str, quantity: str, colour: str = "black") -> None:
    """Add title, quantity, grid and legend to a panel whose lines are drawn."""
    axis.set_title(title, color=colour, fontweight="bold", loc="left")
    axis.set_ylabel(quantity)
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, markerscale=4)


def draw_torques(graph: md.SubsystemGraph, evaluation: Evaluation, path: Path) -> Path:
    """Write the picture; return its path. Forces and torques of one subsystem have panels of their own."""
    colours = subsystem_colours(graph)
    groups = [
        (subsystem.name, quantity, joints)
        for subsystem in graph.subsystems
        for quantity in ("torque [N m]", "force [N]")
        if (joints := _joints(graph, subsystem, quantity))
    ]
    title = f"{graph.name}: joint torques of every subsystem"
    with _panels(title, len(groups) + 1, 2.3, path) as (figure, panels):
        for axis, (name, quantity, joints) in zip(panels, groups, strict=False):
            _draw_joints(axis, evaluation, joints, colours[name])
            _finish(axis, name, quantity, colours[name])
        _draw_difference(panels[-1], graph, evaluation, colours)
        figure.legend(
            handles=[
                Line2D([], [], color="0.25", lw=1.3, label="dynamics_node (composed of subsystems)"),
                Line2D([], [], color="0.25", lw=5, alpha=0.25, label="Pinocchio (whole robot)"),
            ],
            loc="outside lower center",
            ncols=2,
            frameon=False,
        )
    return path


def _joints(graph: md.SubsystemGraph, subsystem: md.Subsystem, quantity: str) -> list[tuple[str, int]]:
    """Return name and coordinate of a subsystem's joints that have this quantity."""
    linear = quantity.startswith("force")
    moved = [
        joint for joint in subsystem.joints if joint.mimic is None and (joint.type == "prismatic") == linear
    ]
    return [(joint.name, graph.v_slice(joint.name).start) for joint in moved]


def _draw_joints(axis: Axes, evaluation: Evaluation, joints: list[tuple[str, int]], colour: str) -> None:
    """Draw each joint in its own shade, dark to light, distinguishable on white."""
    base = np.array(to_rgb(colour))
    steps = np.linspace(-0.45, 0.4, len(joints)) if len(joints) > 1 else [0.0]
    for (name, index), step, style in zip(joints, steps, cycle(STYLES), strict=False):
        shade = tuple(base * (1.0 + step) if step < 0.0 else base + (1.0 - base) * step)
        axis.plot(evaluation.times, evaluation.theirs[:, index], color=shade, lw=5, alpha=0.25)
        axis.plot(evaluation.times, evaluation.ours[:, index], color=shade, lw=1.3, ls=style, label=name)
    axis.margins(y=0.12)
    axis.ticklabel_format(axis="y", useOffset=False)


def _draw_difference(
    axis: Axes, graph: md.SubsystemGraph, evaluation: Evaluation, colours: dict[str, str]
) -> None:
    difference = np.abs(evaluation.ours - evaluation.theirs) / evaluation.largest
    for subsystem in graph.subsystems:
        if own := coordinates_of(graph, subsystem):
            worst = np.maximum(difference[:, own].max(axis=1), ROUNDING)
            style = {"color": colours[subsystem.name], "ls": "", "marker": ".", "ms": 2.5}
            axis.semilogy(evaluation.times, worst, label=subsystem.name, **style)
    axis.axhline(1e-9, color="0.2", lw=1.0, ls="--", label="allowed: 1e-9")
    _finish(axis, f"difference between the two (0 is drawn at {ROUNDING:.0e})", "of the largest torque")


def draw_reactions(run: TorsoRun, path: Path) -> Path:
    """Write the picture; return its path."""
    mean, axes = run.base.mean(axis=0), ("x", "y", "z")
    forces = {f"{a}, mean {m:.1f}": f - m for a, m, f in zip(axes, mean[:3], run.base.T[:3], strict=True)}
    groups = (
        ("actuators", "force [N]", run.actuators),
        ("springs", "tension [N]", run.springs),
        ("body 2 on body 3, less its mean", "force [N]", forces),
        ("body 2 on body 3", "moment [N m]", dict(zip(axes, run.base.T[3:], strict=True))),
    )
    title = "CHARMIE's torso: what torso_reaction_node has published"
    with _panels(title, len(groups), 2.6, path) as (_, panels):
        for axis, (name, quantity, lines) in zip(panels, groups, strict=True):
            for (label, values), style in zip(lines.items(), cycle(OVERLAID), strict=False):
                axis.plot(run.times, values, lw=1.3, ls=style, label=label)
            _finish(axis, name, quantity)
    return path
