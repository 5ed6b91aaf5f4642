"""Identifies mass and centre of mass of the load beyond a sensor, and its offset, from wrenches at rest.

In the sensor's frame, with gravity g_k at pose k and the sensor's sign s (see `SensorPlacement`):

    force_k  = -s m g_k + force offset            m and 3 offsets
    moment_k = s [g_k] h + moment offset          first moment h = m c, and 3 offsets

These are two linear least-squares problems, in each of which all axes have the same noise. The variance of
c = h / m follows by the first-order (delta) method, its interval by Student's t with degrees of freedom that
combine both problems (Welch and Satterthwaite).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from modular_dynamics.algebra.matrix_forms import skew
from modular_dynamics_ros.computation.black_boxes.sensors import SensorPlacement
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import RobotError

LEAST_POSES = 4
LEAST_SPREAD = 0.1  # least root mean square of gravity's unit vectors along their second widest axis


class Fit(NamedTuple):
    """The least-squares solution of A x = y.

    Attributes:
        values: x (p,). covariance: of x (p, p). freedom: degrees of freedom of the residuals. residual: their
        root mean square.
    """

    values: Array
    covariance: Array
    freedom: int
    residual: float


def least_squares(A: Array, y: Array) -> Fit:
    """Return the solution of A x = y for A (n, p) of full rank."""
    values = np.asarray(np.linalg.lstsq(A, y)[0], dtype=float)
    squares = float(np.sum((y - A @ values) ** 2))
    freedom = len(y) - A.shape[1]
    return Fit(values, squares / freedom * np.linalg.inv(A.T @ A), freedom, float(np.sqrt(squares / len(y))))


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
        confidence: probability, above 0 and below 1, with which each of the four intervals contains the
            true value.

    Raises:
        UnfitPosesError: too few or too similar poses, a confidence that rounding makes 1, or a mass that
            cannot be distinguished from zero, so that its centre is unknown.
    """
    if 0.5 + 0.5 * confidence == 1.0:  # rounded: its intervals would have no bounds
        raise UnfitPosesError(f"confidence is {confidence!r}: too close to 1 for floats; 0.999999 is not")
    if len(poses) < LEAST_POSES:
        raise UnfitPosesError(f"{len(poses)} poses are collected; at least {LEAST_POSES} are needed")
    g, sign = np.array([pose.gravity for pose in poses]), placement.sign
    _require_spread(g)
    y = np.array([pose.wrench for pose in poses])
    ones = np.tile(np.eye(3), (len(g), 1))
    force = least_squares(np.hstack((-sign * g.reshape(-1, 1), ones)), y[:, :3].ravel())
    moment_columns = np.vstack([sign * skew(gravity) for gravity in g])
    moment = least_squares(np.hstack((moment_columns, ones)), y[:, 3:].ravel())

    mass, of_mass = float(force.values[0]), float(force.covariance[0, 0])
    mass_interval = float(_t(confidence, force.freedom) * np.sqrt(of_mass))
    if mass <= mass_interval:
        raise UnfitPosesError(
            f"the mass is {mass:.4g} +- {mass_interval:.2g} kg: nothing hangs beyond the sensor, or it "
            "reports with the opposite sign (see reversed_black_boxes)"
        )
    R, relative = placement.rotation, placement.rotation @ moment.values[:3] / mass
    of_moment = np.diag(R @ moment.covariance[:3, :3] @ R.T) / mass**2
    through_mass = relative**2 * of_mass / mass**2
    of_com = of_moment + through_mass
    shares = of_moment**2 / moment.freedom + through_mass**2 / force.freedom
    freedom = np.divide(of_com**2, shares, out=np.full(3, float(moment.freedom)), where=shares > 0.0)
    return IdentifiedPayload(
        mass,
        mass_interval,
        placement.origin + relative,
        _t(confidence, freedom) * np.sqrt(of_com),
        np.concatenate((force.values[1:], moment.values[3:])),
        force.residual,
    )


def _t(confidence: float, freedom: float | Array) -> Array:
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
