"""Reference trajectories, their accelerations, and which of them is active at an instant.

The accelerations are those of the motion that joint_trajectory_controller follows.

From point to point the motion is a polynomial, so the acceleration is one, too:
positions, velocities and accelerations: of degree 5, the acceleration of degree 3;
positions and velocities: of degree 3, the acceleration of degree 1;
positions alone: of degree 1, the acceleration is zero.
That controller takes no accelerations without positions and velocities; they are linear between the points.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import Array, Coverage, Instants, values_at
from modular_dynamics_ros.exceptions import BadMessage

KEPT = 256  # trajectories that have started, and as many that have not: a quarter of a second at 1 kHz
MOST_NUMBERS = 2**23  # in all of them but the newest: 64 MiB


@dataclass(frozen=True, eq=False)
class ReferenceTrajectory:
    """The accelerations of joints, in graph order, from an absolute instant on.

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
        """Return the trajectory for joints with these names; `where` (n,): their indices, -1 for none."""
        named = {name for name, index in zip(names, where.tolist(), strict=True) if index >= 0}
        missing = tuple(name for name in names if name not in named or name in self.missing)
        return replace(self, powers=values_at(where, self.powers), missing=missing)

    @property
    def end(self) -> int:
        """Return the instant [ns] of the last point; before `start` if there is none."""
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


class ReferenceSampler:
    """Stores trajectories; each is active from its start to the start of the next one.

    A new trajectory replaces those that start after it. Those before remain: joint states that are still on
    their way belong to them, and a busy node reads trajectories before the joint states in its queue.

    Args:
        hold: how long [s] the acceleration of the last point goes on after a trajectory that ends in motion.
    """

    def __init__(self, hold: float = 0.0) -> None:
        self.hold = hold
        self._starts: list[int] = []
        self._trajectories: list[ReferenceTrajectory] = []

    def add(self, trajectory: ReferenceTrajectory, now: int) -> None:
        """Add a trajectory, which replaces those that start after it.

        Beyond KEPT and MOST_NUMBERS the earliest are dropped, but never the one that is active now [ns].

        Raises:
            BadMessage: too many have not started yet; nothing is replaced.
        """
        starts, trajectories = self._starts, self._trajectories
        replaced = bisect_left(starts, trajectory.start)
        started = bisect_right(starts, now, hi=replaced)
        droppable = started if trajectory.start <= now else max(started - 1, 0)
        dropped = min(max(started - KEPT + 1, 0), droppable)
        numbers = sum(older.powers.size for older in trajectories[dropped:replaced])
        while numbers > MOST_NUMBERS and dropped < droppable:
            numbers -= trajectories[dropped].powers.size
            dropped += 1
        waiting = replaced - started
        if waiting >= KEPT or numbers > MOST_NUMBERS:
            text = f"too many references wait: {waiting} start before it and have not started yet"
            raise BadMessage("too many", f"{text}; send one with more points, or send it later")
        starts[:] = [*starts[dropped:replaced], trajectory.start]
        trajectories[:] = [*trajectories[dropped:replaced], trajectory]

    def clear(self) -> None:
        """Forget everything: the robot has changed, or the clock was set back."""
        self._starts.clear()
        self._trajectories.clear()

    def continue_from(self, other: "ReferenceSampler", where: NDArray[np.intp], names: Sequence[str]) -> None:
        """Take over the trajectories of a robot that was changed.

        Args:
            where: (n,) index of each joint in the other robot; -1: new. names: of the joints.
        """
        first = np.array_equal(where, np.arange(len(where)))  # the other robot may have more
        self._starts = [*other._starts]
        self._trajectories = [
            old if first and old.powers.shape[-1] == len(where) else old.of_joints(where, names)
            for old in other._trajectories
        ]

    def active_at(self, instant: int) -> ReferenceTrajectory | None:
        """Return the active trajectory at `instant` [ns], even if ended; None before the first one."""
        following = bisect_right(self._starts, instant)
        return self._trajectories[following - 1] if following else None

    def sample(self, instant: int, out: Array) -> Coverage:
        """Write the acceleration (n,) at `instant` [ns] into `out`, if it is known; return its coverage."""
        trajectory = self.active_at(instant)
        if trajectory is None:
            return Coverage.NONE
        end = trajectory.end
        if instant <= end:
            trajectory.sample(instant, out)
            return Coverage.COVERED
        if trajectory.at_rest:
            return Coverage.OVER
        if instant - end <= self.hold * 1e9:
            out[:] = trajectory.powers[-1, 0]
            return Coverage.HELD
        return Coverage.NONE
