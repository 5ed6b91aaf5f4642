"""Public functions of one state as programs of q, v and a third vector, for export to other languages."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..codegen.procedure import Procedure, Result
from ..codegen.program import Program, Symbol
from ..codegen.tracing import Symbols, joint_states, run
from ..kernels.recursions.articulated_layout import ROUNDING
from ..model import SubsystemGraph
from .arrays.model_arrays import Arrays, arrays_of
from .execution.algorithms import DERIVATIVES, FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, Algorithm

__all__ = ["EXPORTED", "procedure"]

TORQUES = "[N m or N]"
#: Numbers of a quaternion.
QUATERNION = 4


class _Trace:
    """A program of one graph's q, v and third vector, to which algorithms are added."""

    def __init__(self, graph: SubsystemGraph, arrays: Arrays, third: str) -> None:
        self.nv, self.arrays, self.program = graph.nv, arrays, Program()
        self.vectors = ("q", graph.nq), ("v", graph.nv), (third, graph.nv)
        self.q, self.v, self.third = (
            {k: self.program.input(vector, k) for k in range(length)}
            for vector, (_, length) in enumerate(self.vectors)
        )
        self.zeros = dict.fromkeys(range(graph.nv), self.program.constant(0.0))

    def symbols(self, algorithm: Algorithm, v: Symbols, third: Symbols) -> list[Symbol]:
        """What the recursion of an algorithm writes."""
        topology, constants = algorithm.prepared(*self.arrays)
        states = joint_states(topology, constants, self.program, self.q)
        vectors = states, self.q, v, third
        outputs = algorithm.outputs(topology)
        return run(algorithm.recursion, topology, constants, outputs, self.program, vectors)


#: (results, pivots) of a function.
_Traced = tuple[tuple[Result, ...], tuple[Symbol, ...]]


def _torques(trace: _Trace, name: str, v: Symbols, third: Symbols) -> _Traced:
    tau = tuple(trace.symbols(INVERSE_DYNAMICS, v, third))
    return (Result(name, tau, (trace.nv,), TORQUES),), ()


def _mass_matrix(trace: _Trace) -> _Traced:
    M = tuple(trace.symbols(MASS_MATRIX, trace.zeros, trace.zeros))
    return (Result("M", M, (trace.nv, trace.nv), "[kg m^2, kg m, kg], symmetric"),), ()


def _derivatives(trace: _Trace) -> _Traced:
    numbers, size = trace.symbols(DERIVATIVES, trace.v, trace.third), trace.nv**2
    parts = zip(("dq", "dv", "dvdot"), ("q", "v", "vdot"), strict=True)
    return tuple(
        Result(name, tuple(numbers[k * size : (k + 1) * size]), (trace.nv, trace.nv), f"d tau_i / d {by}_j")
        for k, (name, by) in enumerate(parts)
    ), ()


def _forward_dynamics(trace: _Trace, mimics: bool) -> _Traced:
    if mimics:
        vdot, pivots = _solved(trace)
    else:
        both = trace.symbols(FORWARD_DYNAMICS, trace.v, trace.third)
        vdot, pivots = both[: trace.nv], both[trace.nv :]
    return (Result("vdot", tuple(vdot), (trace.nv,), "[rad/s^2 or m/s^2]"),), tuple(pivots)


def _solved(trace: _Trace) -> tuple[list[Symbol], list[Symbol]]:
    """vdot of M vdot = tau - h by M = L^T D L, and its pivots.

    From the leaves to the ground: zeros of branched robots stay (Featherstone, chapter 6).
    """
    n = trace.nv
    entries = trace.symbols(MASS_MATRIX, trace.zeros, trace.zeros)
    h = trace.symbols(INVERSE_DYNAMICS, trace.v, trace.zeros)
    x = [trace.third[k] - h[k] for k in range(n)]
    H = [entries[k * n : (k + 1) * n] for k in range(n)]
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
    """One function: what it computes, how many of the three vectors it takes, and how it is traced."""

    purpose: str
    vectors: int
    third: str
    trace: Callable[[_Trace, bool], _Traced]


#: By the names of the functions of this package.
EXPORTED: Mapping[str, _Exported] = {
    "inverse_dynamics": _Exported(
        "Torques tau = M(q) vdot + h(q, v) of inverse dynamics.",
        3,
        "vdot",
        lambda t, _: _torques(t, "tau", t.v, t.third),
    ),
    "bias": _Exported(
        "Torques h at zero acceleration: Coriolis, centrifugal, gravity.",
        2,
        "vdot",
        lambda t, _: _torques(t, "h", t.v, t.zeros),
    ),
    "gravity_torque": _Exported(
        "Torques g that hold the robot still.", 1, "vdot", lambda t, _: _torques(t, "g", t.zeros, t.zeros)
    ),
    "mass_matrix": _Exported("Mass matrix M.", 1, "vdot", lambda t, _: _mass_matrix(t)),
    "forward_dynamics": _Exported(
        "Accelerations vdot that the torques tau give: M vdot + h = tau.", 3, "tau", _forward_dynamics
    ),
    "inverse_dynamics_derivatives": _Exported(
        "Derivatives of the torques of inverse dynamics with respect to q, v and vdot.",
        3,
        "vdot",
        lambda t, _: _derivatives(t),
    ),
}


def procedure(graph: SubsystemGraph, name: str) -> Procedure:
    """One of the functions EXPORTED as a program of its vectors.

    Raises:
        StateError: black boxes. UnsupportedModelError: loop joints, passive joints, gears or springs.
    """
    exported = EXPORTED[name]
    arrays = arrays_of(graph, f"exported {name}")
    trace = _Trace(graph, arrays, exported.third)
    results, pivots = exported.trace(trace, any(joint.mimic is not None for joint in graph.joints))
    return Procedure(
        name,
        exported.purpose,
        trace.program,
        trace.vectors[: exported.vectors],
        results,
        pivots,
        tuple((0, first) for first in _quaternions(graph)),
    )


def _quaternions(graph: SubsystemGraph) -> Iterator[int]:
    """Where in q quaternions begin."""
    for name in graph.joint_names:
        part = graph.q_slice(name)
        if part.stop - part.start >= QUATERNION:  # they end the joint's coordinates
            yield part.stop - QUATERNION
