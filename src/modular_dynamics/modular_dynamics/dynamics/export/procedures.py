"""Public functions of one state as programs, for export to other languages.

Their inputs are q, v and a third vector, which is vdot or tau; a function may use only the first of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...codegen.procedure import Procedure, Result
from ...codegen.program import Program, Symbol
from ...codegen.tracing import Symbols, joint_states, run
from ...kernels import layout
from ...kernels.recursions import jacobian, kinematics
from ...kernels.recursions.articulated_layout import ROUNDING
from ...model import JointType, SubsystemGraph
from ..arrays.arguments import Array, Topology
from ..arrays.model_arrays import arrays_of, with_links
from .algorithms import (
    DERIVATIVES,
    FORWARD_DYNAMICS,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
    Algorithm,
    reason_for_matrix,
)

__all__ = ["EXPORTED", "TORQUES", "Trace", "procedure", "quaternions", "solved"]

TORQUES = "[N m or N]"
#: Numbers of a quaternion.
QUATERNION = 4


class Trace:
    """A program to which algorithms on one graph, a tree, are added.

    Attributes:
        q, v, third: symbols of its coordinates, velocities, and accelerations or torques. zeros: (nv,).
        name: of the function that is traced. links: whose poses or Jacobians are asked for.
    """

    def __init__(
        self,
        graph: SubsystemGraph,
        name: str,
        program: Program,
        vectors: tuple[Symbols, Symbols, Symbols],
        links: Sequence[str] = (),
    ) -> None:
        self.graph, self.name, self.links, self.nv, self.program = graph, name, links, graph.nv, program
        self.q, self.v, self.third = vectors
        self.zeros = dict.fromkeys(range(graph.nv), program.constant(0.0))

    def symbols(
        self, algorithm: Algorithm, v: Symbols, third: Symbols, with_springs: bool = True
    ) -> list[Symbol]:
        """Results of the recursion of an algorithm, and its pivots if it has some."""
        topology, constants = algorithm.prepared(*arrays_of(self.graph, f"exported {self.name}"))
        if not with_springs:
            topology[-1, layout.TERMS] &= ~layout.SPRINGS
        return self._run(algorithm.recursion, topology, constants, algorithm.outputs(topology), v, third)

    def of_links(
        self, recursion: Callable[..., object], links: Sequence[str], results: int
    ) -> tuple[Symbol, ...]:
        """Results of a recursion on the graph's joints and the frames of these links."""
        topology, constants = with_links(self.graph, links)
        return tuple(self._run(recursion, topology, constants, results, self.zeros, self.zeros))

    def _run(
        self,
        recursion: Callable[..., object],
        topology: Topology,
        constants: Array,
        results: int,
        v: Symbols,
        third: Symbols,
    ) -> list[Symbol]:
        states = joint_states(topology, constants, self.program, self.q)
        return run(recursion, topology, constants, results, self.program, (states, self.q, v, third))


#: Results and pivots of a function: numbers that must be positive for the results to exist.
_Traced = tuple[tuple[Result, ...], tuple[Symbol, ...]]


def _torques(trace: Trace, name: str, v: Symbols, third: Symbols, with_springs: bool = True) -> _Traced:
    tau = tuple(trace.symbols(INVERSE_DYNAMICS, v, third, with_springs))
    return (Result(name, tau, (trace.nv,), TORQUES),), ()


def _mass_matrix(trace: Trace) -> _Traced:
    M = tuple(trace.symbols(MASS_MATRIX, trace.zeros, trace.zeros))
    return (Result("M", M, (trace.nv, trace.nv), "[kg m^2, kg m, kg], symmetric"),), ()


def _derivatives(trace: Trace) -> _Traced:
    numbers, size = trace.symbols(DERIVATIVES, trace.v, trace.third), trace.nv**2
    turn = "; of quaternions by a rotation in the child's axes, as many columns as v has"
    parts = (("dq", "q", turn), ("dv", "v", ""), ("dvdot", "vdot", ""))
    return tuple(
        Result(
            name, tuple(numbers[k * size : (k + 1) * size]), (trace.nv, trace.nv), f"d tau_i / d {by}_j{more}"
        )
        for k, (name, by, more) in enumerate(parts)
    ), ()


def _frame_poses(trace: Trace) -> _Traced:
    numbers = trace.of_links(kinematics.recursion, trace.links, 16 * len(trace.links))
    unit = f"[[R, p], [0, 1]], p in m, of {', '.join(trace.links)} in the root link's frame"
    return (Result("poses", numbers, (len(trace.links), 4, 4), unit),), ()


def _jacobians(trace: Trace) -> _Traced:
    size = 6 * trace.nv  # links one by one: what they share is in the program once
    numbers = [x for link in trace.links for x in trace.of_links(jacobian.recursion, (link,), size)]
    unit = f"of {', '.join(trace.links)}: [velocity m/s, angular velocity rad/s] by v, root link's axes"
    return (Result("J", tuple(numbers), (len(trace.links), 6, trace.nv), unit),), ()


def _forward_dynamics(trace: Trace) -> _Traced:
    if reason_for_matrix(trace.graph) is not None:
        n = trace.nv
        entries = trace.symbols(MASS_MATRIX, trace.zeros, trace.zeros)
        h = trace.symbols(INVERSE_DYNAMICS, trace.v, trace.zeros)
        M = [entries[k * n : (k + 1) * n] for k in range(n)]
        vdot, pivots = solved(M, [trace.third[k] - h[k] for k in range(n)])
    else:
        both = trace.symbols(FORWARD_DYNAMICS, trace.v, trace.third)
        vdot, pivots = both[: trace.nv], both[trace.nv :]
    return (Result("vdot", tuple(vdot), (trace.nv,), "[rad/s^2 or m/s^2]"),), tuple(pivots)


def solved(M: Sequence[list[Symbol]], right: Sequence[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
    """x of M x = right, M symmetric, by M = L^T D L, and its pivots.

    From the leaves to the ground: zeros of branched robots stay (Featherstone, chapter 6).
    """
    n, H, x = len(right), [row.copy() for row in M], list(right)
    smallest = [H[k][k] * ROUNDING for k in range(n)]
    inverse: dict[int, Symbol] = {}
    for k in reversed(range(n)):
        inverse[k] = 1.0 / H[k][k]
        for i in reversed(range(k)):
            if H[k][i].number != 0.0:
                factor = H[k][i] * inverse[k]
                for j in range(i + 1):
                    H[i][j] = H[i][j] - factor * H[k][j]
                H[k][i] = factor
    for k in reversed(range(n)):
        for i in range(k):
            x[i] = x[i] - H[k][i] * x[k]
    for k in range(n):
        x[k] = x[k] * inverse[k]
        for i in range(k):
            x[k] = x[k] - H[k][i] * x[i]
    return x, [H[k][k] - smallest[k] for k in range(n)]


@dataclass(frozen=True)
class _Exported:
    """One exported function.

    Attributes:
        purpose: what it computes, as the header says it.
        vectors: how many of q, v and the third vector it takes. third: name of the third one.
        trace: adds its operations to a program. of_links: whether it takes names of links.
    """

    purpose: str
    vectors: int
    third: str
    trace: Callable[[Trace], _Traced]
    of_links: bool = False


#: The functions that can be exported, by their names in the library.
EXPORTED: Mapping[str, _Exported] = {
    "inverse_dynamics": _Exported(
        "Torques tau = M(q) vdot + h(q, v) of inverse dynamics.",
        3,
        "vdot",
        lambda t: _torques(t, "tau", t.v, t.third),
    ),
    "bias": _Exported(
        "Torques h at zero acceleration: Coriolis, centrifugal, gravity.",
        2,
        "vdot",
        lambda t: _torques(t, "h", t.v, t.zeros),
    ),
    "gravity_torque": _Exported(
        "Torques g that gravity needs; springs at joints do not count.",
        1,
        "vdot",
        lambda t: _torques(t, "g", t.zeros, t.zeros, with_springs=False),
    ),
    "mass_matrix": _Exported("Mass matrix M.", 1, "vdot", _mass_matrix),
    "forward_dynamics": _Exported(
        "Accelerations vdot that the torques tau give: M vdot + h = tau.", 3, "tau", _forward_dynamics
    ),
    "inverse_dynamics_derivatives": _Exported(
        "Derivatives of the torques of inverse dynamics with respect to q, v and vdot.",
        3,
        "vdot",
        _derivatives,
    ),
    "frame_poses": _Exported("Poses of links, homogeneous matrices.", 1, "vdot", _frame_poses, of_links=True),
    "jacobian": _Exported("Jacobians of links.", 1, "vdot", _jacobians, of_links=True),
}


def procedure(graph: SubsystemGraph, name: str, links: Sequence[str] = ()) -> Procedure:
    """The function of EXPORTED with this name as a program of its vectors.

    Args:
        links: names of the links of frame_poses and jacobian; no others take links.

    Raises:
        StateError: a black box in the graph, or an unknown link.
        UnsupportedModelError: closed loops; not raised by frame_poses and jacobian.
    """
    exported = EXPORTED[name]
    program, vectors = Program(), (("q", graph.nq), ("v", graph.nv), (exported.third, graph.nv))
    q, v, third = (
        {k: program.input(vector, k) for k in range(length)} for vector, (_, length) in enumerate(vectors)
    )
    trace = Trace(graph, name, program, (q, v, third), links)
    results, pivots = exported.trace(trace)
    return Procedure(
        name,
        exported.purpose,
        program,
        vectors[: exported.vectors],
        results,
        pivots,
        tuple((0, first) for first in quaternions(graph)),
    )


def quaternions(graph: SubsystemGraph) -> Iterator[int]:
    """Where in q quaternions begin."""
    for name in graph.joint_names:
        if graph.joint(name).type in (JointType.FLOATING, JointType.SPHERICAL):
            yield graph.q_slice(name).stop - QUATERNION  # they end the joint's coordinates
