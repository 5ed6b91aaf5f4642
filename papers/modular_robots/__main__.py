"""`make paper-meister`: Tables I, II, III, Figures 4 to 8 and equations 1 to 39; any assembly by --robot.

python -m papers.modular_robots [--help]
"""

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.exceptions import ModularDynamicsError
from papers.modular_robots.benchmark_pictures import draw_curves, draw_topologies
from papers.modular_robots.benchmarks import (
    CHAOTIC,
    DURATION,
    TARGET,
    Comparison,
    compare,
    crane,
    double_pendulum,
    symbolic_difference,
)
from papers.modular_robots.equations import report_equations
from papers.modular_robots.lagrange import growth
from papers.modular_robots.organism import (
    DIRECT,
    DOCKING_TYPES,
    INDIRECT,
    MISPRINTS,
    PRINTED,
    lists_of,
    organism,
)
from papers.modular_robots.pictures import draw_organism, draw_table, draw_traversal
from papers.modular_robots.robot import read_assembly, report_robot
from papers.modular_robots.snake import draw_swims, swim
from papers.report import ROOT, Report

TITLE = "Meister & Gutenkunst, Self-Adaptive Framework for Modular and Self-Reconfigurable Robotic Systems"
#: Table II.
DYADS = {
    "DS": "22 25 52 55",
    "DP": "33 34 43 44",
    "DO": "23 24 32 35 42 45 53 54",
}
SIZES = 8, 16, 24, 32  # modules of the chains whose operations are counted
IDENTICAL = 1e-10  # of energies, relative to the range of the potential one
MOMENTUM = 1e-8  # [N s, N m s]; integrated at 1e-10 in each step


def main(words: Sequence[str] | None = None) -> int:
    """Compare, draw, print; return 1 where a number is out of its bound, 2 for a file that cannot be used."""
    about = __doc__.splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m papers.modular_robots", description=about)
    folder = ROOT / "out" / "papers" / "modular_robots"
    parser.add_argument("--out", type=Path, help=f"folder of pictures and manifest.json (default: {folder})")
    parser.add_argument(
        "--duration", type=_time, default=DURATION, help="of Figure 7 [s] (default: %(default)s)"
    )
    own = parser.add_argument_group("a robot of your own, in place of the paper's tables and figures")
    own.add_argument("--robot", type=Path, metavar="FILE", help="YAML file of an incidence matrix")
    text = "YAML file of a module type that is not shipped; may be repeated"
    own.add_argument("--module", type=Path, metavar="FILE", action="append", default=[], help=text)
    own.add_argument("--floating-base", action="store_true", help="move the base by six virtual joints")
    own.add_argument("--q", type=_numbers, help="positions, as 0.1,0.2 (default: 0.3 of each joint)")
    own.add_argument("--v", type=_numbers, help="velocities (default: 0.5 of each joint)")
    options = parser.parse_args(words)
    out = options.out or (folder if options.robot is None else folder / options.robot.stem)
    out.mkdir(parents=True, exist_ok=True)
    if options.robot is None:
        return _paper(Report("modular_robots", TITLE, out), options.duration)
    report = Report("modular_robots", f"{TITLE}: {options.robot.name}", out)
    try:
        assembly = read_assembly(options.robot, options.module)
        report_robot(report, assembly, options.q, options.v, options.floating_base)
    except ModularDynamicsError as error:
        parser.error(str(error))
    return report.finish()


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers, such as 0.1,0.2") from None


def _time(text: str) -> float:
    (value,) = _numbers(text)
    if not 0.0 < value < np.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is no time above zero")
    return value


def _paper(report: Report, duration: float) -> int:
    robot = organism()
    _modules(report)
    _representation(report, robot)
    report_equations(report, robot)
    _rebuilding(report, robot)
    _operations(report)
    pendulum, cart = double_pendulum(), crane()
    compared = compare(pendulum, duration), compare(cart, duration)
    _benchmarks(report, compared, duration)
    swims = {name: swim(name) for name in ("rhythmic", "coupled chaotic maps")}
    for name, one in swims.items():
        table = "Section VI, gaits of a floating snake of five Backbones without weight"
        report.add(table, f"{name}: largest momentum", np.abs(one.momentum).max(), within=MOMENTUM)
        report.add(table, f"{name}: joints less the gait [rad]", one.gait_error, within=MOMENTUM)
        report.add(table, f"{name}: largest torque [N m]", np.abs(one.motion.tau).max())
        turn = 2.0 * np.arctan2(one.motion.coordinates[:, 5], one.motion.coordinates[:, 3])
        report.add(table, f"{name}: the base turns by up to [rad]", np.abs(turn).max())
    report.notes.append(
        "The paper prints neither lengths, masses, torques nor initial states, nor the gaits' formulas:\n"
        "the choices are in modular/modules/shipped/, config/modular/ and config/gaits/. The text does not\n"
        "have Figure 6's flowchart: the rule drawn is the one that gives Table III. Robots are assembled in\n"
        "Python and by files, not by clicking on a grid."
    )
    four, five, six, seven, eight = (report.out / f"figure_{k}.png" for k in range(4, 9))
    report.pictures += [
        draw_organism(robot, four),
        draw_table(robot.incidence_matrix(), MISPRINTS, five),
        draw_traversal(robot, six),
        draw_curves(compared, seven),
        draw_topologies(pendulum, cart, eight),
        draw_swims(swims, report.out / "gaits.png"),
    ]
    return report.finish()


def _modules(report: Report) -> None:
    """Tables I and II, from the shipped module types."""
    table, types = "Table I: Backbone and Scout", modular.shipped_types()
    for name, bends in (("backbone", "bend ±90"), ("scout", "rotate ±180, bend ±90")):
        kind = types[name]
        report.add(table, f"{name}: ports", str(len(kind.ports)), "4")
        report.add(table, f"{name}: joint types", _words({one.type.value for one in kind.joints}), "revolute")
        ranges = [f"{one.name} ±{np.degrees(one.limits.upper or np.nan):.0f}" for one in kind.joints]
        report.add(table, f"{name}: motions [deg]", ", ".join(ranges), bends)
    for title, second in (("both Backbones", "backbone"), ("Backbone and Scout", "scout")):
        first, other = types["backbone"], types[second]
        found: dict[str, list[str]] = {name: [] for name in DYADS}
        for a in first.ports.values():
            for b in other.ports.values():
                found[modular.docking_type(first, a, other, b, 0)].append(f"{a.name}{b.name}")
        for name, pairs in DYADS.items():
            report.add("Table II: dyads by their faces, from the hinge axes", f"{name}, {title}",
                       _words(sorted(found[name])), pairs)  # fmt: skip


def _representation(report: Report, robot: modular.Assembly) -> None:
    """Figures 4 to 6 and Table III."""
    table, aim = "Figures 4, 5: the organism and its incidence matrix", robot.incidence_matrix()
    for module, faces, printed in zip(aim.modules, aim.matrix, PRINTED, strict=True):
        wrong = any(row == module for row, _ in MISPRINTS)
        what = f"{module} (misprinted: {_words(printed)})" if wrong else module
        report.add(table, what, _words(faces), None if wrong else _words(printed))
    report.add(table, "joints", _words(aim.docking_types or ()), _words(DOCKING_TYPES))
    kind, misprinted = modular.shipped_types()["backbone"], []
    for column in np.array(PRINTED).T[:2]:
        ports = [kind.ports[str(face)] for face in column if face]
        misprinted.append(modular.docking_type(kind, ports[0], kind, ports[1], 0))
    report.add(table, "joints of e1, e2 if the misprinted faces held", _words(misprinted))
    report.add(table, "kinds", _words(one[0].upper() for one in aim.kinds), _words("B" * 9))
    carriers = {docking.parent for docking in robot.dockings}
    report.add(table, "paths", str(sum(module not in carriers for module in robot)), "3")
    direct, indirect = robot.direct_transformations(), robot.indirect_transformations()
    for name, rows, printed_rows in (("DTL", direct, DIRECT), ("IDTL", indirect, INDIRECT)):
        for k, (row, printed_row) in enumerate(zip(rows, printed_rows, strict=True)):
            report.add(
                f"Table III: {name}", f"row {k + 1}", _words(np.ravel(row)), _words(np.ravel(printed_row))
            )
    traversed = zip(lists_of(aim.matrix), (direct, indirect), strict=True)
    others = sum(tuple(a) != tuple(b) for one, rows in traversed for a, b in zip(one, rows, strict=True))
    what = "rows that the traversal of the matrix alone gives otherwise"
    report.add("Figure 6: the traversal", what, others, within=0.0)


def _words(parts: Iterable[object]) -> str:
    return " ".join(map(str, parts))


def _rebuilding(report: Report, robot: modular.Assembly) -> None:
    """The model builds itself: from the matrix, and when a module docks."""
    table = "Self-adaptation: the model from the matrix alone"
    again = modular.Assembly.from_incidence_matrix(robot.incidence_matrix(), name=robot.name)
    larger = robot.dock("v2", 4, "v9", 2, kind="scout")
    rebuilt = modular.Assembly.from_incidence_matrix(larger.incidence_matrix())
    for what, one, other in (("the organism", robot, again), ("a Scout docked at v2", larger, rebuilt)):
        graph = one.graph()
        q = np.linspace(-0.5, 0.5, graph.nv)
        difference = md.mass_matrix(graph, q) - md.mass_matrix(other.graph(), q)
        report.add(table, f"{what}, {graph.nv} joints: M less that from its matrix", np.abs(difference).max(),
                   within=0.0)  # fmt: skip


def _operations(report: Report) -> None:
    """The recursions' operations grow as n: counted, not timed."""
    table = f"O(n): operations of chains of {_words(SIZES)} modules, each turned by 90 degrees"
    counts: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            chain = modular.Assembly(base=("v0", "backbone"))
            for k in range(1, size + 1):
                chain = chain.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone", turn=1)
            functions = "inverse_dynamics", "forward_dynamics", "mass_matrix"
            code = chain.graph().export_c(Path(folder) / f"chain{size}.c", functions)
            for name in functions:
                counts.setdefault(name, []).append(code.operations[name])
    for name, growing, order in (
        ("inverse_dynamics", "n", 2),
        ("forward_dynamics", "n", 2),
        ("mass_matrix", "n^2", 3),
    ):
        report.add(table, name, _words(counts[name]))
        worst = np.abs(np.diff(counts[name], order)).max()
        report.add(table, f"{name}: grows as {growing}, its differences of order {order}", worst, within=0.0)


def _benchmarks(report: Report, compared: Sequence[Comparison], duration: float) -> None:
    """Figures 7 and 8: "absolutely identical"."""
    table = f"Figure 7: over {duration:g} s, beside Lagrange's equations (differences relative to amplitudes)"
    for one in compared:
        name, benchmark = one.benchmark.name, one.benchmark
        exact = symbolic_difference(benchmark)
        what = f"{name}: M a + C v + N less Lagrange's equations, by SymPy"
        report.add(table, what, "identical" if exact.is_zero_matrix else _words(exact), "identical")
        what = f"{name}: accelerations by M, C, N of numbers, relative"
        report.add(table, what, one.accelerations, within=IDENTICAL)
        for method, differences in one.differences.items():
            for coordinate, largest in zip(benchmark.coordinates, differences.max(axis=0), strict=True):
                report.add(table, f"{name}: {coordinate}, {method}", largest, within=TARGET)
        for whose, drift in zip(("ours", "Lagrange's"), one.drifts, strict=True):
            report.add(table, f"{name}: change of the energy, {whose}", drift, within=IDENTICAL)
        start = _words(f"{x:g} {unit}" for x, unit in zip(benchmark.start, benchmark.units, strict=True))
        report.add(table, f"{name}: a difference of the start, {start}, grows by", one.grows)
    pendulum, times = compared[0].benchmark, np.linspace(0.0, duration, 1001)
    grows = growth(pendulum.equations, np.array(CHAOTIC), times)
    what = f"{pendulum.name}: from {_words(f'{x:g} rad' for x in CHAOTIC)}, chaotic, it grows by"
    report.add(table, what, grows)


if __name__ == "__main__":
    raise SystemExit(main())
