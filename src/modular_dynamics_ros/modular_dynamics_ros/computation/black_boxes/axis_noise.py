"""Least squares of three-component measurements whose axes have a noise of their own.

Force/torque sensors are built so: the noise along z is often another one than that along x and y. With one
noise for all axes the variance of one axis's estimate would be that of another one.

With residuals r = N e, N = I - Q Q^T, and the variance s_a of axis a, E(sum of r^2 along a) = sum_b B_ab s_b,
B_ab = sum of N_kl^2 over k along a and l along b. The three equations give unbiased variances (Rao's MINQUE).
A variance that follows from them is a quadratic form e^T X e of the noise; that of a chi-square distribution
with 2 E^2 / Var degrees of freedom has the same mean and variance (Satterthwaite).
"""

from typing import NamedTuple

import numpy as np

from modular_dynamics_ros.computation.values import Array

__all__ = ["AxisFit", "Variances"]

AXES = 3
# the estimate of an axis without noise, beside one with noise, is near zero, and so is its freedom; Student's
# t has no bound there
LEAST_FREEDOM = 1.0


class Variances(NamedTuple):
    """Variances of linear combinations of the parameters: values and degrees of freedom, (n,) each."""

    values: Array
    freedom: Array


class AxisFit:
    """Least squares of A x = y.

    Args:
        A: (3 K, p), of full rank; rows k, k + 3, k + 6 ... are measured along axis k. y: (3 K,).

    Attributes:
        values: x (p,). residual: root mean square of y - A x. noise: (3,) variances along the axes.
    """

    def __init__(self, A: Array, y: Array) -> None:
        self._Q, triangle = np.linalg.qr(A)
        self._inverse = np.linalg.inv(triangle)
        self.values = np.asarray(self._inverse @ (self._Q.T @ y), dtype=float)
        rest = y - A @ self.values
        self.residual = float(np.sqrt(np.mean(rest**2)))
        self._of_squares = self._expectations()
        squares = (rest**2).reshape(-1, AXES).sum(axis=0)
        # an estimate may be negative where an axis has little noise
        self.noise = np.maximum(np.linalg.solve(self._of_squares, squares), 0.0)
        self._freedom_of_all = float(len(y) - A.shape[1])

    def _expectations(self) -> Array:
        """Return the matrix B (3, 3) of expectations."""
        rows = self._Q.reshape(-1, AXES, self._Q.shape[1])
        grams = np.einsum("kai,kaj->aij", rows, rows)  # Q_a^T Q_a
        diagonal = np.einsum("kai,kai->a", rows, rows)
        return np.asarray(np.einsum("aij,bij->ab", grams, grams) + np.diag(len(rows) - 2.0 * diagonal))

    def variances(self, combinations: Array) -> Variances:
        """Return the variances of linear combinations (n, p) of the parameters."""
        weights = (np.asarray(combinations) @ self._inverse @ self._Q.T) ** 2  # of the noise in each
        shares = weights.reshape(len(weights), -1, AXES).sum(axis=1)
        freedom = [self._freedom(share) for share in shares]
        return Variances(shares @ self.noise, np.array(freedom))

    def _freedom(self, share: Array) -> float:
        """Return the degrees of freedom of share . noise, with X = N W N = W + F [0 1; 1 0] F^T."""
        count = len(self._Q) // AXES
        w, s = np.tile(np.linalg.solve(self._of_squares.T, share), count), np.tile(self.noise, count)
        Q, of_w = self._Q, self._Q * w[:, None]
        F = np.hstack((Q, 0.5 * Q @ (Q.T @ of_w) - of_w))
        swapped = np.roll(F, Q.shape[1], axis=1).T
        inner = swapped @ (s[:, None] * F)
        twice = np.sum((w * s) ** 2) + 2.0 * np.trace(swapped @ ((s * w * s)[:, None] * F))
        half_variance = twice + np.trace(inner @ inner)
        square = float(share @ self.noise) ** 2
        if not (square > 0.0 and half_variance > 0.0):
            return self._freedom_of_all
        return max(square / float(half_variance), LEAST_FREEDOM)
