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

from benchmark.measurements.changes import measure_changes
from benchmark.measurements.comparisons import RobotFigures, compare
from benchmark.measurements.loops import measure_loops
from benchmark.measurements.readiness import measure_starts, print_starts
from benchmark.report import print_changes, print_loops, print_robot, print_summary
from benchmark.setting.robots import ROBOTS, ROOT, random_tree, read, seven_joint_arm
from benchmark.setting.timing import Machine, describe

PARTS = "robots", "loops", "changes", "readiness", "node"
LARGE = ROBOTS[0]  # the robot of the parts that have one
GENERIC = 38  # joints of a tree of arbitrary frames and inertias, as many as the large robot's
ARM = ROOT / "urdf/vendor_arm.urdf"  # what is attached to it
INTRODUCTION = """\
Medians of interleaved rounds in this process; each turn starts with a call that is not timed and
fetches the arrays. Many states: 8192, 256 where results are matrices. library: its functions;
core: what they call, without the Python that looks at arguments; core, C++: called from C++, state
by state, by the header of graph.to_cpp(); C99: C by graph.export_c(). Peers are called from Python,
state by state, except "...InParallel" and "loop in C++"; they keep one result. MuJoCo: states are set
beforehand; "full": with M as a full matrix. C++: Pinocchio's libraries. All other C and C++ is
compiled with -O3 -march=native.
"""


def main() -> int:
    """Measure, print the tables, write out/bench/*.json; return 1 if a message was not processed."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    machine = describe()
    console = Console(width=None if sys.stdout.isatty() else 110)
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
        self._task = progress.add_task("", total=len(options.only))

    def all(self) -> int:
        """Run the chosen parts; 1 when the node lost a message."""
        began, status = time.monotonic(), 0
        for part in PARTS:
            if part in self._options.only:
                status |= getattr(self, part)() or 0
                self._progress.advance(self._task)
        if self._robots:
            print_summary(self._console, self._robots)
        took = time.monotonic() - began
        self._console.print(f"{took:.0f} s; figures in {self._options.out}", highlight=False)
        return status

    def robots(self) -> None:
        """Compare every algorithm on every robot."""
        generated = self._options.out / "generated"
        for urdf in self._urdfs:
            number = f"robot {len(self._robots) + 1} of {len(self._urdfs)}"
            tick = self._ticker(number)
            figures = compare(urdf, self._machine.cores, self._rounds, generated, tick)
            self._robots.append(figures)
            print_robot(self._console, figures)
        self._write("robots", robots=[asdict(figures) for figures in self._robots])

    def loops(self) -> None:
        """Compare robots with loops with their trees and other libraries."""
        figures = measure_loops(self._rounds, self._options.out / "generated", self._ticker("loops"))
        print_loops(self._console, figures)
        self._write("loops", **asdict(figures))

    def changes(self) -> None:
        """Time payloads, attached arms, docked modules and other changes."""
        figures = measure_changes(LARGE, ARM, self._rounds, self._ticker("changes"))
        print_changes(self._console, LARGE.stem, figures)
        self._write("changes", robot=LARGE.stem, **asdict(figures))

    def readiness(self) -> None:
        """Time processes from their start to torques."""
        starts = measure_starts(3 if self._options.quick else 5, self._ticker("readiness"))
        print_starts(self._console, starts)
        self._write("readiness", starts=[asdict(one) for one in starts])

    def node(self) -> int:
        """Time answers of dynamics_node under load, beside an echo."""
        from benchmark.studies.answer_latency import measure_answers, print_answers  # noqa: PLC0415  # ROS

        rate, seconds = self._options.rate, self._options.seconds
        self._ticker("node")(f"{rate:g} joint states a second for {seconds:g} s")
        figures = measure_answers(rate, seconds, branched=True)
        print_answers(self._console, figures)
        self._write("node", **asdict(figures))
        return int(figures.received["torques"] != figures.sent)

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
    options = parser.parse_args()
    for urdf in options.urdf:
        if not urdf.is_file():
            parser.error(f"no URDF file at '{urdf}'")
    return options


if __name__ == "__main__":
    sys.exit(main())
