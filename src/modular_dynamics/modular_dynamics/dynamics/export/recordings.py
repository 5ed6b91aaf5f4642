"""What is exported of a graph: programs, with states and the library's results at these."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...algebra import translation
from ...codegen.c_files import Recording
from ...exceptions import StateError, UnsupportedModelError
from ...model import JointType, SubsystemGraph, require_graph
from ...model.code_export import DEFAULT_FUNCTIONS, exporter
from ..arrays.arguments import Array
from ..arrays.model_arrays import with_links
from ..derivatives import inverse_dynamics_derivatives
from ..equation_of_motion import mass_matrix
from ..forward_dynamics import forward_dynamics
from ..inverse_dynamics import bias, gravity_torque, inverse_dynamics
from ..kinematics import frame_poses, jacobian
from .procedures import EXPORTED, procedure

__all__ = ["STATES", "TOLERANCE", "function_names", "recorded", "recordings_of", "verify", "weights"]

#: States that the test program compares.
STATES = 5
#: Largest difference from the library, relative to the terms that are added up.
TOLERANCE = 1e-14
#: The same, beyond which it is no rounding.
LARGEST_DIFFERENCE = 1e-11
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


def recordings_of(
    graph: SubsystemGraph,
    functions: Sequence[str] | None,
    links: Sequence[str],
    guess: ArrayLike | None,
    what: str,
) -> list[Recording]:
    """The functions with these names, in the order of EXPORTED; of a graph with loops by closure/export.

    Raises:
        StateError: unknown names, or none; links without a function of links, or the reverse; unknown links;
            a guess without loops.
        UnsupportedModelError: no joints; or loops that cannot be exported.
    """
    require_graph(graph)
    if graph.closing_elements:
        recordings: list[Recording] = exporter("loop_recordings")(graph, functions, links, guess, what)
        return recordings
    if guess is not None:
        raise StateError(f"{what}: '{graph.name}' has no loops; guess= selects how loops close")
    names = _checked_functions(graph, DEFAULT_FUNCTIONS if functions is None else functions, links, what)
    return [recorded(graph, name, links) for name in names]


def function_names(functions: Sequence[str]) -> tuple[str, ...]:
    """The names; one may stand for itself. Raises StateError: no names."""
    if isinstance(functions, str):
        return (functions,)
    names = tuple(functions) if isinstance(functions, Iterable) else (functions,)
    if not all(isinstance(name, str) for name in names):
        raise StateError(f"functions is {functions!r}; a sequence of names is needed")
    return names


def _checked_functions(
    graph: SubsystemGraph, functions: Sequence[str], links: Sequence[str], what: str
) -> tuple[str, ...]:
    """The names, in the order of EXPORTED. Raises as `recordings_of`."""
    if isinstance(links, str):
        raise StateError(f"links is {links!r}; a sequence of link names is needed")
    names = function_names(functions)
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
    if graph.nv == 0:
        raise UnsupportedModelError(f"{what}: '{graph.name}' has no moving joints")
    return tuple(name for name in EXPORTED if name in names)


def _states(graph: SubsystemGraph) -> list[tuple[Array, Array, Array]]:
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
        tuple(x if x > 0.0 else 1.0 for x in scales),  # without gravity all are zero
        TOLERANCE,
    )
    verify(graph, recording)
    return recording


def verify(graph: SubsystemGraph, recording: Recording) -> None:
    """No code is written that computes something else than the library."""
    values = recording.procedure.values(recording.inputs)
    for ours, expected, scale in zip(values, recording.results, recording.scales, strict=True):
        difference = float(np.abs(ours - expected).max()) / scale
        if not difference <= LARGEST_DIFFERENCE:
            raise UnsupportedModelError(
                f"the program of {recording.procedure.name} of '{graph.name}' differs from the library by "
                f"{difference:.1e}: the robot has a joint or a term that cannot be exported"
            )


def weights(graph: SubsystemGraph) -> Array:
    """The size (nv,) of the terms of gravity's torques: weight times lever, or weight of what slides."""
    levers = [
        body.mass * (np.linalg.norm(body.com) + np.linalg.norm(translation(joint.x_parent_joint)))
        for body, joint in zip(graph.bodies, graph.joints, strict=True)
    ]
    sizes = np.full(graph.nv, float(max(levers)))
    for name in graph.joint_names:
        if graph.joint(name).type == JointType.PRISMATIC:
            sizes[graph.v_slice(name)] = max(body.mass for body in graph.bodies)
    weights: Array = np.linalg.norm(graph.gravity) * sizes
    return weights


def _terms(graph: SubsystemGraph, states: Sequence[tuple[Array, Array, Array]]) -> dict[str, float]:
    """The size of the terms that each result is the sum of: a wheel's weight has no torque, but rounds.

    Torques: weight times lever, mass matrix times squares of rates; accelerations: its inverse times these.
    """
    weight = float(weights(graph).max())
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
