"""Identifies mass and centre of mass of the load beyond a sensor, and its offset, from wrenches at rest.

In the sensor's frame, with gravity g_k at pose k and the sensor's sign s (see `SensorPlacement`):

    force_k  = -s m g_k + force offset            m and 3 offsets
    moment_k = s [g_k] h + moment offset          first moment h = m c, and 3 offsets

These are two linear least-squares problems, in each of which every axis of the sensor has its own noise,
estimated from the residuals (`AxisFit`). The variance of c = h / m follows by the first-order (delta) method,
its interval by Student's t with degrees of freedom that combine both problems (Welch and Satterthwaite).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from modular_dynamics.algebra.matrix_forms import skew
from modular_dynamics_ros.computation.black_boxes.sensors import SensorPlacement
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import RobotError

AXES = 3
LEAST_FREEDOM = 1.0  # degrees; an axis without noise would have none, and Student's t no bound
LEAST_POSES = 4
LEAST_SPREAD = 0.1  # least root mean square of gravity's unit vectors along their second widest axis


class Variances(NamedTuple):
    """Variances of linear combinations of the parameters: values and degrees of freedom, (n,) each."""

    values: Array
    freedom: Array


class AxisFit:
    """Solves A x = y by least squares, where each axis of a sensor has its own noise.

    With residuals r = N e, N = I - Q Q^T, and the variance s_a of axis a, E(sum of r^2 along a) is the sum of
    B_ab s_b, B_ab = sum of N_kl^2 over k along a and l along b. The three equations give unbiased variances
    (Rao's MINQUE). A variance that follows from them is a quadratic form e^T X e of the noise; that of a
    chi-square distribution with 2 E^2 / Var degrees of freedom has the same mean and variance
    (Satterthwaite).

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


class UnfitPosesError(RobotError):
    """The collected poses do not determine the payload."""


class RestPose(NamedTuple):
    """Gravity (3,) in the sensor's frame [m/s^2] and mean wrench (6,) as the sensor reports it, at rest."""

    gravity: Array
    wrench: Array


class IdentifiedPayload(NamedTuple):
    """A payload identified from wrenches at several poses.

    Attributes:
        mass [kg], com (3,) [m] in the connection point's frame; their intervals: half the widths.
        offset: (6,) of the sensor [N, N m]. residual: root mean square of unexplained forces [N].
    """

    mass: float
    mass_interval: float
    com: Array
    com_interval: Array
    offset: Array
    residual: float


def identify_payload(
    poses: Sequence[RestPose], placement: SensorPlacement, confidence: float = 0.95
) -> IdentifiedPayload:
    """Return the payload and the offset that solve both least-squares problems.

    Args:
        confidence: probability with which each of the four intervals contains the true value.

    Raises:
        UnfitPosesError: too few or too similar poses, an invalid confidence, or a mass that cannot be
            distinguished from zero, so that its centre is unknown.
    """
    if not 0.0 < confidence < 1.0:
        raise UnfitPosesError(f"confidence is {confidence:g}; a probability between 0 and 1 is needed")
    if 0.5 + 0.5 * confidence == 1.0:  # rounded: its intervals would have no bounds
        raise UnfitPosesError(f"confidence is {confidence!r}: too close to 1 for floats; 0.999999 is not")
    if len(poses) < LEAST_POSES:
        raise UnfitPosesError(f"{len(poses)} poses are collected; at least {LEAST_POSES} are needed")
    g, sign = np.array([pose.gravity for pose in poses]), placement.sign
    _require_spread(g)
    y = np.array([pose.wrench for pose in poses])
    ones = np.tile(np.eye(3), (len(g), 1))
    force = AxisFit(np.hstack((-sign * g.reshape(-1, 1), ones)), y[:, :3].ravel())
    moment_columns = np.vstack([sign * skew(gravity) for gravity in g])
    moment = AxisFit(np.hstack((moment_columns, ones)), y[:, 3:].ravel())

    mass, of_mass = float(force.values[0]), force.variances(np.eye(1, 4))
    mass_interval = float((_t(confidence, of_mass.freedom) * np.sqrt(of_mass.values))[0])
    if mass <= mass_interval:
        raise UnfitPosesError(
            f"the mass is {mass:.4g} +- {mass_interval:.2g} kg: nothing hangs beyond the sensor, or it "
            "reports with the opposite sign (see reversed_black_boxes)"
        )
    R, relative = placement.rotation, placement.rotation @ moment.values[:3] / mass
    of_moment = moment.variances(np.hstack((R, np.zeros((3, 3)))) / mass)
    through_mass = Variances(relative**2 * of_mass.values / mass**2, of_mass.freedom)
    return IdentifiedPayload(
        mass,
        mass_interval,
        placement.origin + relative,
        _half_widths(confidence, of_moment, through_mass),
        np.concatenate((force.values[1:], moment.values[3:])),
        force.residual,
    )


def _half_widths(confidence: float, first: Variances, second: Variances) -> Array:
    """Return half widths (3,) of confidence intervals for sums of two independent estimates."""
    total = first.values + second.values
    shares = first.values**2 / first.freedom + second.values**2 / second.freedom
    freedom = np.divide(total**2, shares, out=np.array(first.freedom), where=shares > 0.0)
    return np.asarray(_t(confidence, freedom) * np.sqrt(total))


def _t(confidence: float, freedom: Array) -> Array:
    """Return Student's t of a two-sided interval."""
    from scipy.special import stdtrit  # noqa: PLC0415  # a node's start must not wait for it

    return np.asarray(stdtrit(freedom, 0.5 + 0.5 * confidence))


def _require_spread(gravities: Array) -> None:
    """Raise UnfitPosesError unless directions of gravity in the sensor's frame vary along two axes.

    If they vary along one only, the first moment about it is unknown.
    """
    size = np.linalg.norm(gravities, axis=1).max()
    if size == 0.0:
        raise UnfitPosesError("there is no gravity: nothing is known of masses at rest")
    about_mean = (gravities - gravities.mean(axis=0)) / size
    spread = np.linalg.svd(about_mean, compute_uv=False) / np.sqrt(len(gravities))
    if spread[1] < LEAST_SPREAD:
        wide, narrow, needed = np.degrees(np.arcsin(np.minimum([*spread[:2], LEAST_SPREAD], 1.0)))
        raise UnfitPosesError(
            "the poses are too similar: the direction of gravity in the sensor's frame varies by "
            f"{wide:.1f} deg along one axis and {narrow:.1f} deg along the next (root mean square); "
            f"{needed:.1f} deg are needed along two: turn the sensor about two axes"
        )
