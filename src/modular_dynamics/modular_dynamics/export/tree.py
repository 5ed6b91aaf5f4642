"""Exported functions of a tree, with states and the library's results there."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..algebra import translation
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

#: Number of states at which a program is compared with the library, here and by the test file.
STATES = 5
#: Largest difference that the test file allows, relative to the terms that are added up.
TOLERANCE = 1e-14
#: Largest such difference with which a program is written.
LARGEST_DIFFERENCE = 1e-11


def checked_names(
    functions: Sequence[str], known: Collection[str], what: str, advice: str = ""
) -> tuple[str, ...]:
    """Return names of functions, in the order of ``known``; a single one may be given as text.

    Raises StateError: no names, or unknown ones.
    """
    is_one = isinstance(functions, str) or not isinstance(functions, Iterable)
    names = (functions,) if is_one else tuple(functions)
    if not all(isinstance(name, str) for name in names):
        raise StateError(f"functions is {functions!r}; a sequence of names is needed")
    if unknown := [name for name in names if name not in known]:
        raise StateError(f"{what} has no function {unknown[0]!r}; its functions: {', '.join(known)}{advice}")
    if not names:
        raise StateError(f"{what} of no functions; its functions: {', '.join(known)}")
    return tuple(name for name in known if name in names)


def weights(graph: SubsystemGraph) -> Array:
    """Return sizes (nv,) of the terms of gravity's torques: weight times lever; of sliding joints, weight."""
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


TORQUES, ACCELERATIONS, MASS_MATRIX = "[N m or N]", "[rad/s^2 or m/s^2]", "[kg m^2, kg m, kg], symmetric"


@dataclass(frozen=True)
class Function:
    """An exported function of q, v, a and tau, with closed loops of the independent joints.

    Attributes:
        purpose: what it computes, as the header says it.
        library: the library's function.
        vectors: how many of q, v and the third vector it takes. third: name of the third one.
        results: name and unit of each; "{links}" in a unit stands for the links' names.
        shape: of each result, from the graph, the length of v, and the number of links.
        quantity: name of the core's function, if it has another. terms: of joints, that count.
        of_links: whether it takes names of links.
    """

    purpose: str
    library: Callable[..., Any]
    vectors: int
    results: Mapping[str, str]
    shape: Callable[[SubsystemGraph, int, int], tuple[int, ...]] = lambda _graph, nv, _links: (nv,)
    _: KW_ONLY
    quantity: str = ""
    third: str = "a"
    terms: int = ARMATURE + SPRINGS
    of_links: bool = False


def _matrix(_graph: SubsystemGraph, nv: int, _links: int) -> tuple[int, ...]:
    return (nv, nv)


_DERIVATIVES = {
    "dq": "d tau_i / d q_j; of quaternions by a rotation in the child's axes, as many columns as v has",
    "dv": "d tau_i / d v_j",
    "da": "d tau_i / d a_j",
}
_POSES = "[[R, p], [0, 1]], p in m, of {links} in the root link's frame"
_JACOBIANS = "of {links}: [velocity m/s, angular velocity rad/s] by v, root link's axes"
_TORQUES = "Torques tau = M(q) a + h(q, v) of inverse dynamics."
_EFFECTS = "Torques h at zero acceleration: Coriolis, centrifugal, gravity, springs."
_GRAVITY = "Torques g that gravity needs; springs do not count."
_ACCELERATIONS = "Accelerations a that the torques tau give: M a + h = tau."
_RATES = "Derivatives of the torques of inverse dynamics with respect to q, v and a."


def _jacobians(graph: SubsystemGraph, q: Array, links: Sequence[str]) -> Array:
    return np.array([jacobian(graph, q, link) for link in links])


_ID = "inverse_dynamics"
#: The functions that can be exported, by their names in the library.
FUNCTIONS: Mapping[str, Function] = {
    "inverse_dynamics": Function(_TORQUES, inverse_dynamics, 3, {"tau": TORQUES}),
    "nonlinear_effects": Function(_EFFECTS, nonlinear_effects, 2, {"h": TORQUES}, quantity=_ID),
    "gravity_torque": Function(_GRAVITY, gravity_torque, 1, {"g": TORQUES}, quantity=_ID, terms=ARMATURE),
    "mass_matrix": Function("Mass matrix M.", mass_matrix, 1, {"M": MASS_MATRIX}, _matrix),
    "forward_dynamics": Function(_ACCELERATIONS, forward_dynamics, 3, {"a": ACCELERATIONS}, third="tau"),
    "inverse_dynamics_derivatives": Function(_RATES, inverse_dynamics_derivatives, 3, _DERIVATIVES, _matrix),
    "frame_poses": Function(
        "Poses of links, homogeneous matrices.",
        *(frame_poses, 1, {"poses": _POSES}, lambda _graph, _nv, links: (links, 4, 4)),
        of_links=True,
    ),
    "jacobian": Function(
        "Jacobians of links.",
        *(_jacobians, 1, {"J": _JACOBIANS}, lambda _graph, nv, links: (links, 6, nv)),
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
    """Yield the index in q at which each quaternion begins."""
    for name in graph.joint_names:
        if (first := graph.joint(name).type.quaternion) is not None:
            yield graph.q_slice(name).start + first


def _checked_functions(
    graph: SubsystemGraph, functions: Sequence[str], links: Sequence[str], what: str
) -> tuple[str, ...]:
    """Return the names, in the order of FUNCTIONS. Raises as `tree_recordings`."""
    if isinstance(links, str):
        raise StateError(f"links is {links!r}; a sequence of link names is needed")
    names = checked_names(functions, FUNCTIONS, what)
    of_links = [name for name in names if FUNCTIONS[name].of_links]
    if bool(of_links) != bool(links):
        missing = (
            f"{' and '.join(of_links)} without links=" if of_links else "links= without a function of links"
        )
        raise StateError(f"{what}: {missing}; 'frame_poses' and 'jacobian' are of links")
    core_frames(graph, links)  # raises where one is unknown
    if graph.nv == 0:
        raise UnsupportedModelError(f"{what}: '{graph.name}' has no moving joints")
    return names


def recorded(
    graph: SubsystemGraph,
    program: Program,
    states: Sequence[Sequence[Array]],
    results: Sequence[Any],
    sizes: Mapping[str, float],
) -> Recording:
    """Return a program with states, the library's results there, and how closely C code must agree.

    Args:
        states: the program's vectors in each. results: of the library, one or a tuple for each state.
        sizes: of the terms that a result is the sum of, by its name, where it may be smaller than they are.

    Raises:
        UnsupportedModelError: the program's results differ from the library's.
    """
    rows = [one if isinstance(one, tuple) else (one,) for one in results]
    inputs = tuple(np.array(vectors) for vectors in zip(*states, strict=True))
    expected = tuple(np.array([row[k].ravel() for row in rows]) for k in range(len(rows[0])))
    scales = [
        max(float(np.abs(x).max()), sizes.get(own.name, 0.0))
        for own, x in zip(program.results, expected, strict=True)
    ]
    scales = [scale if scale > 0.0 else 1.0 for scale in scales]  # all scales are zero without gravity
    for ours, x, scale in zip(program.values(inputs), expected, scales, strict=True):
        difference = float(np.abs(ours - x).max()) / scale
        if not difference <= LARGEST_DIFFERENCE:
            raise UnsupportedModelError(
                f"the program of {program.name} of '{graph.name}' differs from the library by "
                f"{difference:.1e}: the robot has a joint or a term that cannot be exported"
            )
    return Recording(program, inputs, expected, tuple(scales), TOLERANCE)


def _recorded(graph: SubsystemGraph, name: str, links: tuple[str, ...]) -> Recording:
    """Return a function as the core has recorded it, with random states."""
    rng, function = np.random.default_rng(0), FUNCTIONS[name]
    sizes = (graph.nq, graph.nv, graph.nv)
    states = [tuple(rng.uniform(-2.0, 2.0, size) for size in sizes) for _ in range(STATES)]
    terms = {} if function.of_links else _terms(graph, states)
    if function.third == "tau":
        states = [(q, v, inverse_dynamics(graph, q, v, a)) for q, v, a in states]
    states = [state[: function.vectors] for state in states]
    frames = (core_frames(graph, links),) if function.of_links else ()
    vectors = (("q", graph.nq), ("v", graph.nv), (function.third, graph.nv))
    shape = function.shape(graph, graph.nv, len(links))
    made = program(
        name,
        function.purpose,
        vectors[: function.vectors],
        graph.once(core_robot).record(function.quantity or name, function.vectors, function.terms, *frames),
        [(own, shape, unit.format(links=", ".join(links))) for own, unit in function.results.items()],
        [*quaternions(graph)],
    )
    more = (links,) if function.of_links else ()
    return recorded(graph, made, states, [function.library(graph, *state, *more) for state in states], terms)


def _terms(graph: SubsystemGraph, states: Sequence[Sequence[Array]]) -> dict[str, float]:
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
