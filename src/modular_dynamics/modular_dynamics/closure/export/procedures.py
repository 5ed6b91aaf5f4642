"""Public functions of a robot with closed loops as programs of its independent q, v and a third vector."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...codegen.procedure import Procedure, Result
from ...codegen.program import Symbol
from ...dynamics.arrays.arguments import Array
from ...dynamics.export.procedures import TORQUES, quaternions, solved
from ..dynamics.solver import ClosedLoopSolver
from .loop_trace import LoopTrace

__all__ = ["EXPORTED_WITH_LOOPS", "procedure_with_loops"]

#: A result, and pivots.
_Traced = tuple[Result, tuple[Symbol, ...]]


def _vector(trace: LoopTrace, name: str, symbols: list[Symbol], unit: str) -> _Traced:
    return Result(name, tuple(symbols), (len(symbols),), unit), ()


def _coordinates(trace: LoopTrace) -> _Traced:
    symbols = [trace.q[k] for k in range(trace.graph.nq)]
    return _vector(trace, "coordinates", symbols, "of all joints [rad, m or 1]")


def _projection(trace: LoopTrace) -> _Traced:
    W = trace.projection()
    symbols = tuple(column[k] for k in range(trace.graph.nv) for column in W)
    return Result("W", symbols, (trace.graph.nv, len(W)), "of all joints by v of the independent ones"), ()


def _inverse_dynamics(trace: LoopTrace) -> _Traced:
    v = trace.velocities(trace.v)
    return _vector(trace, "tau", trace.torques(v, trace.accelerations(trace.third, v)), TORQUES)


def _bias(trace: LoopTrace) -> list[Symbol]:
    v = trace.velocities(trace.v)
    return trace.torques(v, trace.accelerations([0.0] * len(trace.v), v))


def _gravity_torque(trace: LoopTrace) -> _Traced:
    torques = trace.torques(trace.zeros, trace.zeros, of_joints=False, of_springs=False)
    return _vector(trace, "g", torques, TORQUES)


def _mass_matrix(trace: LoopTrace) -> _Traced:
    M = trace.mass_matrix()
    symbols = tuple(entry for row in M for entry in row)
    return Result("M", symbols, (len(M), len(M)), "[kg m^2, kg m, kg], symmetric"), ()


def _forward_dynamics(trace: LoopTrace) -> _Traced:
    right = [tau - h for tau, h in zip(trace.third, _bias(trace), strict=True)]
    vdot, pivots = solved(trace.mass_matrix(), right)
    return Result("vdot", tuple(vdot), (len(vdot),), "[rad/s^2 or m/s^2]"), tuple(pivots)


@dataclass(frozen=True)
class _Exported:
    """One function: what it computes, how many of the three vectors it takes, and how it is traced."""

    purpose: str
    vectors: int
    third: str
    trace: Callable[[LoopTrace], _Traced]


#: By the names of the functions of this package; q, v, vdot, tau are of the independent joints.
EXPORTED_WITH_LOOPS: Mapping[str, _Exported] = {
    "close_loops": _Exported("Coordinates of all joints, loops closed.", 1, "vdot", _coordinates),
    "constraint_projection": _Exported(
        "W: velocities of all joints are W v, v of the independent ones.", 1, "vdot", _projection
    ),
    "closed_loop_inverse_dynamics": _Exported(
        "Torques of the independent joints; passive joints are unactuated.", 3, "vdot", _inverse_dynamics
    ),
    "closed_loop_bias": _Exported(
        "Torques h of the independent joints at zero acceleration of theirs: velocities, gravity, springs.",
        2,
        "vdot",
        lambda trace: _vector(trace, "h", _bias(trace), TORQUES),
    ),
    "closed_loop_gravity_torque": _Exported(
        "Torques g of the independent joints that gravity needs; springs do not count.",
        1,
        "vdot",
        _gravity_torque,
    ),
    "closed_loop_mass_matrix": _Exported("Mass matrix M of the independent joints.", 1, "vdot", _mass_matrix),
    "closed_loop_forward_dynamics": _Exported(
        "Accelerations vdot of the independent joints that their torques tau give: M vdot + h = tau.",
        3,
        "tau",
        _forward_dynamics,
    ),
}


def procedure_with_loops(solver: ClosedLoopSolver, name: str, near: Array) -> Procedure:
    """One of the functions above as a program.

    Args:
        near (nq,): closed coordinates of all joints, whose assembly mode it has.
    """
    exported, graph = EXPORTED_WITH_LOOPS[name], solver.graph
    trace = LoopTrace(solver, name, exported.third, near)
    result, pivots = exported.trace(trace)
    places = solver.independent_q.tolist()
    return Procedure(
        name,
        exported.purpose,
        trace.program,
        trace.vectors[: exported.vectors],
        (result,),
        pivots,
        tuple((0, places.index(first)) for first in quaternions(graph) if first in places),
        tuple(trace.reach),
        _notes(solver, near),
    )


def _notes(solver: ClosedLoopSolver, near: Array) -> tuple[str, ...]:
    """Which assembly mode it is."""
    graph, passive = solver.graph, solver.system.passive
    names = (*graph.independent_joint_names, *passive.names)
    return (
        "Loops close in the assembly mode of these coordinates [rad or m]; passive joints that rotate are",
        "within half a turn of them:",
        *(f"  {name} {', '.join(map(repr, near[graph.q_slice(name)].tolist()))}" for name in names),
    )
