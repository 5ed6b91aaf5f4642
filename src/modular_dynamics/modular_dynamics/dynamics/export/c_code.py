"""C code of a graph: `graph.export_c`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...algebra import translation
from ...codegen.c_files import Coordinates, Recording, Robot, header, source, test_program
from ...codegen.c_names import identifier
from ...exceptions import StateError, UnsupportedModelError
from ...model import JointType, SubsystemGraph, refuse_closures
from ...model.code_export import register_exporter
from ..arrays.arguments import Array
from ..arrays.model_arrays import with_links
from ..derivatives import inverse_dynamics_derivatives
from ..equation_of_motion import bias, gravity_torque, mass_matrix
from ..forward_dynamics import forward_dynamics
from ..inverse_dynamics import inverse_dynamics
from ..jacobian import jacobian
from ..kinematics import frame_poses
from .procedures import EXPORTED, procedure

__all__ = ["ExportedC", "checked_functions", "recorded"]

#: Number of states at which the test program compares results.
STATES = 5
#: Largest difference from the library that the test program allows, relative to the size of the terms.
TOLERANCE = 1e-14
#: Largest such difference of the traced program: beyond it more than rounding differs.
LARGEST_DIFFERENCE = 1e-11
_UNITS = {
    JointType.REVOLUTE: "rad, N m",
    JointType.CONTINUOUS: "rad, N m",
    JointType.PRISMATIC: "m, N",
    JointType.SPHERICAL: "q: quaternion w x y z; v: angular velocity, in the child's axes",
    JointType.FLOATING: "q: position x y z [m], quaternion w x y z; v: linear, angular, in the child's axes",
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": inverse_dynamics,
    "bias": bias,
    "gravity_torque": gravity_torque,
    "mass_matrix": mass_matrix,
    "forward_dynamics": forward_dynamics,
    "inverse_dynamics_derivatives": inverse_dynamics_derivatives,
    "frame_poses": frame_poses,
    "jacobian": lambda graph, q, links: np.array([jacobian(graph, q, link) for link in links]),
}


@dataclass(frozen=True)
class ExportedC:
    """What `graph.export_c` wrote.

    Attributes:
        source, header, test: paths of the files.
        prefix: what the names of all functions begin with.
        operations: number of operations of each function, by its name: sums, products, sines and cosines.
    """

    source: Path
    header: Path
    test: Path
    prefix: str
    operations: dict[str, int]


def checked_functions(
    graph: SubsystemGraph, functions: Sequence[str], links: Sequence[str], what: str
) -> tuple[str, ...]:
    """The names of the functions, checked and in the order of EXPORTED; ``what`` begins error messages.

    Raises:
        StateError: unknown names, or none; links without a function of links, or the reverse; unknown links.
        UnsupportedModelError: closed loops, or no joints.
    """
    if isinstance(links, str):
        raise StateError(f"links is {links!r}; a sequence of link names is needed")
    names = (functions,) if isinstance(functions, str) else tuple(functions)
    for name in names:
        if name not in EXPORTED:
            raise StateError(f"{what} has no function {name!r}; its functions: {', '.join(EXPORTED)}")
    if not names:
        raise StateError(f"{what} of no functions; its functions: {', '.join(EXPORTED)}")
    of_links = [name for name in names if EXPORTED[name].of_links]
    if bool(of_links) != bool(links):
        missing = (
            f"{' and '.join(of_links)} without links=" if of_links else "links= without a function of links"
        )
        raise StateError(f"{what}: {missing}; 'frame_poses' and 'jacobian' are of links")
    with_links(graph, links)  # raises where one is unknown
    refuse_closures(graph, what)
    if graph.nv == 0:
        raise UnsupportedModelError(f"{what}: '{graph.name}' has no moving joints")
    return tuple(name for name in EXPORTED if name in names)


@register_exporter
def export_c(
    graph: SubsystemGraph, path: str | Path, functions: Sequence[str], links: Sequence[str]
) -> ExportedC:
    """See :meth:`.SubsystemGraph.export_c`, which calls it."""
    names = checked_functions(graph, functions, links, "C code")
    file = _checked_path(path)
    prefix = identifier(file.stem)
    recordings = [recorded(graph, name, links) for name in names]  # first: it may raise
    procedures = [recording.procedure for recording in recordings]
    robot = _robot(graph, file.stem, prefix if prefix[0].isalpha() else f"robot_{prefix}")
    written = {
        file: source(robot, procedures),
        file.with_suffix(".h"): header(robot, procedures),
        file.with_name(f"{file.stem}_test.c"): test_program(robot, recordings),
    }
    for place, text in written.items():
        place.write_text(text, encoding="ascii")
    source_file, header_file, test_file = written
    operations = {one.name: one.operations for one in procedures}
    return ExportedC(source_file, header_file, test_file, robot.prefix, operations)


def _checked_path(path: str | Path) -> Path:
    file = Path(path)
    if not re.fullmatch(r"[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*\.c", file.name):
        raise StateError(
            f"'{file.name}' cannot be the C file's name: NAME.c is needed, with letters, digits, '_' and '-'"
        )
    if not file.parent.is_dir():
        raise StateError(f"'{file.parent}' is no folder that {file.name} can be written to")
    return file


def _states(graph: SubsystemGraph) -> list[tuple[Array, Array, Array]]:
    """Random q, v and vdot, the same in every run."""
    rng = np.random.default_rng(0)
    return [
        (
            rng.uniform(-2.0, 2.0, graph.nq),
            rng.uniform(-2.0, 2.0, graph.nv),
            rng.uniform(-2.0, 2.0, graph.nv),
        )
        for _ in range(STATES)
    ]


def recorded(graph: SubsystemGraph, name: str, links: Sequence[str]) -> Recording:
    """A function with random states, the library's results, and how closely C code must agree with them.

    Raises:
        UnsupportedModelError: the program differs from the library, which has something that is not traced.
    """
    states, function = _states(graph), _FUNCTIONS[name]
    vectors = EXPORTED[name].vectors
    more = (tuple(links),) if EXPORTED[name].of_links else ()
    terms = {} if more else _terms(graph, states)
    if name == "forward_dynamics":
        states = [(q, v, inverse_dynamics(graph, q, v, vdot)) for q, v, vdot in states]
    outputs: list[Any] = [function(graph, *state[:vectors], *more) for state in states]
    rows = [output if isinstance(output, tuple) else (output,) for output in outputs]
    results = [np.array([row[k].ravel() for row in rows]) for k in range(len(rows[0]))]
    exported = procedure(graph, name, *more)
    scales = [
        max(float(np.abs(x).max()), terms.get(result.name, 0.0))
        for x, result in zip(results, exported.results, strict=True)
    ]
    recording = Recording(
        exported,
        tuple(np.array([state[k] for state in states]) for k in range(vectors)),
        tuple(results),
        tuple(x if x > 0.0 else 1.0 for x in scales),
        TOLERANCE,
    )
    _verify(graph, recording)
    return recording


def _verify(graph: SubsystemGraph, recording: Recording) -> None:
    """Raise UnsupportedModelError where the traced program computes something else than the library."""
    values = recording.procedure.values(recording.inputs)
    for ours, expected, scale in zip(values, recording.results, recording.scales, strict=True):
        difference = float(np.abs(ours - expected).max()) / scale
        if not difference <= LARGEST_DIFFERENCE:
            raise UnsupportedModelError(
                f"the program of {recording.procedure.name} of '{graph.name}' differs from the library by "
                f"{difference:.1e}: the robot has a joint or a term that cannot be exported"
            )


def _terms(graph: SubsystemGraph, states: Sequence[tuple[Array, Array, Array]]) -> dict[str, float]:
    """By result, the size of the terms of which it is the sum; differences are relative to it.

    The result itself may be much smaller: the weight of a balanced wheel causes no torque, but its terms are
    rounded. Torques: weight times lever arm, mass matrix times squared velocities; accelerations: these over
    the smallest eigenvalue of the mass matrix.
    """
    levers = [
        body.mass * (np.linalg.norm(body.com) + np.linalg.norm(translation(joint.x_parent_joint)))
        for body, joint in zip(graph.bodies, graph.joints, strict=True)
    ]
    weight = float(np.linalg.norm(graph.gravity) * max(levers))
    M = np.array([mass_matrix(graph, q) for q, _, _ in states])
    inertia, rate = float(np.abs(M).max()), max(float(np.abs(v).max()) for _, v, _ in states)
    torques = weight + inertia * rate**2
    lightest = float(np.linalg.eigvalsh(M).min())
    accelerations = torques / lightest if lightest > 0.0 else 0.0
    return dict.fromkeys(("tau", "h", "dq"), torques) | {
        "g": weight,
        "dv": inertia * rate,
        "vdot": accelerations,
    }


def _robot(graph: SubsystemGraph, stem: str, prefix: str) -> Robot:
    joints = []
    for name in graph.joint_names:
        joint, q, v = graph.joint(name), graph.q_slice(name), graph.v_slice(name)
        spans = (q.start, q.stop - q.start), (v.start, v.stop - v.start)
        joints.append(Coordinates(name, joint.type.name.lower(), *spans, _UNITS.get(joint.type, "SI units")))
    x, y, z = map(float, graph.gravity)
    notes = [f"Gravity in the root link's frame: {x!r} {y!r} {z!r} m/s^2. No external wrenches."]
    notes += [
        f"Joint {joint.name} mimics {joint.mimic.joint}: it has no coordinate of its own."
        for joint in graph.joints
        if joint.mimic is not None
    ]
    return Robot(graph.name, stem, prefix, graph.nq, graph.nv, tuple(joints), tuple(notes), _version())


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # slow, and seldom needed

    try:
        return version("modular_dynamics")
    except PackageNotFoundError:
        return "from its sources"
