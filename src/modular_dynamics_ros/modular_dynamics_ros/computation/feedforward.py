"""From the inverse dynamics to what a controller may be given: which terms, friction, effort limits."""

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import Array

__all__ = ["FRICTION_SPEED", "friction_torques", "limit_efforts", "select_terms"]

FRICTION_SPEED = 1e-3
"""Speed [rad/s or m/s] below which dry friction rises linearly: a sign function would chatter at rest."""


def friction_torques(v: Array, damping: Array, dry: Array) -> Array:
    """Return torques (n,) [N m or N] that overcome friction at velocities v (n,).

    Those of the library with ``friction="urdf"``, but for dry friction at speeds below FRICTION_SPEED.
    """
    return np.asarray(damping * v + dry * np.clip(v / FRICTION_SPEED, -1.0, 1.0))


def select_terms(tau: Array, gravity: Array | None, output: str) -> Array:
    """Return the torques of an output mode (n,); may be one of the arguments.

    Args:
        tau: inverse dynamics; gravity: its part at rest, springs included; not needed by the mode `full`.
        output: full | gravity | full_minus_gravity.
    """
    if output == "full" or gravity is None:
        return tau
    return gravity if output == "gravity" else tau - gravity


def limit_efforts(tau: Array, limits: Array, mode: str) -> tuple[Array, NDArray[np.bool_]]:
    """Return torques (n,) within +-limits, tau itself if it is, and which joints exceeded their limit.

    "clip" cuts each joint at its own limit; "scale" shrinks all torques by one factor, which keeps their
    direction in joint space; "off" changes and reports nothing. NaN (a joint in a black box) and infinite
    limits never count.
    """
    if mode == "off":
        return tau, np.zeros(len(tau), dtype=bool)
    exceeded: NDArray[np.bool_] = np.abs(tau) > limits
    if not exceeded.any():
        return tau, exceeded
    if mode == "clip":
        return np.clip(tau, -limits, limits), exceeded
    return tau * np.min(limits[exceeded] / np.abs(tau[exceeded])), exceeded
