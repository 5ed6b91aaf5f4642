"""C code of a graph: `graph.export_c`."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from numpy.typing import ArrayLike

from ..codegen.c_files import Coordinates, Robot, header, source, test_program
from ..codegen.c_names import identifier
from ..exceptions import StateError
from ..model import JointType, SubsystemGraph
from .functions import recordings_of

__all__ = ["ExportedC", "coordinates_of", "library_version", "write_files"]

_UNITS = {
    JointType.REVOLUTE: "rad, N m",
    JointType.CONTINUOUS: "rad, N m",
    JointType.PRISMATIC: "m, N",
    JointType.SPHERICAL: "q: quaternion w x y z; v: angular velocity, in the child's axes",
    JointType.FLOATING: "q: position x y z [m], quaternion w x y z; v: linear, angular, in the child's axes",
}


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
    """See :meth:`.SubsystemGraph.export_c`, which calls it."""
    file = _checked_path(path)
    prefix = identifier(file.stem)
    recordings = recordings_of(graph, functions, links, guess, "C code")  # before writing, as it may raise
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
    """Write all files or, where one cannot be written, none: a build never reads half a file."""
    linked = {file.resolve(): text for file, text in texts.items()}  # keeps symbolic links
    beside = {file: file.with_name(f".{file.name}.{os.getpid()}") for file in linked}
    try:
        for file, text in linked.items():
            beside[file].write_text(text, encoding="ascii")
        for file, temporary in beside.items():
            os.replace(temporary, file)
    finally:
        for temporary in beside.values():
            temporary.unlink(missing_ok=True)


def _checked_path(path: str | Path) -> Path:
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


def coordinates_of(graph: SubsystemGraph, names: Sequence[str]) -> tuple[Coordinates, ...]:
    """Return where the numbers of these joints are stored, one joint after the other."""
    joints, q, v = [], 0, 0
    for name in names:
        kind = graph.joint(name).type
        spans = (q, kind.nq), (v, kind.nv)
        joints.append(Coordinates(name, kind.name.lower(), *spans, _UNITS.get(kind, "SI units")))
        q, v = q + kind.nq, v + kind.nv
    return tuple(joints)


def _robot(graph: SubsystemGraph, stem: str, prefix: str, more_notes: tuple[str, ...]) -> Robot:
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


def library_version() -> str:
    """Return the version of this library."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # slow, and seldom needed

    try:
        return version("modular_dynamics")
    except PackageNotFoundError:
        return "from its sources"
