"""Whether joints and base stay where they are."""

import math

import numpy as np

from modular_dynamics_ros.computation.values import Array, BaseState
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["FARTHEST", "FASTEST", "Stillness"]

FASTEST = 0.05  # [rad/s or m/s] of a joint or the base at rest: measured velocities are noisy
FARTHEST = 0.002  # [rad or m] that a joint at rest may move
LARGEST_TURN = 0.01  # [rad] of a base at rest: the orientation of an imu is noisy


class Stillness:
    """Compares what comes with what came first.

    Args:
        names: of the joints (n,).
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._first = np.full(len(names), np.nan)
        self._first_base: BaseState | None = None
        self._moved = ""

    def compare(self, q: Array, v: Array, base: BaseState | None) -> None:
        """Note a motion. q, v: (n,) [rad or m, per s], NaN where they are unknown."""
        if self._moved:
            return
        self._first = np.where(np.isnan(self._first), q, self._first)
        way = q - self._first
        moving = (np.abs(v) > FASTEST) | (np.abs(way) > FARTHEST)  # NaN is not
        if moving.any():
            k = int(np.argmax(moving))
            speed = "" if np.isnan(v[k]) else f"{v[k]:.3g} per s, "
            self._moved = f"joint '{self._names[k]}' moves: {speed}{way[k]:+.3g}"
        elif base is not None:
            self._compare_base(base)

    def _compare_base(self, base: BaseState) -> None:
        """An imu tells no twist, and a slow one turns far: the angle counts. Where it is does not matter."""
        self._first_base = self._first_base or base
        angle = _angle(self._first_base, base)
        if (speed := float(np.abs(base.twist).max())) > FASTEST or angle > LARGEST_TURN:
            self._moved = f"the base moves: {speed:.3g} per s, turned by {angle:.3g} rad"

    def require(self) -> None:
        """Refuse a motion.

        Raises:
            BadMessage: something moved.
        """
        if self._moved:
            limits = (
                f"{FASTEST:g} per s, {FARTHEST:g} rad or m of joints, and {LARGEST_TURN:g} rad of the base"
            )
            text = f"the robot must be at rest, but {self._moved} (at rest: at most {limits})"
            raise BadMessage("moving", text)


def _angle(first: BaseState, second: BaseState) -> float:
    """From one orientation to another [rad]."""
    turn = first.orientation.conjugate() * second.orientation
    return 2.0 * math.atan2(math.hypot(turn.x, turn.y, turn.z), abs(turn.w))
