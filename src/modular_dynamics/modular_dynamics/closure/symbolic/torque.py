"""tau1 with rates and springs: by Lagrange's equations, or by the open tree's torques, projected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .plane import Plane, Symbol
from .rings import spans_of

if TYPE_CHECKING:
    from .methods import Method

__all__ = ["constrained_torque", "lagrange_torque"]


def lagrange_torque(method: Method) -> Any:
    """d/dt dL/dq1' - dL/dq1, L = 1/2 q1'^T M1 q1' - U (Schappler et al., section 3.3)."""
    ca = method.values.ca
    q, v, vdot, _ = method.inputs
    M1 = method.mass_matrix
    momentum = M1 @ v
    rest = ca.jtimes(momentum, q, v) - 0.5 * ca.gradient(ca.dot(v, momentum), q)
    return M1 @ vdot + rest + method.gravity_torque + spring_torque(method, q, v)


def constrained_torque(method: Method) -> Any:
    """W^T tau (section 3.4): tau of the open tree at q' = W q1', q'' = W q1'' + W' q1'."""
    ca = method.values.ca
    q, v, vdot, _ = method.inputs
    W = method.projection
    given = ca.SX.sym("rates", q.shape[0])
    rates = W @ v
    M, g = method.open_tree
    momentum = M @ given
    bias = ca.jtimes(momentum, q, given) - 0.5 * ca.gradient(ca.dot(given, momentum), q)
    bias = ca.substitute(bias + spring_torque(method, q, given), given, rates)
    drift = ca.substitute(ca.jtimes(W @ v, q, given), given, rates)
    return W.T @ (M @ (W @ vdot + drift) + bias + g)


def spring_torque(method: Method, q: Any, v: Any) -> Any:
    """Sum of dL/dq^T F, F = F0 + k (L - L0) + d L', over springs; numbers of springs stay numbers."""
    ca, total = method.values.ca, method.values.ca.SX(q.shape[0], 1)
    spans = spans_of(method.graph, method.parts, method.planes, method.ground)
    for spring, span in zip(method.graph.springs, spans, strict=True):
        length = _length(method, span)
        pull = spring.initial_force + spring.stiffness * (length - spring.free_length)
        if spring.damping != 0.0:
            pull = pull + spring.damping * ca.jtimes(length, q, v)
        total = total + ca.gradient(length, q) * pull
    return total


def _length(method: Method, span: Any) -> Symbol:
    values, directions = method.values, method.directions
    total = Plane(values.ca.SX(0.0), values.ca.SX(0.0))
    for side in span.sides:
        local = values.plane(side.vector, "d")
        for k, axis in side.slides:
            local = local.plus(values.plane(axis, "n").times(directions.coordinates[method.parts[k].name]))
        turn = directions.between(span.sides[0].body, side.body)
        total = total.plus(local.turned(directions.vector(turn, directions.offset(side.body))))
    height = values.scalar(span.height, "d")
    return values.ca.sqrt(total.square() + height * height)
