"""`make bench`: the timed figures of this project, measured here and now; nothing else prints them."""

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kernels import Comparison, compare
from node import NodeFigures, measure_node
from rich import box
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = [ROOT / f"urdf/{name}.urdf" for name in ("branched_38dof", "charmie", "vendor_arm")]


def main() -> int:
    """Measure, print the tables, write out/bench/*.json; 1 when a message was not answered."""
    parser = argparse.ArgumentParser(prog="python benchmark/run.py", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "out/bench", help="folder of the figures")
    parser.add_argument(
        "--rate", type=float, default=500.0, help="joint states per second (default: %(default)g)"
    )
    parser.add_argument(
        "--urdf", type=Path, nargs="*", default=ROBOTS, help="robots to compare the algorithms on"
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="how long (default: %(default)g)")
    options = parser.parse_args()
    for urdf in options.urdf:
        if not urdf.is_file():
            parser.error(f"no URDF file at '{urdf}'")
    options.out.mkdir(parents=True, exist_ok=True)
    console = Console()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    comparisons: list[Comparison] = []
    with console.status("compiling") as status:
        for urdf in options.urdf:
            comparisons += compare(urdf, os.cpu_count() or 1, status.update)
    _print_kernels(console, comparisons, machine)
    content = {"machine": machine, "comparisons": [asdict(one) for one in comparisons]}
    (options.out / "kernels.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    with console.status(
        f"dynamics_node answers {options.rate:g} joint states a second for {options.seconds:g} s"
    ):
        figures = measure_node(options.rate, options.seconds)
    _print_node(console, figures)
    content = asdict(figures) | {"machine": machine}
    (options.out / "node.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return 0 if figures.answered == figures.sent else 1


def _print_kernels(console: Console, comparisons: list[Comparison], machine: str) -> None:
    for robot in dict.fromkeys(one.robot for one in comparisons):
        table = Table(
            title=f"{robot}: inverse dynamics and mass matrix, microseconds per evaluation", box=box.SIMPLE
        )
        table.add_column("")
        table.add_column("ours", justify="right")
        table.add_column("peer", justify="right")
        table.add_column("which")
        table.add_column("times (quartiles)", justify="right")
        for one in (one for one in comparisons if one.robot == robot):
            ratio = f"{one.ratio:.1f} ({one.ratio_low:.1f} .. {one.ratio_high:.1f})"
            table.add_row(one.what, f"{one.ours_us:.3f}", f"{one.peer_us:.3f}", one.peer, ratio)
        console.print(table)
    console.print(f"medians of interleaved rounds on this machine: {machine}")


def _print_node(console: Console, figures: NodeFigures) -> None:
    table = Table(
        title=f"node: dynamics_node on {figures.robot}, {figures.rate:g} Hz for {figures.seconds:g} s"
    )
    for heading in ("sent", "answered", "p50 [ms]", "p99 [ms]", "max [ms]"):
        table.add_column(heading, justify="right")
    table.add_row(
        str(figures.sent),
        str(figures.answered),
        *(f"{value:.2f}" for value in (figures.p50, figures.p99, figures.max)),
    )
    console.print(table)
    console.print(
        "latency: from the sender's stamp to the torques' arrival in a third process, through ROS 2 twice"
    )


if __name__ == "__main__":
    sys.exit(main())
