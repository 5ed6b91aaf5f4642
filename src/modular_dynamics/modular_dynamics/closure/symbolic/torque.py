"""tau1 with rates and springs: by Lagrange's equations, or by the projected torques of the open tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import Spring, SubsystemGraph
from .model_constants import import_casadi
from .orientations import Orientations
from .planar_loops import spring_paths_of
from .planar_vector import Symbol

__all__ = ["JointState", "SymbolicSpring", "constrained_torque", "lagrange_torque", "symbolic_springs"]


class JointState(NamedTuple):
    """Columns of symbols: coordinates of a method, rates and accelerations of the independent joints."""

    q: Symbol
    v: Symbol
    vdot: Symbol


class SymbolicSpring(NamedTuple):
    """A spring and its length [m] as a function of the coordinates; its parameters stay numbers."""

    spring: Spring
    length: Symbol

    def torque(self, q: Symbol, v: Symbol) -> Symbol:
        """dL/dq^T F, F = F0 + k (L - L0) + d L'."""
        ca, spring = import_casadi(), self.spring
        force = spring.initial_force + spring.stiffness * (self.length - spring.free_length)
        if spring.damping != 0.0:
            force = force + spring.damping * ca.jtimes(self.length, q, v)
        return ca.gradient(self.length, q) * force


def symbolic_springs(graph: SubsystemGraph, orientations: Orientations) -> list[SymbolicSpring]:
    """All springs of a graph.

    Raises:
        UnsupportedModelError: a spring between bodies of different planes.
    """
    springs = []
    for spring, path in zip(graph.springs, spring_paths_of(graph, orientations.model), strict=True):
        first = path.segments[0].body
        line = orientations.vector_sum(path.segments, first, first)
        height = orientations.constants.scalar(path.height, "d")
        springs.append(SymbolicSpring(spring, import_casadi().sqrt(line.dot(line) + height * height)))
    return springs


def lagrange_torque(
    state: JointState, mass_matrix: Symbol, gravity_torque: Symbol, springs: Sequence[SymbolicSpring]
) -> Symbol:
    """d/dt dL/dq1' - dL/dq1, L = 1/2 q1'^T M1 q1' - U (Schappler et al., section 3.3)."""
    q, v, vdot = state
    return (
        mass_matrix @ vdot
        + _velocity_torque(mass_matrix, q, v)
        + gravity_torque
        + _spring_torque(springs, q, v)
    )


def constrained_torque(
    state: JointState,
    projection: Symbol,
    tree_mass_matrix: Symbol,
    tree_gravity_torque: Symbol,
    springs: Sequence[SymbolicSpring],
) -> Symbol:
    """W^T tau (section 3.4): tau of the open tree at q' = W q1', q'' = W q1'' + W' q1'."""
    ca, (q, v, vdot), W = import_casadi(), state, projection
    rates = ca.SX.sym("rates", q.shape[0])
    bias = _velocity_torque(tree_mass_matrix, q, rates) + _spring_torque(springs, q, rates)
    bias = ca.substitute(bias, rates, W @ v)
    drift = ca.substitute(ca.jtimes(W @ v, q, rates), rates, W @ v)
    return W.T @ (tree_mass_matrix @ (W @ vdot + drift) + bias + tree_gravity_torque)


def _velocity_torque(mass_matrix: Symbol, q: Symbol, v: Symbol) -> Symbol:
    """M' v - 1/2 d(v^T M v)/dq: Coriolis and centrifugal torques."""
    ca = import_casadi()
    momentum = mass_matrix @ v
    return ca.jtimes(momentum, q, v) - 0.5 * ca.gradient(ca.dot(v, momentum), q)


def _spring_torque(springs: Sequence[SymbolicSpring], q: Symbol, v: Symbol) -> Symbol:
    return sum((spring.torque(q, v) for spring in springs), import_casadi().SX(q.shape[0], 1))
