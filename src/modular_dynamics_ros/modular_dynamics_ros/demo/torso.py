"""The care robot's real torso: dynamics_node and torso_reaction_node answer its motion, all is recorded."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from modular_dynamics_interfaces.msg import TorsoReactions
from rich.console import Console

import modular_dynamics as md
from modular_dynamics_ros.demo.evaluation import RunFigures, run_figures, table_of
from modular_dynamics_ros.demo.playing import Playback
from modular_dynamics_ros.demo.recorder import MotionRecorder
from modular_dynamics_ros.player.motion import Schedule
from modular_dynamics_ros.player.recordings import load_motion

__all__ = ["TorsoRun", "play_torso", "print_reactions"]

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
