"""Symbolic equations of modular robots: how long they take to generate, and how many operations they have.

Equal cubes with a hinge each, docked at right angles in drawn directions: chains, and trees in which every
cube carries two. "difference" is the largest one of its M, C, N and tau from the library's
at one state, relative to the largest number of each.

    python -m benchmark.studies.modular_closed_form [--help]
"""

import argparse
import sys
import time

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import modular_dynamics as md
from benchmark.setting.modules import cubes
from modular_dynamics.modular.equations import closed_form

TOLERANCE = 1e-12  # of results of a few thousand operations


def main(arguments: list[str] | None = None) -> int:
    """Generate, count, compare, print; 1 if a difference is too large."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--modules", type=int, default=12, metavar="N", help="the largest number (default: 12)"
    )
    options = parser.parse_args(arguments)
    if options.modules < 1:
        parser.error(f"--modules is {options.modules}; 1 or more is needed")
    console = Console(width=None if sys.stdout.isatty() else 110)
    closed_form(md.load_urdf(cubes(1)), symbolic=True)  # not timed: imports SymPy
    table = Table(title="M(q) a + C(q, v) v + N(q) = tau as SymPy expressions", title_justify="left")
    names = (
        "modules",
        "generation s",
        "named",
        "M",
        "C",
        "N",
        "tau",
        "C99 s",
        "C99 kB",
        "difference",
    )
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    largest = 0.0
    columns = BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=2 * options.modules)
        for branched in (False, True):
            for count in range(1, options.modules + 1):
                graph = md.load_urdf(cubes(count, branched=branched))
                progress.update(task, description=graph.name)
                cells, difference = _measured(graph)
                largest = max(largest, difference)
                shape = "tree" if branched else "chain"
                table.add_row(f"{shape} {count:2}", *cells, end_section=count == options.modules)
                progress.advance(task)
    console.print(table)
    console.print(
        "named: intermediate expressions. M, C, N, tau: operations of each function by itself, common "
        "expressions once.\ntau is M a + C v + N. C99: writing all four functions as text.",
        highlight=False,
    )
    return 0 if largest <= TOLERANCE else 1


def _measured(graph: md.SubsystemGraph) -> tuple[list[str], float]:
    """The cells of a row, and the largest difference."""
    start = time.perf_counter()
    equations = closed_form(graph, symbolic=True)
    times = [time.perf_counter() - start]
    counts = equations.operations
    start = time.perf_counter()
    written = equations.c99("robot")
    times.append(time.perf_counter() - start)
    q, v, a = np.random.default_rng(0).normal(size=(3, graph.nv))
    expected = {
        "M": (md.mass_matrix(graph, q), (q,)),
        "C": (md.coriolis_matrix(graph, q, v), (q, v)),
        "N": (md.nonlinear_effects(graph, q, 0 * v), (q,)),
        "tau": (md.inverse_dynamics(graph, q, v, a), (q, v, a)),
    }
    # C of one joint is zero but for rounding, and so is N where all hinges are vertical
    sizes = {"C": np.abs(expected["M"][0]).max() * np.abs(v).max(), "N": _weight(graph)}
    difference = 0.0
    for name, (numbers, state) in expected.items():
        own = np.array(equations.python_function(name)(*state))
        size = max(float(np.abs(numbers).max()), sizes.get(name, 0.0))
        difference = max(difference, float(np.abs(own - numbers).max()) / size)
    cells = [f"{times[0]:.2f}", str(len(equations.definitions)), *map(str, counts.values())]
    cells += [f"{times[1]:.2f}", f"{len(written.source) / 1e3:.0f}", f"{difference:.0e}"]
    return cells, difference


def _weight(graph: md.SubsystemGraph) -> float:
    """Of one cube, times its edge [N m]."""
    return float(
        9.81 * graph.bodies[0].mass * np.sqrt(6 * graph.bodies[0].inertia[0, 0] / graph.bodies[0].mass)
    )


if __name__ == "__main__":
    raise SystemExit(main())
