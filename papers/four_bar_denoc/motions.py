"""Motions of the four-bar over time, with the force at the cut joint and the crank's torque."""

from dataclasses import dataclass

import numpy as np

from papers.four_bar_denoc.bars import Array, Bars

JOINTS = "J1", "J4", "J3"  # in the order of theta, and of the URDF


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion at times (m,) [s].

    Attributes:
        q, v, a: (m, 3) of J1, J4, J3, in rad, rad/s, rad/s^2. multipliers: lambda (m, 2) [N] on the crank at
            J2, along the ground's axes. torque: (m,) of the crank [N m]. reference: (m,) of theta2, if any.
    """

    times: Array
    q: Array
    v: Array
    a: Array
    multipliers: Array
    torque: Array
    reference: Array | None = None

    def columns(self) -> dict[str, Array]:
        """Return the columns of a CSV file by their headings."""
        found = {"time [s]": self.times}
        parts = ("angle [rad]", self.q), ("velocity [rad/s]", self.v), ("acceleration [rad/s^2]", self.a)
        for what, rows in parts:
            found |= {f"{joint} {what}": column for joint, column in zip(JOINTS, rows.T, strict=True)}
        found |= {f"lambda {axis} [N]": self.multipliers[:, k] for k, axis in enumerate("xy")}
        return found | {"crank torque [N m]": self.torque}


def turn(bars: Bars, angles: Array, speed: float) -> Motion:
    """Return the motion through the crank's angles (m,) at constant speed [rad/s], by DeNOC."""
    denoc, q = bars.denoc(), np.array([bars.denoc().close(angle) for angle in angles])
    found = [denoc.inverse_dynamics(theta, speed, 0.0) for theta in q]
    torque, multipliers, a = (np.array(column) for column in zip(*found, strict=True))
    v = np.array([denoc.rates(theta, speed) for theta in q])
    return Motion(angles / speed, q, v, a, multipliers, torque)
