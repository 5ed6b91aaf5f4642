"""From the inverse dynamics to what a controller may be given: which terms, friction, effort limits."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np

__all__ = ["FRICTION_SPEED", "Feedforward", "JointData", "friction_coefficients", "limit_efforts"]

FRICTION_SPEED = 1e-3
"""Speed [rad/s or m/s] below which dry friction rises linearly: a sign function would chatter at rest."""


class JointData(Protocol):
    """What this file reads of a joint of the graph."""

    name: str
    damping: float
    friction: float


def friction_coefficients(joints: Iterable, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Viscous [N m s/rad or N s/m] and dry [N m or N] friction of each coordinate.

    A mimic joint, qd_m = k qd, loads its driver by the principle of virtual power: k^2 times its damping,
    |k| times its dry friction.
    """
    damping, dry = np.zeros(len(names)), np.zeros(len(names))
    for joint in joints:
        ratio = joint.mimic.multiplier if joint.mimic else 1.0
        index = names.index(joint.mimic.joint if joint.mimic else joint.name)
        damping[index] += ratio**2 * joint.damping
        dry[index] += abs(ratio) * joint.friction
    return damping, dry


def limit_efforts(tau: np.ndarray, limits: np.ndarray, mode: str) -> np.ndarray:
    """Bring tau within +-limits in place; return which joints (n,) bool exceeded theirs.

    "clip" cuts each joint at its own limit; "scale" shrinks all torques by one factor, which keeps their
    direction in joint space; "off" only reports nothing. NaN (a joint in a black box) and infinite limits
    never count.
    """
    if mode == "off":
        return np.zeros(len(tau), dtype=bool)
    exceeded: np.ndarray = np.abs(tau) > limits
    if exceeded.any():
        if mode == "clip":
            np.clip(tau, -limits, limits, out=tau)
        else:
            tau *= np.min(limits[exceeded] / np.abs(tau[exceeded]))
    return exceeded


class Feedforward:
    """Output mode, friction and effort limits of one robot.

    Args:
        damping, dry: (n,) from `friction_coefficients`; limits: (n,) effort limits, infinite where there is
        none. output: full | gravity | full_minus_gravity. friction: none | urdf. effort_limits: off | clip |
        scale.

    Attributes:
        projection: W (joints, n) of a robot with closed loops, whose friction is that of all joints: W^T of
            it loads the independent ones. None: each of the n joints bears its own.
    """

    def __init__(
        self,
        damping: np.ndarray,
        dry: np.ndarray,
        limits: np.ndarray,
        *,
        output: str,
        friction: str,
        effort_limits: str,
    ) -> None:
        self._damping, self._dry, self._limits = damping, dry, limits
        self.output, self.friction, self.effort_limits = output, friction, effort_limits
        self.projection: np.ndarray | None = None

    @property
    def needs_gravity(self) -> bool:
        """Whether the gravity torques enter the output."""
        return self.output != "full"

    def __call__(self, tau: np.ndarray, gravity: np.ndarray, v: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Write the effort (n,) [N m or N] into `out`; return which joints (n,) exceeded their limit.

        Args:
            tau: (n,) inverse dynamics; gravity: (n,) its part at rest (read only where the mode needs it);
            v: (n,) velocities of the joints, or of all joints with a projection; for friction.
        """
        if self.output == "gravity":
            out[:] = gravity
        elif self.output == "full_minus_gravity":
            np.subtract(tau, gravity, out=out)
        else:
            out[:] = tau
        if self.friction == "urdf":
            loss = self._damping * v + self._dry * np.clip(v / FRICTION_SPEED, -1.0, 1.0)
            out += loss if self.projection is None else self.projection.T @ loss
        return limit_efforts(out, self._limits, self.effort_limits)
