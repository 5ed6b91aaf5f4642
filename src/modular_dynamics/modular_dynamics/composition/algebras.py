"""The algebras in which the composition can be written: the required operations, and three instances.

The composition (Silva & Adorno, section II) requires only these operations; section III instantiates them
with dual quaternions. The others, 6-vectors (Featherstone's spatial vectors) and matrices of se(3) and its
dual, represent twists and wrenches differently, move them by different operators, and give the same numbers.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, Quaternion, adjoint, cross, to_rotation_translation
from ..algebra.matrix_forms import (
    SquareMatrix,
    ad,
    adjoint_matrix,
    dual_bracket_matrix,
    homogeneous,
    inverse,
    skew,
    twist_matrix,
    twist_vector,
    wrench_vector,
)

Vector = NDArray[np.float64]


class Algebra(Protocol):
    """Twists in T and wrenches in W. Elements can be added, subtracted, negated, multiplied by ``one``."""

    @property
    def one(self) -> Any:
        """The identity by which wrenches are multiplied: the elements of 1_s (eq. 4 and footnote 3)."""

    def twist(self, omega: Vector, v: Vector) -> Any:
        """Return the twist of angular velocity omega [rad/s] and velocity v [m/s] of the frame's origin."""

    def wrench(self, force: Vector, moment: Vector) -> Any:
        """Return the wrench of force [N] and moment about the frame's origin [N m]."""

    def move_twist(self, x_b_a: DualQuaternion, xi: Any) -> Any:
        """Return a twist of frame a in frame b."""

    def move_wrench(self, x_b_a: DualQuaternion, zeta: Any) -> Any:
        """Return a wrench of frame a in frame b."""

    def cross(self, a: Any, b: Any) -> Any:
        """Return the Lie bracket of two twists."""

    def newton_euler(self, mass: float, inertia: Vector, gravity: Vector, xi: Any, xid: Any) -> Any:
        """Return the wrench at the centre of mass for twist xi and its derivative xid there.

        Gravity [m/s^2] and inertia [kg m^2], about the centre of mass, are in the same axes.
        """

    def force_moment(self, zeta: Any) -> tuple[Vector, Vector]:
        """Return force [N] and moment [N m] of a wrench."""


class DualQuaternionAlgebra:
    """T = W = H_p, pure dual quaternions: xi = omega + eps v, zeta = f + eps m; one operator Ad for both."""

    one = 1.0

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


class SpatialVectorAlgebra:
    """T = W = R^6: twists (omega, v) moved by X, wrenches (m, f) by X^-T; I is the 6 x 6 spatial inertia."""

    one = 1.0

    def twist(self, omega: Vector, v: Vector) -> Vector:
        return np.concatenate([omega, v])

    def wrench(self, force: Vector, moment: Vector) -> Vector:
        return np.concatenate([moment, force])

    def _motion(self, x_b_a: DualQuaternion) -> Vector:
        """Return X, which moves motion vectors from frame a to frame b."""
        rotation, shift = to_rotation_translation(x_b_a)
        X = np.zeros((6, 6))
        X[:3, :3] = X[3:, 3:] = rotation
        X[3:, :3] = skew(shift) @ rotation
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
        """Return I a + xi x* (I xi), with the spatial acceleration a = xid - (0, g)."""
        spatial = np.zeros((6, 6))
        spatial[:3, :3] = inertia
        spatial[3:, 3:] = mass * np.eye(3)
        crm = np.zeros((6, 6))
        crm[:3, :3] = crm[3:, 3:] = skew(xi[:3])
        crm[3:, :3] = skew(xi[3:])
        acceleration = xid - np.concatenate([np.zeros(3), gravity])
        wrench: Vector = spatial @ acceleration - crm.T @ (spatial @ xi)
        return wrench

    def force_moment(self, zeta: Vector) -> tuple[Vector, Vector]:
        return zeta[3:], zeta[:3]


class SpecialEuclideanAlgebra:
    """T = se(3), 4 x 4 matrices moved by H X H^-1; W = se*(3), 6 x 6 matrices moved by Ad^T B Ad; 1 = I_6.

    The bracket is the commutator. A wrench F = (f, m) is a functional on se(3), represented by the
    skew-symmetric matrix B(F) of the form x^T B(F) y = F . [y, x] of two twists (v, omega). Products of such
    matrices have the identity I_6, as footnote 3 requires: A is 6 n x 6 s, 1_s is 6 s x 6, and
    Gamma_total = A 1_s is 6 n x 6; the footnote gives 1_s the size of Gamma_total.
    """

    @property
    def one(self) -> SquareMatrix:
        return SquareMatrix(np.eye(6))

    def twist(self, omega: Vector, v: Vector) -> SquareMatrix:
        return SquareMatrix(twist_matrix(np.concatenate([v, omega])))

    def wrench(self, force: Vector, moment: Vector) -> SquareMatrix:
        return SquareMatrix(dual_bracket_matrix(np.concatenate([force, moment])))

    def move_twist(self, x_b_a: DualQuaternion, xi: SquareMatrix) -> SquareMatrix:
        H = homogeneous(*to_rotation_translation(x_b_a))
        return SquareMatrix(H) * xi * SquareMatrix(inverse(H))

    def move_wrench(self, x_b_a: DualQuaternion, zeta: SquareMatrix) -> SquareMatrix:
        # in frame b the form takes twists of b, which Ad(H_a_b) moves to frame a
        Ad = adjoint_matrix(inverse(homogeneous(*to_rotation_translation(x_b_a))))
        return SquareMatrix(Ad.T) * zeta * SquareMatrix(Ad)

    def cross(self, a: SquareMatrix, b: SquareMatrix) -> SquareMatrix:
        return a * b - b * a

    def newton_euler(
        self, mass: float, inertia: Vector, gravity: Vector, xi: SquareMatrix, xid: SquareMatrix
    ) -> SquareMatrix:
        """Return M (Vd - (g, 0)) - ad(V)^T M V, M = diag(m, I) (Meister & Gutenkunst, eqs. 27 and 29)."""
        V, Vd = twist_vector(xi.array), twist_vector(xid.array)
        M = np.zeros((6, 6))
        M[:3, :3] = mass * np.eye(3)
        M[3:, 3:] = inertia
        acceleration = Vd - np.concatenate([gravity, np.zeros(3)])
        return SquareMatrix(dual_bracket_matrix(M @ acceleration - ad(V).T @ (M @ V)))

    def force_moment(self, zeta: SquareMatrix) -> tuple[Vector, Vector]:
        wrench = wrench_vector(zeta.array)
        return wrench[:3], wrench[3:]
