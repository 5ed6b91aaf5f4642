"""The tables that the demo ends with."""

import numpy as np
from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from modular_dynamics_ros.demo.evaluation import Evaluation, RunFigures
from modular_dynamics_ros.demo.torso import TorsoRun

__all__ = ["print_reactions", "print_torques"]


def _table(title: str, run: RunFigures, answers: str) -> Table:
    """A table that begins with messages and latency."""
    table = Table(title=title, title_style="bold")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_row("joint states sent / received", f"{run.sent} / {run.received}", "messages")
    table.add_row(f"{answers} received", f"{run.answered}", "messages")
    table.add_row("rate", f"{run.latency.rate:.1f}", "Hz")
    for name in ("p50", "p99", "max"):
        table.add_row(f"latency {name} (*)", f"{1e3 * getattr(run.latency, name):.2f}", "ms")
    table.add_section()
    return table


def print_torques(console: Console, graph: md.SubsystemGraph, run: Evaluation) -> None:
    """Messages, latency, disagreement per subsystem, weight."""
    title = f"{graph.name}: {graph.nv} joints in {len(graph.subsystems)} subsystems"
    table, weight = _table(title, run, "torques"), run.weight
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


def print_reactions(console: Console, run: TorsoRun) -> None:
    """Messages, latency, forces of actuators and springs, equilibrium."""
    table = _table("charmie_torso: reactions of its torso, live", run, "reactions")
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
