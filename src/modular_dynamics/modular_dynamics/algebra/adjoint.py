"""The adjoint operators and the cross product, by which twists and wrenches change frames."""

from __future__ import annotations

from .dual_quaternion import DualQuaternion

__all__ = ["adjoint", "cross"]


def adjoint(x_b_a: DualQuaternion, a: DualQuaternion) -> DualQuaternion:
    """Ad(x) a = x a x* (Silva & Adorno, eq. 8): a pure dual quaternion from frame a to frame b.

    Args:
        x_b_a: unit dual quaternion that takes a's coordinates to b's.
        a: twist omega + eps v or wrench f + eps m, expressed in frame a.
    """
    return x_b_a * a * x_b_a.conjugate()


def cross(a: DualQuaternion, b: DualQuaternion) -> DualQuaternion:
    """a x b = (a b - b a) / 2 of two pure dual quaternions: the Lie bracket of twists."""
    return (a * b - b * a) * 0.5
