"""Whether joints and base stay where they are."""

import math
from collections.abc import Mapping

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
        units: of the joints' positions, rad or m, by name (n,).
    """

    def __init__(self, units: Mapping[str, str]) -> None:
        self._units = list(units.items())
        self._first = np.full(len(units), np.nan)
        self._first_base: BaseState | None = None
        self._moved = ""

    def compare(self, q: Array, v: Array, base: BaseState | None) -> None:
        """Note a motion. q, v: (n,) [rad or m, per s], NaN where they are unknown."""
        if self._moved:
            return
        self._first = np.where(np.isnan(self._first), q, self._first)
        way = q - self._first
        moving = (np.abs(v) > FASTEST) | (np.abs(way) > FARTHEST)  # NaN does not count as moving
        if moving.any():
            k = int(np.argmax(moving))
            name, unit = self._units[k]
            speed = "" if np.isnan(v[k]) else f"velocity {v[k]:.3g} {unit}/s, "
            self._moved = f"joint '{name}' moves: {speed}displacement {way[k]:+.3g} {unit}"
        elif base is not None:
            self._compare_base(base)

    def _compare_base(self, base: BaseState) -> None:
        """Compare the base's orientation by angle, as an imu has no twist; its position does not matter."""
        self._first_base = self._first_base or base
        angle = _angle(self._first_base, base)
        speeds = np.abs(base.twist)
        k = int(np.argmax(speeds))
        if speeds[k] > FASTEST or angle > LARGEST_TURN:
            unit = "m/s" if k < 3 else "rad/s"
            self._moved = f"the base moves: velocity {speeds[k]:.3g} {unit}, turned by {angle:.3g} rad"

    def require(self) -> None:
        """Refuse a motion.

        Raises:
            BadMessage: something moved.
        """
        if self._moved:
            limits = (
                f"a velocity of at most {FASTEST:g} rad/s or m/s, a displacement of at most {FARTHEST:g} rad "
                f"or m, and of the base a turn of at most {LARGEST_TURN:g} rad"
            )
            text = f"the robot must be at rest, but {self._moved} (at rest: {limits})"
            raise BadMessage("moving", text)


def _angle(first: BaseState, second: BaseState) -> float:
    """Return the angle [rad] from one orientation to another."""
    turn = first.orientation.conjugate() * second.orientation
    return 2.0 * math.atan2(math.hypot(turn.x, turn.y, turn.z), abs(turn.w))
