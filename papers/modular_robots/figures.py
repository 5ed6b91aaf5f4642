"""`make modular-figures`: Figures 4, 5, 7 and 8 of Meister & Gutenkunst, and how closely both codes agree.

The organism and its directed graph, its incidence matrix, the topologies of double pendulum and crane, and
their motions: assemblies of modules beside Lagrange's equations, integrated without the library.

    python -m papers.modular_robots.figures [--help]
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from papers.modular_robots import benchmarks
from papers.modular_robots.benchmarks import CHAOTIC, DURATION, TARGET, Benchmark, Comparison, compare
from papers.modular_robots.curves_picture import draw_curves
from papers.modular_robots.lagrange import growth
from papers.modular_robots.organism import MISPRINTS, organism
from papers.modular_robots.organism_picture import draw_organism
from papers.modular_robots.table_picture import draw_table
from papers.modular_robots.topology_picture import draw_topologies

PICTURES = ("figure_4.png", "figure_5.png", "figure_7.png", "figure_8.png")


def main() -> int:
    """Compare, draw, print; return 1 if a difference reaches the target."""
    parser = argparse.ArgumentParser(prog="python -m papers.modular_robots.figures",
                                     description=__doc__.splitlines()[0])  # fmt: skip
    out = benchmarks.ROOT / "out" / "modular"
    parser.add_argument("--out", type=Path, default=out, help="folder of the pictures")
    parser.add_argument("--duration", type=float, default=DURATION, help="of the motions [s]")
    options = parser.parse_args()
    if not 0.0 < options.duration < np.inf:
        parser.error(f"--duration {options.duration}: a time above zero is needed")
    options.out.mkdir(parents=True, exist_ok=True)
    console = Console(width=None if sys.stdout.isatty() else 110)
    pendulum, crane = benchmarks.double_pendulum(), benchmarks.crane()
    first, second = (compare(benchmark, options.duration) for benchmark in (pendulum, crane))
    times = np.linspace(0.0, options.duration, 1001)
    grows = growth(pendulum.equations, np.array(CHAOTIC), times)
    four, five, seven, eight = (options.out / name for name in PICTURES)
    draw_organism(organism(), four)
    draw_table(organism().incidence_matrix(), MISPRINTS, five)
    draw_curves((first, second), seven)
    draw_topologies(pendulum, crane, eight)
    console.print(table(first, second))
    console.print(notes((first, second), grows, options.duration), highlight=False)
    for path in (four, five, seven, eight):
        console.print(f"Drawn in {path}", highlight=False, soft_wrap=True)
    return int(max(one.differences.max() for one in (first, second)) >= TARGET)


def table(*comparisons: Comparison) -> Table:
    """Return a table with a row for each coordinate, and one for each energy."""
    made = Table(title="Assemblies of modules beside Lagrange's equations", title_justify="left")
    for name in ("", "coordinate", "amplitude", "difference", "of the amplitude", f"below {TARGET:.0e}"):
        made.add_column(name, justify="left" if name in ("", "coordinate") else "right", no_wrap=True)
    for compared in comparisons:
        benchmark, largest = compared.benchmark, compared.differences.max(axis=0)
        for k, (name, unit) in enumerate(zip(benchmark.coordinates, benchmark.units, strict=True)):
            reached = "yes" if largest[k] < TARGET else "no"
            numbers = f"{compared.amplitudes[k]:.4f} {unit}", f"{largest[k] * compared.amplitudes[k]:.1e}"
            made.add_row("" if k else benchmark.name, name, *numbers, f"{largest[k]:.1e}", reached)
        made.add_section()
    return made


def notes(comparisons: Sequence[Comparison], grows: float, duration: float) -> str:
    """Return notes on energies and on the double pendulum's start. ``grows``: from the chaotic start."""
    lines = ["Energy, its largest change relative to the range of the potential energy:"]
    for one in comparisons:
        ours, theirs = one.drifts
        lines.append(f"  {one.benchmark.name:16} ours {ours:.1e}, Lagrange's {theirs:.1e}")
    lines.append(f"How many times as large a small difference of the start becomes in {duration:g} s:")
    grown = [(one.benchmark, f"{one.grows:.1f}", one.benchmark.start) for one in comparisons]
    grown.append((comparisons[0].benchmark, f"{grows:.0e}", CHAOTIC))
    lines += [f"  {one.name:16} {times} from {_start(one, start)}" for one, times, start in grown]
    lines.append("The last start is chaotic: from there no two integrators agree for long.")
    return "\n".join(lines)


def _start(benchmark: Benchmark, start: Iterable[float]) -> str:
    values = zip(benchmark.coordinates, start, benchmark.units, strict=True)
    return ", ".join(f"{name} = {value:g} {unit}" for name, value, unit in values)


if __name__ == "__main__":
    raise SystemExit(main())
