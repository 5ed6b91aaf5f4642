"""What is exported of a tree: functions of one state, with states and the library's results at these."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codegen.c_files import Recording
from ..codegen.program import Program, program
from ..dynamics.arguments import Array
from ..dynamics.core_robot import ARMATURE, SPRINGS, core_frames, core_robot
from ..dynamics.derivatives import inverse_dynamics_derivatives
from ..dynamics.equation_of_motion import mass_matrix
from ..dynamics.forward_dynamics import forward_dynamics
from ..dynamics.inverse_dynamics import gravity_torque, inverse_dynamics, nonlinear_effects
from ..dynamics.kinematics import frame_poses, jacobian
from ..exceptions import StateError, UnsupportedModelError
from ..model import JointType, SubsystemGraph
from ..model.graph import DEFAULT_FUNCTIONS
from .comparison import STATES, TOLERANCE, function_names, verify, weights

__all__ = ["ACCELERATIONS", "FUNCTIONS", "MASS_MATRIX", "TORQUES", "quaternions", "tree_recordings"]

TORQUES, ACCELERATIONS, MASS_MATRIX = "[N m or N]", "[rad/s^2 or m/s^2]", "[kg m^2, kg m, kg], symmetric"
#: Number of a quaternion's components.
QUATERNION = 4


@dataclass(frozen=True)
class _Function:
    """An exported function of trees.

    Attributes:
        purpose: what it computes, as the header says it.
        library: the library's function. quantity: name of the core's.
        vectors: how many of q, v and the third vector it takes. third: name of the third one.
        results: name and unit of each; "" in a unit is followed by the links' names.
        shape: (nv, links) -> shape of each.
        terms: of joints, that count. of_links: whether it takes names of links.
    """

    purpose: str
    library: Callable[..., Any]
    quantity: str
    vectors: int
    third: str
    results: Mapping[str, str]
    shape: Callable[[int, int], tuple[int, ...]]
    terms: int = ARMATURE + SPRINGS
    of_links: bool = field(default=False, kw_only=True)


def _vector(nv: int, _links: int) -> tuple[int, ...]:
    return (nv,)


def _matrix(nv: int, _links: int) -> tuple[int, ...]:
    return (nv, nv)


#: The functions that can be exported, by their names in the library.
FUNCTIONS: Mapping[str, _Function] = {
    "inverse_dynamics": _Function(
        "Torques tau = M(q) a + h(q, v) of inverse dynamics.",
        inverse_dynamics,
        "inverse_dynamics",
        3,
        "a",
        {"tau": TORQUES},
        _vector,
    ),
    "nonlinear_effects": _Function(
        "Torques h at zero acceleration: Coriolis, centrifugal, gravity.",
        nonlinear_effects,
        "inverse_dynamics",
        2,
        "a",
        {"h": TORQUES},
        _vector,
    ),
    "gravity_torque": _Function(
        "Torques g that gravity needs; springs at joints do not count.",
        gravity_torque,
        "inverse_dynamics",
        1,
        "a",
        {"g": TORQUES},
        _vector,
        ARMATURE,
    ),
    "mass_matrix": _Function(
        "Mass matrix M.", mass_matrix, "mass_matrix", 1, "a", {"M": MASS_MATRIX}, _matrix
    ),
    "forward_dynamics": _Function(
        "Accelerations a that the torques tau give: M a + h = tau.",
        forward_dynamics,
        "forward_dynamics",
        3,
        "tau",
        {"a": ACCELERATIONS},
        _vector,
    ),
    "inverse_dynamics_derivatives": _Function(
        "Derivatives of the torques of inverse dynamics with respect to q, v and a.",
        inverse_dynamics_derivatives,
        "inverse_dynamics_derivatives",
        3,
        "a",
        {
            "dq": "d tau_i / d q_j; of quaternions by a rotation in the child's axes, as many columns as v "
            "has",
            "dv": "d tau_i / d v_j",
            "da": "d tau_i / d a_j",
        },
        _matrix,
    ),
    "frame_poses": _Function(
        "Poses of links, homogeneous matrices.",
        frame_poses,
        "frame_poses",
        1,
        "a",
        {"poses": "[[R, p], [0, 1]], p in m, of {links} in the root link's frame"},
        lambda _nv, links: (links, 4, 4),
        of_links=True,
    ),
    "jacobian": _Function(
        "Jacobians of links.",
        lambda graph, q, links: np.array([jacobian(graph, q, link) for link in links]),
        "jacobian",
        1,
        "a",
        {"J": "of {links}: [velocity m/s, angular velocity rad/s] by v, root link's axes"},
        lambda nv, links: (links, 6, nv),
        of_links=True,
    ),
}


def tree_recordings(
    graph: SubsystemGraph, functions: Sequence[str] | None, links: Sequence[str], what: str
) -> list[Recording]:
    """Return the functions with these names, in the order of FUNCTIONS.

    Raises:
        StateError: unknown names, or none; links without a function of links, or the reverse; unknown links;
            a black box, of functions without links.
        UnsupportedModelError: no joints; or a program that differs from the library.
    """
    names = _checked_functions(graph, DEFAULT_FUNCTIONS if functions is None else functions, links, what)
    return [_recorded(graph, name, tuple(links)) for name in names]


def quaternions(graph: SubsystemGraph) -> Iterator[int]:
    """Yield where in q quaternions begin."""
    for name in graph.joint_names:
        if graph.joint(name).type in (JointType.FLOATING, JointType.SPHERICAL):
            yield graph.q_slice(name).stop - QUATERNION  # a quaternion comes last in a joint's q


def _checked_functions(
    graph: SubsystemGraph, functions: Sequence[str], links: Sequence[str], what: str
) -> tuple[str, ...]:
    """Return the names, in the order of FUNCTIONS. Raises as `tree_recordings`."""
    if isinstance(links, str):
        raise StateError(f"links is {links!r}; a sequence of link names is needed")
    names = function_names(functions)
    for name in names:
        if name not in FUNCTIONS:
            raise StateError(f"{what} has no function {name!r}; its functions: {', '.join(FUNCTIONS)}")
    if not names:
        raise StateError(f"{what} of no functions; its functions: {', '.join(FUNCTIONS)}")
    of_links = [name for name in names if FUNCTIONS[name].of_links]
    if bool(of_links) != bool(links):
        missing = (
            f"{' and '.join(of_links)} without links=" if of_links else "links= without a function of links"
        )
        raise StateError(f"{what}: {missing}; 'frame_poses' and 'jacobian' are of links")
    core_frames(graph, links)  # raises where one is unknown
    if graph.nv == 0:
        raise UnsupportedModelError(f"{what}: '{graph.name}' has no moving joints")
    return tuple(name for name in FUNCTIONS if name in names)


def _program(graph: SubsystemGraph, name: str, links: tuple[str, ...]) -> Program:
    function, robot = FUNCTIONS[name], graph.once(core_robot)
    frames = (core_frames(graph, links),) if function.of_links else ()
    vectors = (("q", graph.nq), ("v", graph.nv), (function.third, graph.nv))
    shape = function.shape(graph.nv, len(links))
    return program(
        name,
        function.purpose,
        vectors[: function.vectors],
        robot.record(function.quantity, function.vectors, function.terms, *frames),
        [(own, shape, unit.format(links=", ".join(links))) for own, unit in function.results.items()],
        [*quaternions(graph)],
    )


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


def _recorded(graph: SubsystemGraph, name: str, links: tuple[str, ...]) -> Recording:
    """Return a function with random states, the library's results, and how closely C code must agree."""
    states, function = _states(graph), FUNCTIONS[name]
    more = (links,) if function.of_links else ()
    terms = {} if more else _terms(graph, states)
    if name == "forward_dynamics":
        states = [(q, v, inverse_dynamics(graph, q, v, a)) for q, v, a in states]
    outputs: list[Any] = [function.library(graph, *state[: function.vectors], *more) for state in states]
    rows = [output if isinstance(output, tuple) else (output,) for output in outputs]
    results = [np.array([row[k].ravel() for row in rows]) for k in range(len(rows[0]))]
    scales = [
        max(float(np.abs(x).max()), terms.get(own, 0.0))
        for x, own in zip(results, function.results, strict=True)
    ]
    recording = Recording(
        _program(graph, name, links),
        tuple(np.array([state[k] for state in states]) for k in range(function.vectors)),
        tuple(results),
        tuple(x if x > 0.0 else 1.0 for x in scales),  # all scales are zero without gravity
        TOLERANCE,
    )
    verify(graph, recording)
    return recording


def _terms(graph: SubsystemGraph, states: Sequence[tuple[Array, Array, Array]]) -> dict[str, float]:
    """Return the size of the terms that results are sums of: a wheel's weight has no torque, but rounds.

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
        "a": accelerations,
    }
