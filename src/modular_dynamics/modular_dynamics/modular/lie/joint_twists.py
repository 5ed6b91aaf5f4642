"""Unit twists (v, omega) of joints: per radian of a revolute, per metre of a prismatic joint.

Meister & Gutenkunst, eqs. 10-12.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError
from .checks import direction, finite, numbers

__all__ = ["prismatic_twist", "revolute_twist", "screw_twist"]

Array = NDArray[np.float64]


def revolute_twist(axis: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """s = (-omega x p, omega) (..., 6): rotation about an axis through a point (eq. 10).

    Args:
        axis: direction omega (..., 3) of the axis, of any length above zero.
        point: any point p (..., 3) [m] on it; with the frame's origin s is that of eq. 11.

    Raises:
        StateError: a wrong shape, a number that is not finite, or an axis of zeros.
    """
    return screw_twist(axis, point, 0.0)


def prismatic_twist(axis: ArrayLike) -> Array:
    """s = (v, 0) (..., 6): translation along the direction v = ``axis`` (..., 3) (eq. 12).

    Raises:
        StateError: a wrong shape, a number that is not finite, or an axis of zeros.
    """
    v = direction(axis, "axis")
    return np.concatenate([v, np.zeros_like(v)], axis=-1)


def screw_twist(axis: ArrayLike, point: ArrayLike, pitch: ArrayLike) -> Array:
    """s = (-omega x p + h omega, omega) (..., 6): rotation with translation along the axis.

    The general motion of a joint with one coordinate (Chasles' theorem).

    Args:
        axis, point: as of :func:`revolute_twist`.
        pitch: h [m/rad]; numbers (...).

    Raises:
        StateError: a wrong shape, a number that is not finite, or an axis of zeros.
    """
    omega, p, h = direction(axis, "axis"), numbers(point, "point", (3,)), numbers(pitch, "pitch", ())
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            v = np.cross(p, omega) + h[..., None] * omega
    except ValueError:
        raise StateError(
            f"axis has shape {omega.shape}, point {p.shape} and pitch {h.shape}; leading dimensions that fit "
            "each other are needed"
        ) from None
    return finite(np.concatenate([v, np.broadcast_to(omega, v.shape)], axis=-1), "the twist")
