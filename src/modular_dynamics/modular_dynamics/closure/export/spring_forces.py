"""Torques of springs between links as operations: J^T F, from the poses and Jacobians of their links."""

from collections.abc import Sequence

from ...algebra import to_rotation_translation
from ...codegen import symbolic_math
from ...codegen.program import Symbol
from ...codegen.tracing import Symbols
from ...dynamics.export.procedures import Trace
from ...kernels.recursions import jacobian, kinematics
from ...model import Anchor, Spring

__all__ = ["spring_torques"]

_Vector = list[Symbol]


def spring_torques(trace: Trace, springs: Sequence[Spring], v: Symbols) -> list[Symbol]:
    """Torques (nv,) that hold springs at velocities v, of tension F = F_0 + k (L - L_0) + d dL/dt."""
    zero = trace.program.constant(0.0)
    torques = [zero] * trace.nv
    for spring in springs:
        (p, Jp), (s, Js) = (_anchor_point(trace, anchor) for anchor in spring.anchors)
        arm = [b - a for a, b in zip(p, s, strict=True)]
        length = symbolic_math.sqrt(_dot(arm, arm))
        along = [x / length for x in arm]
        J = [
            _dot(along, [b - a for a, b in zip(before, after, strict=True)])
            for before, after in zip(Jp, Js, strict=True)
        ]
        rate = sum((J[k] * v[k] for k in range(trace.nv)), zero)
        tension = spring.stiffness * (length - spring.free_length) + spring.initial_force
        tension = tension + spring.damping * rate
        torques = [torque + one * tension for torque, one in zip(torques, J, strict=True)]
    return torques


def _anchor_point(trace: Trace, anchor: Anchor) -> tuple[_Vector, list[_Vector]]:
    """Position of an anchor in the root link's frame, and its velocity for each unit velocity."""
    pose = trace.of_links(kinematics.recursion, (anchor.link,), 16)
    columns = trace.of_links(jacobian.recursion, (anchor.link,), 6 * trace.nv)
    _, position = to_rotation_translation(anchor.x_link_anchor)
    offset = [
        sum((pose[4 * i + j] * float(position[j]) for j in range(3)), trace.program.constant(0.0))
        for i in range(3)
    ]
    velocities = []
    for k in range(trace.nv):
        linear, omega = ([columns[(first + i) * trace.nv + k] for i in range(3)] for first in (0, 3))
        (a, b, c), (x, y, z) = omega, offset
        swing = b * z - c * y, c * x - a * z, a * y - b * x
        velocities.append([one + other for one, other in zip(linear, swing, strict=True)])
    return [pose[4 * i + 3] + offset[i] for i in range(3)], velocities


def _dot(a: _Vector, b: _Vector) -> Symbol:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
