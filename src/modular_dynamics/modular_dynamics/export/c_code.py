"""C code and CasADi functions of a graph: `graph.export_c` and `graph.to_casadi`."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..codegen.c99 import identifier
from ..codegen.c_files import Recording, Robot, coordinates_of, header, library_version, source, test_program
from ..codegen.program import Program
from ..exceptions import StateError
from ..model import SubsystemGraph, require_graph
from ..optional_packages import needed
from ..text.files import write_beside
from .tree import tree_recordings


def recordings_of(
    graph: SubsystemGraph,
    functions: Sequence[str] | None,
    links: Sequence[str],
    guess: ArrayLike | None,
    what: str,
) -> list[Recording]:
    """Return the functions with these names as programs, with states and the library's results there.

    Raises:
        StateError: unknown names, or none; links without a function of links, or the reverse; unknown links;
            a guess without loops.
        UnsupportedModelError: no joints; or loops that cannot be exported.
    """
    require_graph(graph)
    if graph.has_loops:
        from .loops import loop_recordings  # noqa: PLC0415  # trees need nothing of closed loops

        return loop_recordings(graph, functions, links, guess, what)
    if guess is not None:
        raise StateError(f"{what}: '{graph.name}' has no loops; guess= selects how loops close")
    return tree_recordings(graph, functions, links, what)


@dataclass(frozen=True)
class ExportedC:
    """What `graph.export_c` wrote.

    Attributes:
        source, header, test: paths of the files.
        prefix: what the names of all functions begin with.
        operations: number of operations of each function, by its name: sums, products, sines and so on.
    """

    source: Path
    header: Path
    test: Path
    prefix: str
    operations: dict[str, int]


def export_c(
    graph: SubsystemGraph,
    path: str | Path,
    functions: Sequence[str] | None,
    links: Sequence[str],
    guess: ArrayLike | None,
) -> ExportedC:
    """Write C99 code: see :meth:`.SubsystemGraph.export_c`."""
    file = _checked_path(path)
    prefix = identifier(file.stem)
    recordings = recordings_of(graph, functions, links, guess, "C code")
    programs = [recording.program for recording in recordings]
    notes = tuple(dict.fromkeys(note for one in programs for note in one.notes))
    robot = _robot(graph, file.stem, prefix if prefix[0].isalpha() else f"robot_{prefix}", notes)
    written = {
        file: source(robot, programs),
        file.with_suffix(".h"): header(robot, programs),
        file.with_name(f"{file.stem}_test.c"): test_program(robot, recordings),
    }
    write_files(written)
    source_file, header_file, test_file = written
    operations = {one.name: one.operations for one in programs}
    return ExportedC(source_file, header_file, test_file, robot.prefix, operations)


def write_files(texts: dict[Path, str]) -> None:
    """Replace all files or, where one cannot be written, none: a build never reads half a file."""
    beside: dict[Path, Path] = {}
    try:
        for file, text in texts.items():
            own = file.resolve()  # keeps symbolic links
            beside[own] = write_beside(own, text.encode("ascii"))
        for file, temporary in beside.items():
            os.replace(temporary, file)
    finally:
        for temporary in beside.values():
            temporary.unlink(missing_ok=True)


def _checked_path(path: str | Path) -> Path:
    """Return the path of the C file. Raises StateError: another name than NAME.c, or no such folder."""
    if not isinstance(path, str | os.PathLike):
        raise StateError(f"the path of the C file is {path!r}; text such as 'folder/NAME.c' is needed")
    file = Path(path)
    if not re.fullmatch(r"[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*\.c", file.name):
        raise StateError(
            f"'{file.name}' cannot be the C file's name: NAME.c is needed, with letters, digits, '_' and '-'"
        )
    if not file.parent.is_dir():
        raise StateError(f"'{file.parent}' is no folder that {file.name} can be written to")
    return file


def _robot(graph: SubsystemGraph, stem: str, prefix: str, more_notes: tuple[str, ...]) -> Robot:
    """Return the description of the robot for the header."""
    x, y, z = map(float, graph.gravity)
    notes = [f"Gravity in the root link's frame: {x!r} {y!r} {z!r} m/s^2. No external wrenches."]
    notes += [
        f"Joint {joint.name} mimics {joint.mimic.joint}: it has no coordinate of its own."
        for joint in graph.joints
        if joint.mimic is not None
    ]
    joints = coordinates_of(graph, graph.independent_joint_names)
    all_joints = coordinates_of(graph, graph.joint_names) if graph.has_loops else ()
    return Robot(graph.name, stem, prefix, joints, (*notes, *more_notes), library_version(), all_joints)


@dataclass(frozen=True)
class CasadiFunctions:
    """A casadi.Function for each exported function of this library; None for those that were not requested.

    Vectors are columns in the order and units of the library. They check nothing, neither numbers that are
    not finite nor quaternions of norm zero; quaternions of other norms are normalized.

    Attributes:
        inverse_dynamics: (q, v, a) -> tau. nonlinear_effects: (q, v) -> h. gravity_torque: q -> g.
        mass_matrix: q -> M. forward_dynamics: (q, v, tau) -> a.
        inverse_dynamics_derivatives: (q, v, a) -> (dq, dv, da), as in the library: for a floating joint
            dq is a displacement in the child's axes, while casadi.jacobian differentiates by its quaternion.
        frame_poses: q -> (4 n, 4) of n links, one below the other. jacobian: q -> (6 n, nv), alike.
        close_loops: q -> coordinates of all joints. explicit_constraint_jacobian: q -> W.

    With closed loops q, v, a and tau are of the independent joints. Where the loops do not close, what
    depends on passive joints is NaN.
    """

    inverse_dynamics: Any = None
    nonlinear_effects: Any = None
    gravity_torque: Any = None
    mass_matrix: Any = None
    forward_dynamics: Any = None
    inverse_dynamics_derivatives: Any = None
    frame_poses: Any = None
    jacobian: Any = None
    close_loops: Any = None
    explicit_constraint_jacobian: Any = None


def to_casadi(
    graph: SubsystemGraph, functions: Sequence[str] | None, links: Sequence[str], guess: ArrayLike | None
) -> CasadiFunctions:
    """Return CasADi functions: see :meth:`.SubsystemGraph.to_casadi`."""
    recordings = recordings_of(graph, functions, links, guess, "to_casadi")
    programs = [recording.program for recording in recordings]
    with needed("graph.to_casadi()", "CasADi", "symbolic"):
        import_module("casadi")
    return CasadiFunctions(**{one.name: casadi_function(one) for one in programs})


def casadi_function(program: Program) -> Any:
    """Return a casadi.Function with the program's inputs and results by name: columns and matrices.

    Pivots and reach are left out: it checks nothing. Raises ImportError: CasADi cannot be imported.
    """
    import casadi  # noqa: PLC0415  # optional

    inputs = [casadi.SX.sym(name, length) for name, length in program.inputs]
    elements = [casadi.vertsplit(vector) for vector in inputs]
    functions = {name: getattr(casadi, name) for name in ("sin", "cos", "sqrt", "floor", "atan2")}
    values = program.run(elements, casadi.SX, functions)
    outputs = []
    for result in program.results:
        column = casadi.vertcat(*(values[line] for line in result.lines))
        if len(result.shape) > 1:  # row by row; CasADi's order is column by column
            column = casadi.reshape(column, result.shape[-1], -1).T  # blocks one below the other
        outputs.append(casadi.sparsify(column))
    names = [name for name, _ in program.inputs], [result.name for result in program.results]
    return casadi.Function(program.name, inputs, outputs, *names)
