"""Table 1: operations and generation times of three methods, ours beside the paper's.

Ours are counted on what is generated now, all lengths, angles, inertias and gravity as symbols, as the
paper's are. `make paper-schappler` prints them; here for any mechanism of planar loops:

    python -m papers.closed_loop_elimination.table_1 [URDF]
"""

import argparse
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import modular_dynamics as md
from papers.closed_loop_elimination.counting import WEIGHTS, Count
from papers.closed_loop_elimination.methods import METHODS, Method

ROOT = Path(__file__).resolve().parents[2]
REPEATS = 3

#: The paper's Table 1, with the CPU seconds of its public files (paper/proof); those of IC add W's and the
#: tree's. Assignments of DE's g1 are its file's, 272: the printed 358 does not give the printed sum.
PAPER = {
    ("g1", "TE"): (Count(710, 985, 12, 3, 22, 0, 365), 4934.58),
    ("g1", "DE"): (Count(491, 646, 24, 3, 38, 5, 272), 1275.62),
    ("g1", "IC"): (Count(462, 554, 6, 0, 50, 0, 264), 0.14 + 7.50),
    ("g1", "W"): (Count(40, 66, 6, 0, 22, 0, 36), 0.14),
    ("g1", "tree"): (Count(422, 488, 0, 0, 28, 0, 228), 7.50),
    ("M1", "TE"): (Count(1138, 1671, 28, 3, 22, 0, 598), 7182.49),
    ("M1", "DE"): (Count(1142, 1656, 25, 3, 32, 5, 591), 7236.44),
    ("M1", "IC"): (Count(1230, 1730, 6, 0, 48, 0, 537), 0.14 + 14.84),
    ("M1", "W"): (Count(40, 66, 6, 0, 22, 0, 36), 0.14),
    ("M1", "tree"): (Count(1190, 1664, 0, 0, 26, 0, 501), 14.84),
}
#: Printed weighted sums, and the printed assignments of DE's g1.
PRINTED_SUMS = {
    ("g1", "TE"): 2343, ("g1", "DE"): 1975, ("g1", "IC"): 1804, ("g1", "W"): 386, ("g1", "tree"): 1418,
    ("M1", "TE"): 3754, ("M1", "DE"): 3899, ("M1", "IC"): 4001, ("M1", "W"): 386, ("M1", "tree"): 3615,
}  # fmt: skip
PRINTED_ASSIGNMENTS = 358
TERMS: dict[str, Callable[[Method], Any]] = {
    "g1": lambda method: method.gravity_torque,
    "c1": lambda method: method.velocity_torque,
    "M1": lambda method: method.mass_matrix,
    "spring": lambda method: method.spring_torque,
    "tau1": lambda method: method.torque,
    "W": lambda method: method.projection,
    "g tree": lambda method: method.open_tree[1],
    "M tree": lambda method: method.open_tree[0],
}
TITLES = {
    "g1": "gravitational load g1",
    "c1": "Coriolis and centrifugal torques c1 (the paper gives none)",
    "M1": "mass matrix M1",
    "spring": "spring torque tau_1s (the paper gives none)",
    "tau1": "inverse dynamics tau1 = M1 a + c1 + g1 + tau_1s (the paper gives none)",
}
NOTES = """\
Ours: operations of the shared expression graph, every length, angle, inertia and gravity a symbol; := counts
intermediates used more than once, and results. "numbers": the same with this robot's numbers folded in.
TE: sines and cosines of dependent angles substituted; DE: the angles, by atan2. Both: g1 is the gradient of
the potential; M1 the kinetic energy's second derivative by the rates, written out as a sum over bodies.
IC: takes the coordinates of all joints, as the paper's does; closing the loops is counted in neither. Ours
counts the projection W^T g or W^T M W too, which the paper's sum of W and the open tree leaves out.
Bodies 8 and 13, which are fixed to others, are merged with them; the paper keeps their parameters apart.
M1: symmetric pairs once. DE, g1: the paper prints 358 assignments; its files and its weighted sum say 272.
t: from the loaded robot to counted expressions, least of {repeats} runs; the paper's: CPU time of its files.
"""


class Measured(NamedTuple):
    """Operations with symbols, the time to get them [s], operations with numbers."""

    symbols: Count
    seconds: float
    numbers: Count


Table1 = dict[tuple[str, str], Measured]


def measure(graph: md.SubsystemGraph) -> Table1:
    """Return all rows, by term and method or part."""
    Method(graph, "TE")  # not timed: closes the loops once
    parts = {"g1": ("W", "tree"), "M1": ("W", "tree")}
    rows = [(term, row) for term in TITLES for row in (*METHODS, *parts.get(term, ()))]
    return {key: _measured(graph, *key) for key in rows}


def table_text(rows: Table1, beside_paper: bool = True) -> str:
    """Return the tables and their notes as text; the paper's rows are those of the exoskeleton."""
    console = Console(width=110, file=io.StringIO())
    for term in TITLES:
        of_term = {key[1]: row for key, row in rows.items() if key[0] == term}
        console.print(_table(term, of_term, PAPER if beside_paper else {}))
    console.print(NOTES.format(repeats=REPEATS), highlight=False)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def main() -> int:
    """Generate, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("urdf", nargs="?", type=Path, default=ROOT / "urdf" / "exoskeleton.urdf")
    graph = md.load_urdf(parser.parse_args().urdf)
    print(table_text(measure(graph), graph.name == "exoskeleton"))
    return 0


def _measured(graph: md.SubsystemGraph, term: str, row: str) -> Measured:
    method = row if row in METHODS else "IC"
    what = TERMS[{"W": "W", "tree": f"{term[0]} tree"}.get(row, term)]
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        derived = Method(graph, method, symbolic=True)
        counted = derived.count(what(derived))
        times.append(time.perf_counter() - start)
    folded = Method(graph, method)
    return Measured(counted, min(times), folded.count(what(folded)))


def _table(term: str, rows: dict[str, Measured], paper: dict[tuple[str, str], tuple[Count, float]]) -> Table:
    table = Table(title=TITLES[term], title_justify="left")
    for name in ("method", "", "±", "*", "/", "√", "sin", "atan", ":=", "sum", "t / s", "numbers: sum"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    table.add_row("", "factor", *map(str, WEIGHTS.values()), style="dim", end_section=True)
    for row, (ours, seconds, folded) in rows.items():
        name = f"open {term[0]}" if row == "tree" else row
        known = paper.get((term, row))
        own = f"{seconds:.2f}", str(folded.weighted)
        table.add_row(name, "ours", *_cells(ours), *own, end_section=known is None)
        if known is not None:
            theirs = *_cells(known[0]), f"{known[1]:.2f}", ""
            table.add_row("", "paper", *theirs, style="dim", end_section=True)
    return table


def _cells(count: Count) -> list[str]:
    return [*map(str, count), str(count.weighted)]


if __name__ == "__main__":
    raise SystemExit(main())
