"""The one table that the demo ends with."""

import numpy as np
from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from modular_dynamics_ros.demo.evaluation import Evaluation

__all__ = ["print_table"]


def print_table(console: Console, graph: md.SubsystemGraph, evaluation: Evaluation) -> None:
    """Messages, latency, disagreement per subsystem, weight."""
    latency, weight = evaluation.latency, evaluation.weight
    table = Table(
        title=f"{graph.name}: {graph.nv} joints in {len(graph.subsystems)} subsystems", title_style="bold"
    )
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_row("joint states sent / received", f"{evaluation.sent} / {evaluation.received}", "messages")
    table.add_row("torques received", f"{evaluation.answered}", "messages")
    table.add_row("rate", f"{latency.rate:.1f}", "Hz")
    for name, value in (("p50", latency.p50), ("p99", latency.p99), ("max", latency.max)):
        table.add_row(f"latency {name} (*)", f"{1e3 * value:.2f}", "ms")
    table.add_section()
    table.add_row("[bold]worst difference to Pinocchio", "N m or N", "(of the largest torque)")
    for name, difference in evaluation.disagreement.items():
        relative = difference / evaluation.largest if evaluation.largest else np.nan
        table.add_row(f"  {name}", f"{difference:.1e}", f"({relative:.1e})")
    table.add_row("largest torque of a joint", f"{evaluation.largest:.1f}", "N m or N")
    table.add_section()
    if len(weight):
        table.add_row("total weight on the base, mean", f"{np.mean(weight):.1f}", "N")
        table.add_row("  as the robot moves", f"{np.min(weight):.1f} .. {np.max(weight):.1f}", "N")
    console.print(table)
    console.print("(*) from a joint state's arrival to its torques' arrival, both at the recorder")
