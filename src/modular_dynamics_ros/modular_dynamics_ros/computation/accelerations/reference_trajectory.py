"""The accelerations of a reference trajectory: those of the motion that joint_trajectory_controller follows.

From point to point the motion is a polynomial, so the acceleration is one, too:
positions, velocities and accelerations: of degree 5, the acceleration of degree 3;
positions and velocities: of degree 3, the acceleration of degree 1;
positions alone: of degree 1, the acceleration is zero.
That controller takes no accelerations without positions and velocities; they are linear between the points.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import Array, Instants, values_at

__all__ = ["ReferenceTrajectory"]


@dataclass(frozen=True, eq=False)
class ReferenceTrajectory:
    """Accelerations at absolute instants, joints in graph order.

    Attributes:
        start: since when it replaces older ones [ns].
        instants: (m,) of its points, strictly increasing, the first one is `start` [ns]; (0,): it has none
        and cancels the older ones.
        powers: (m, k, n) accelerations [rad/s^2 or m/s^2] from each point on, as coefficients of the powers
        0 to k - 1 of the share of the time to the next point; constant at the last one.
        at_rest: whether the motion stands still after the last point.
        missing: joints of the robot that it does not name; their acceleration is zero.
    """

    start: int
    instants: Instants
    powers: Array
    at_rest: bool = True
    missing: tuple[str, ...] = ()

    @staticmethod
    def none(start: int) -> "ReferenceTrajectory":
        """Return a trajectory without points; it cancels older ones from `start` [ns] on."""
        return ReferenceTrajectory(start, np.zeros(0, dtype=np.int64), np.zeros((0, 1, 0)))

    @staticmethod
    def through(
        instants: Instants,
        positions: Array | None = None,
        velocities: Array | None = None,
        accelerations: Array | None = None,
        missing: tuple[str, ...] = (),
    ) -> "ReferenceTrajectory":
        """Return a trajectory through at least one point: values (m, n), positions or accelerations given."""
        q, v, a = positions, velocities, accelerations
        if a is not None:
            powers = _linear(a) if q is None or v is None else _from_quintic(instants, q, v, a)
        elif q is not None and v is not None:
            powers = _from_cubic(instants, q, v)
        else:
            assert q is not None  # as said above
            powers = np.zeros((len(q), 1, q.shape[1]))
        ending = v if v is not None else a  # at rest where the velocities end with zero, if they are known
        at_rest = ending is None or not ending[-1].any()
        return ReferenceTrajectory(int(instants[0]), instants, powers, at_rest, missing)

    def of_joints(self, where: NDArray[np.intp], names: Sequence[str]) -> "ReferenceTrajectory":
        """Return the trajectory for joints with these names; (n,) index of each among its own, -1: none."""
        named = {name for name, place in zip(names, where.tolist(), strict=True) if place >= 0}
        missing = tuple(name for name in names if name not in named or name in self.missing)
        return replace(self, powers=values_at(where, self.powers), missing=missing)

    @property
    def end(self) -> int:
        """Instant [ns] of the last point; before `start` if there is none."""
        return int(self.instants[-1]) if len(self.instants) else self.start - 1

    def sample(self, instant: int, out: Array) -> None:
        """Write the acceleration (n,) at `instant` [ns], from the first point to the last, into `out`."""
        instants = self.instants
        k = int(instants.searchsorted(instant, side="right")) - 1
        powers, begin = self.powers[k], instants.item(k)
        if begin == instant:  # exactly the value that was given
            out[:] = powers[0]
            return
        u = (instant - begin) / (instants.item(k + 1) - begin)
        np.dot((1.0, u, u * u, u * u * u)[: len(powers)], powers, out=out)


def _linear(a: Array) -> Array:
    """Return linear accelerations between points as powers of the share of each interval."""
    powers = np.zeros((len(a), 2, a.shape[1]))
    powers[:, 0] = a
    powers[:-1, 1] = np.diff(a, axis=0)
    return powers


def _from_cubic(instants: Instants, q: Array, v: Array) -> Array:
    """Return cubics' accelerations as powers of the share; zero for one point, continued at the last one."""
    powers = np.zeros((len(q), 2, q.shape[1]))
    if len(q) > 1:
        with np.errstate(all="ignore"):  # the caller refuses what is not finite
            h, mean = _steps(instants, q)
            powers[:-1, 0] = (6.0 * mean - 4.0 * v[:-1] - 2.0 * v[1:]) / h
            powers[:-1, 1] = (-12.0 * mean + 6.0 * v[:-1] + 6.0 * v[1:]) / h
            powers[-1, 0] = powers[-2].sum(axis=0)
    return powers


def _from_quintic(instants: Instants, q: Array, v: Array, a: Array) -> Array:
    """Return quintics' accelerations as powers of the share; constant from the last point on."""
    powers = np.zeros((len(q), 4, q.shape[1]))
    powers[:, 0] = a
    v0, v1, a0, a1 = v[:-1], v[1:], a[:-1], a[1:]
    with np.errstate(all="ignore"):  # the caller refuses what is not finite
        h, mean = _steps(instants, q)
        powers[:-1, 1] = (60.0 * mean - 36.0 * v0 - 24.0 * v1) / h - 9.0 * a0 + 3.0 * a1
        powers[:-1, 2] = (-180.0 * mean + 96.0 * v0 + 84.0 * v1) / h + 18.0 * a0 - 12.0 * a1
        powers[:-1, 3] = (120.0 * mean - 60.0 * v0 - 60.0 * v1) / h - 10.0 * a0 + 10.0 * a1
    return powers


def _steps(instants: Instants, q: Array) -> tuple[Array, Array]:
    """Return times [s] (m - 1, 1) and mean velocities (m - 1, n) from point to point."""
    h = 1e-9 * np.diff(instants)[:, np.newaxis]
    return h, np.diff(q, axis=0) / h
