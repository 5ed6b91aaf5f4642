"""`--robot FILE`: any incidence matrix to pictures, tables, and M, C, N at a state beside Pinocchio's."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.modular.equations.numeric import graph_of
from papers.modular_robots.equations import ROUNDING, State
from papers.modular_robots.kinematics import path_poses, paths
from papers.modular_robots.pictures import draw_organism, draw_table
from papers.report import Report

POSITION, SPEED = 0.3, 0.5  # of every joint, unless others are given [rad or m, rad/s or m/s]
MOST_SYMBOLIC = 24  # numbers in v up to which the equations are also built of symbols, in some seconds


def read_assembly(file: Path, modules: Sequence[Path] = ()) -> modular.Assembly:
    """Return the assembly of an incidence matrix in YAML; ``modules``: files of types that are not shipped.

    Raises:
        ModularDynamicsError: an invalid file or assembly; names file and line, or modules and faces.
    """
    types = {kind.name: kind for kind in map(modular.read_module_type, modules)}
    matrix = modular.IncidenceMatrix.from_yaml(file)
    return modular.Assembly.from_incidence_matrix(matrix, types=types, name=file.stem)


def report_robot(
    report: Report,
    assembly: modular.Assembly,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    floating_base: bool = False,
) -> None:
    """Add matrix, DTL, IDTL, paths, M, C and N of an assembly, and its pictures.

    With rings the equations are those of the tree that is left when they are opened.

    Args:
        q, v: of the joints [rad or m, rad/s or m/s]; a floating base's pose and twist first.
        floating_base: move the base by six virtual joints.

    Raises:
        StateError: of a wrong shape, or not finite.
    """
    graph, table = graph_of(assembly.graph().tree, floating_base), assembly.incidence_matrix()
    q, v = _state(graph, q, v)
    report.pictures += [
        draw_organism(assembly, report.out / "assembly.png"),
        draw_table(table, {}, report.out / "incidence_matrix.png"),
    ]
    report.notes.append(f"{assembly}\n\nAdapted assembly incidence matrix\n{table}")
    for name, rows in (
        ("DTL", assembly.direct_transformations()),
        ("IDTL", assembly.indirect_transformations()),
    ):
        report.notes.append(
            f"{name}, modules: {' '.join(f'{k} {n}' for k, n in enumerate(rows.modules))}\n{rows}"
        )
    equations, state = modular.closed_form(graph), State.of(graph, q, v, np.zeros(graph.nv))
    M, C, N = equations.M(q), equations.C(q, v), equations.N(q)
    report.notes.append(f"q {graph.joint_names}: {_text(q)}\nv: {_text(v)}")
    for name, matrix in (("M", M), ("C", C), ("N", N)):
        report.notes.append(f"{name}(q{', v' if name == 'C' else ''})\n{_text(matrix)}")
    theirs = state.theirs()
    size = max(np.abs(theirs[1]).max(initial=0.0), np.abs(theirs[0]).max(initial=0.0), 1.0)
    checks = "Beside Pinocchio: largest differences"
    report.add(checks, "M less crba's", _worst(M - theirs[0]), within=ROUNDING * size)
    report.add(checks, "C v + N less nonLinearEffects", _worst(C @ v + N - theirs[1]), within=ROUNDING * size)
    ends = path_poses(graph, q)
    worst = max((_worst(H - state.their_pose(link)) for link, H in ends.items()), default=0.0)
    what = f"(20) poses of the end links of {len(paths(graph))} paths"
    report.add(checks, what, worst, within=ROUNDING)
    if graph.nv > MOST_SYMBOLIC:
        report.notes.append(f"Left out: M, C, N of symbols, for {graph.nv} > {MOST_SYMBOLIC} velocities")
        return
    symbolic, file = modular.closed_form(graph, symbolic=True), report.out / "equations.txt"
    file.write_text(f"{symbolic}\n", encoding="utf-8")
    report.notes.append(f"M, C, N of symbols are in {file}")
    for name, vectors in (("M", (q,)), ("C", (q, v)), ("N", (q,))):
        difference = symbolic.python_function(name)(*vectors) - getattr(equations, name)(*vectors)
        what = f"{name} of symbols, {symbolic.operations[name]} operations, less that of numbers"
        report.add("Symbolic build", what, _worst(difference), within=ROUNDING * size)


def _state(
    graph: md.SubsystemGraph, q: ArrayLike | None, v: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    own = graph.neutral()
    for name in graph.joint_names:
        if graph.joint(name).type.nv == 1:
            own[graph.q_slice(name)] = POSITION
    positions = own if q is None else np.asarray(q, float)
    rates = np.full(graph.nv, SPEED) if v is None else np.asarray(v, float)
    md.nonlinear_effects(graph, positions, rates)  # names what is wrong with them
    return positions, rates


def _worst(difference: ArrayLike) -> float:
    return float(np.abs(difference).max(initial=0.0))


def _text(array: ArrayLike) -> str:
    return np.array2string(np.asarray(array), precision=6, suppress_small=True, max_line_width=118)
