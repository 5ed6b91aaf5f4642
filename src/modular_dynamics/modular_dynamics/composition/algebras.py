"""The algebras in which the composition can be written: the required operations, and two instances.

The composition (Silva & Adorno, section II) requires only these operations; section III instantiates them
with dual quaternions. The second instance, 6-vectors (Featherstone's spatial vectors), represents twists and
wrenches differently, moves them by different operators, and gives the same numbers.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, Quaternion, adjoint, cross, to_rotation_translation

__all__ = ["Algebra", "DualQuaternions", "SpatialVectors"]

Vector = NDArray[np.float64]


class Algebra(Protocol):
    """Twists in T and wrenches in W. Elements can be added and multiplied by 1."""

    def twist(self, omega: Vector, v: Vector) -> Any:
        """The twist of angular velocity omega [rad/s] and velocity v [m/s] of the frame's origin."""

    def wrench(self, force: Vector, moment: Vector) -> Any:
        """The wrench of force [N] and moment about the frame's origin [N m]."""

    def move_twist(self, x_b_a: DualQuaternion, xi: Any) -> Any:
        """Twist from frame a to frame b."""

    def move_wrench(self, x_b_a: DualQuaternion, zeta: Any) -> Any:
        """Wrench from frame a to frame b."""

    def cross(self, a: Any, b: Any) -> Any:
        """Lie bracket of two twists."""

    def newton_euler(self, mass: float, inertia: Vector, gravity: Vector, xi: Any, xid: Any) -> Any:
        """Wrench at the centre of mass for twist xi and derivative xid there; gravity in the same axes."""

    def force_moment(self, zeta: Any) -> tuple[Vector, Vector]:
        """(force, moment) of a wrench."""


class DualQuaternions:
    """T = W = H_p, pure dual quaternions: xi = omega + eps v, zeta = f + eps m; one operator Ad for both."""

    def twist(self, omega: Vector, v: Vector) -> DualQuaternion:
        return DualQuaternion.pure(omega, v)

    def wrench(self, force: Vector, moment: Vector) -> DualQuaternion:
        return DualQuaternion.pure(force, moment)

    def move_twist(self, x_b_a: DualQuaternion, xi: DualQuaternion) -> DualQuaternion:
        return adjoint(x_b_a, xi)

    def move_wrench(self, x_b_a: DualQuaternion, zeta: DualQuaternion) -> DualQuaternion:
        return adjoint(x_b_a, zeta)

    def cross(self, a: DualQuaternion, b: DualQuaternion) -> DualQuaternion:
        return cross(a, b)

    def newton_euler(
        self, mass: float, inertia: Vector, gravity: Vector, xi: DualQuaternion, xid: DualQuaternion
    ) -> DualQuaternion:
        """f = m (D(xid) + P(xi) x D(xi)) - m g; mu = I P(xid) + P(xi) x (I P(xi)); zeta = f + eps mu."""
        angular = DualQuaternion(xi.primary, Quaternion())
        linear = DualQuaternion(xi.dual, Quaternion())
        momentum = DualQuaternion.pure(inertia @ xi.primary.vector, np.zeros(3))
        force = (xid.dual + cross(angular, linear).primary - Quaternion.pure(gravity)) * mass
        moment = Quaternion.pure(inertia @ xid.primary.vector) + cross(angular, momentum).primary
        return DualQuaternion(force, moment)

    def force_moment(self, zeta: DualQuaternion) -> tuple[Vector, Vector]:
        return zeta.primary.vector, zeta.dual.vector


class SpatialVectors:
    """T = W = R^6: twists (omega, v) moved by X, wrenches (m, f) by X^-T; I is the 6 x 6 spatial inertia."""

    def twist(self, omega: Vector, v: Vector) -> Vector:
        return np.concatenate([omega, v])

    def wrench(self, force: Vector, moment: Vector) -> Vector:
        return np.concatenate([moment, force])

    def _motion(self, x_b_a: DualQuaternion) -> Vector:
        """X: motion vectors from frame a to frame b."""
        rotation, shift = to_rotation_translation(x_b_a)
        X = np.zeros((6, 6))
        X[:3, :3] = X[3:, 3:] = rotation
        X[3:, :3] = _skew(shift) @ rotation
        return X

    def move_twist(self, x_b_a: DualQuaternion, xi: Vector) -> Vector:
        return self._motion(x_b_a) @ xi

    def move_wrench(self, x_b_a: DualQuaternion, zeta: Vector) -> Vector:
        # the dual of X_b_a is the transpose of its inverse, X_a_b
        moved: Vector = self._motion(x_b_a.conjugate()).T @ zeta
        return moved

    def cross(self, a: Vector, b: Vector) -> Vector:
        return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])

    def newton_euler(self, mass: float, inertia: Vector, gravity: Vector, xi: Vector, xid: Vector) -> Vector:
        """I a + xi x* (I xi), with the spatial acceleration a = xid - (0, g)."""
        spatial = np.zeros((6, 6))
        spatial[:3, :3] = inertia
        spatial[3:, 3:] = mass * np.eye(3)
        ad = np.zeros((6, 6))
        ad[:3, :3] = ad[3:, 3:] = _skew(xi[:3])
        ad[3:, :3] = _skew(xi[3:])
        acceleration = xid - np.concatenate([np.zeros(3), gravity])
        wrench: Vector = spatial @ acceleration - ad.T @ (spatial @ xi)
        return wrench

    def force_moment(self, zeta: Vector) -> tuple[Vector, Vector]:
        return zeta[3:], zeta[:3]


def _skew(a: Vector) -> Vector:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
