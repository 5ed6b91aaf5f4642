"""Mass and centre of mass of what hangs beyond a sensor, and the sensor's offset, from wrenches at rest.

In the sensor's frame, with gravity g_k at pose k and the sensor's sign s (see `SensorPlacement`):

    force_k  = -s m g_k + force offset            m and 3 offsets
    moment_k = s [g_k] h + moment offset          first moment h = m c, and 3 offsets

Two linear least-squares problems, in each of which every axis of the sensor has a noise of its own, which the
residuals tell (`AxisFit`). c = h / m gets its variance by the first-order (delta) method, and an interval by
Student's t, whose degrees of freedom combine both problems (Welch and Satterthwaite).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from modular_dynamics_ros.computation.black_boxes.axis_noise import AxisFit, Variances
from modular_dynamics_ros.computation.black_boxes.static_load import SensorPlacement
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import RobotError

__all__ = ["LEAST_POSES", "IdentifiedPayload", "RestPose", "UnfitPosesError", "identify_payload"]

LEAST_POSES = 4
LEAST_SPREAD = 0.1  # least root mean square of gravity's unit vectors along their second widest axis


class UnfitPosesError(RobotError):
    """The poses do not tell what is asked for."""


@dataclass(frozen=True, eq=False)
class RestPose:
    """One pose at rest.

    Attributes:
        gravity: (3,) in the sensor's frame [m/s^2]. wrench: (6,) averaged, as the sensor reports it.
    """

    gravity: Array
    wrench: Array


@dataclass(frozen=True, eq=False)
class IdentifiedPayload:
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
    """Solve both problems.

    Args:
        confidence: probability with which each of the four intervals contains the true value.

    Raises:
        UnfitPosesError: too few or too similar poses, a confidence that is no probability, or a mass that is
            not distinguished from zero, so that its centre is not known.
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
    moment_columns = np.vstack([sign * placement.moment_of(one) for one in g])
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
    return np.asarray(stats.t.ppf(0.5 + 0.5 * confidence, freedom))


def _require_spread(gravities: Array) -> None:
    """Refuse directions of gravity in the sensor's frame that lie at a point or on a line.

    Two axes are needed: if directions differ along one only, the first moment about it is unknown.

    Raises:
        UnfitPosesError: there is only one.
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
