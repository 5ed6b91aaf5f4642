"""`make bench`: all timed figures of this project, measured on this machine.

python benchmark/run.py [--help]
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run by its path, from any folder
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmark.measurements.batches import measure_partitions, measure_sizes
from benchmark.measurements.changes import measure_changes
from benchmark.measurements.comparisons import RobotFigures, compare
from benchmark.measurements.distributed import measure_distributed
from benchmark.measurements.docking import measure_docking
from benchmark.measurements.first_use import measure_first_uses
from benchmark.measurements.growth import (
    Growth,
    LoopFigures,
    measure_growth,
    measure_loops,
    measure_spatial_loops,
)
from benchmark.measurements.loop_peers import measure_loop_peers
from benchmark.measurements.loop_robots import measure_loop_robots
from benchmark.measurements.loop_terms import measure_loop_terms
from benchmark.measurements.machine import Machine, describe
from benchmark.measurements.node import measure_node
from benchmark.measurements.node_stages import measure_stages
from benchmark.measurements.readiness import measure_readiness
from benchmark.report import loop_tables, tables
from benchmark.report.picture import draw
from benchmark.setting.robots import ROBOTS, ROOT, random_tree, read, seven_joint_arm

PARTS = (
    "robots",
    "sizes",
    "growth",
    "loops",
    "partition",
    "changes",
    "docking",
    "readiness",
    "node",
    "distributed",
)
LARGE = ROBOTS[0]  # the robot of the parts that have one
GENERIC = 38  # joints of a tree of arbitrary frames and inertias, as many as the large robot's
ARM = ROOT / "urdf/vendor_arm.urdf"  # what is attached to it
INTRODUCTION = """\
Medians of interleaved rounds in this process; each turn starts with a call that is not timed and
fetches the arrays. Many states: 8192, 256 where results are matrices. library: its functions;
core: what they call, without the Python that looks at arguments; core, C++: called from C++, state
by state, by the header of graph.to_cpp(); C99, CasADi: C by graph.export_c(), and by CasADi of
graph.to_casadi(). Peers are called from Python, state by state, except "...InParallel", "loop in C"
and "loop in C++"; they keep one result. MuJoCo: states are set beforehand; "full": with M as a full
matrix. C: Pinocchio's algorithms by CasADi; C++: Pinocchio's libraries. All other C and C++ is
compiled with -O3 -march=native.
"""


def main() -> int:
    """Measure, print the tables, write out/bench/*.json; 1 when a message was not answered."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    machine = describe()
    console = Console(width=None if sys.stdout.isatty() else 100)
    console.print(f"{machine}; load {os.getloadavg()[0]:.1f} of {machine.cores}", highlight=False)
    console.print(INTRODUCTION)
    columns = SpinnerColumn(), BarColumn(20), TextColumn("{task.description}"), TimeElapsedColumn()
    # refreshed only between measurements: a thread that draws would disturb them
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as progress:
        return Run(options, machine, console, progress).all()


class Run:
    """One run: its parts in turn, each with a table and a JSON file."""

    def __init__(
        self, options: argparse.Namespace, machine: Machine, console: Console, progress: Progress
    ) -> None:
        self._options, self._machine, self._console, self._progress = options, machine, console, progress
        given = [read(path) for path in options.urdf]
        self._urdfs = given or [*map(read, ROBOTS), random_tree(GENERIC), seven_joint_arm()]
        self._rounds = 5 if options.quick else 15
        self._robots: list[RobotFigures] = []
        self._growth: Growth | None = None
        self._loops: list[LoopFigures] = []
        self._task = progress.add_task("", total=len(options.only))

    def all(self) -> int:
        """Run the chosen parts; 1 when the node lost a message."""
        began, status = time.monotonic(), 0
        for part in PARTS:
            if part in self._options.only:
                status |= getattr(self, part)() or 0
                self._progress.advance(self._task)
        if self._robots:
            tables.print_summary(self._console, self._robots)
        if self._growth or self._loops:
            draw(self._growth, self._loops, self._options.out / "growth.png")
        took = time.monotonic() - began
        self._console.print(f"{took:.0f} s; figures in {self._options.out}", highlight=False)
        return status

    def robots(self) -> None:
        """Every algorithm on every robot."""
        generated = self._options.out / "generated"
        for urdf in self._urdfs:
            number = f"robot {len(self._robots) + 1} of {len(self._urdfs)}"
            tick = self._ticker(number)
            figures = compare(urdf, self._machine.cores, self._rounds, generated, tick)
            self._robots.append(figures)
            tables.print_robot(self._console, figures)
        self._write("robots", robots=[asdict(figures) for figures in self._robots])

    def sizes(self) -> None:
        """From small batches to large ones."""
        figures = measure_sizes(read(LARGE), self._rounds, self._ticker("batch sizes"))
        tables.print_sizes(self._console, LARGE.stem, figures)
        self._write("sizes", robot=LARGE.stem, microseconds=figures)

    def growth(self) -> None:
        """From ten joints to a thousand."""
        figures = measure_growth(2 * self._rounds, self._ticker("growth"))
        tables.print_growth(self._console, figures)
        self._growth = figures
        self._write("growth", **asdict(figures))

    def loops(self) -> None:
        """Robots with loops beside their trees and beside other libraries; from one loop to fifty."""
        generated = self._options.out / "generated"
        robots = measure_loop_robots(self._rounds, self._ticker("robots with loops"))
        loop_tables.print_loop_robots(self._console, robots)
        terms = measure_loop_terms(self._rounds, self._ticker("equations of robots with loops"))
        loop_tables.print_loop_terms(self._console, terms)
        peers = measure_loop_peers(self._rounds, generated, self._ticker("loops beside other libraries"))
        loop_tables.print_loop_peers(self._console, peers)
        figures = measure_loops(self._rounds, generated, self._ticker("loops"))
        loop_tables.print_loops(self._console, figures)
        self._loops = figures
        spatial = measure_spatial_loops(self._rounds, self._ticker("spatial loops"))
        loop_tables.print_spatial_loops(self._console, spatial)
        tables_of = {"chains": figures, "spatial_chains": spatial, "robots": robots, "terms": terms}
        lists = {name: [asdict(one) for one in table] for name, table in tables_of.items()}
        self._write("loops", **lists, peers=asdict(peers))

    def partition(self) -> None:
        """From one subsystem to as many as joints."""
        figures = measure_partitions(read(LARGE), self._rounds, self._ticker("partition"))
        tables.print_partitions(self._console, LARGE.stem, figures)
        self._write("partition", robot=LARGE.stem, partitions=[asdict(one) for one in figures])

    def changes(self) -> None:
        """Payloads, attached arms and other changes."""
        figures = measure_changes(LARGE, ARM, self._rounds, self._ticker("changes"))
        tables.print_changes(self._console, LARGE.stem, figures)
        self._write("changes", robot=LARGE.stem, **asdict(figures))

    def docking(self) -> None:
        """Modules dock and undock."""
        figures = measure_docking(self._rounds, self._options.timor, self._ticker("docking"))
        tables.print_docking(self._console, figures)
        self._write("docking", **asdict(figures))

    def readiness(self) -> None:
        """From a file to torques."""
        figures = measure_readiness(LARGE, 3 if self._options.quick else 5, self._ticker("readiness"))
        tables.print_readiness(self._console, LARGE.stem, figures)
        first_uses = measure_first_uses(self._ticker("readiness"))
        tables.print_first_uses(self._console, first_uses)
        self._write("readiness", robot=LARGE.stem, **asdict(figures), first_uses=first_uses)

    def node(self) -> int:
        """The node under load."""
        rate, seconds = self._options.rate, self._options.seconds
        self._ticker("node")(f"{rate:g} joint states a second for {seconds:g} s")
        figures = measure_node(rate, seconds)
        tables.print_node(self._console, figures)
        stages = measure_stages()
        tables.print_stages(self._console, stages)
        self._write("node", **asdict(figures), stages=asdict(stages))
        return int(figures.answered != figures.sent)

    def distributed(self) -> None:
        """One node per subsystem."""
        seconds = min(5.0, self._options.seconds)
        figures = measure_distributed(seconds=seconds, tick=self._ticker("distributed"))
        tables.print_distributed(self._console, figures)
        self._write("distributed", robots=[asdict(one) for one in figures])

    def _ticker(self, part: str) -> Callable[[str], None]:
        def tick(what: str) -> None:
            self._progress.update(self._task, description=f"{part}: {what}", refresh=True)

        return tick

    def _write(self, name: str, **content: Any) -> None:
        text = json.dumps({"machine": asdict(self._machine)} | content, indent=2)
        (self._options.out / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python benchmark/run.py", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--out", type=Path, default=ROOT / "out/bench", help="folder of the figures")
    add("--urdf", type=Path, nargs="+", default=[], help="compare the algorithms on these robots instead")
    add("--only", choices=PARTS, nargs="+", default=PARTS, help="parts to measure (default: all)")
    add("--quick", action="store_true", help="fewer rounds: wider quartiles")
    add("--rate", type=float, default=500.0, help="the node's joint states per second (default: %(default)g)")
    add("--seconds", type=float, default=10.0, help="the node's, how long (default: %(default)g)")
    timor = os.environ.get("BENCH_TIMOR_PYTHON")
    add("--timor", default=timor, help="a Python that has timor-python (default: BENCH_TIMOR_PYTHON)")
    options = parser.parse_args()
    for urdf in options.urdf:
        if not urdf.is_file():
            parser.error(f"no URDF file at '{urdf}'")
    return options


if __name__ == "__main__":
    sys.exit(main())
