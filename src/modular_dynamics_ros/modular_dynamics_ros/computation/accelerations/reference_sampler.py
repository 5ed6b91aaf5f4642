"""The reference trajectory that is active at an instant, and its acceleration there."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.values import Array, Coverage
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["ReferenceSampler"]

KEPT = 256  # trajectories that have started, and as many that have not: a quarter of a second at 1 kHz
MOST_NUMBERS = 2**23  # in all of them but the newest: 64 MiB


class ReferenceSampler:
    """Trajectories in order of their starts; each is active from its start to the start of the next one.

    A new trajectory permanently replaces those that are active from its start on. What comes before its start
    remains: joint states that are still on their way belong there, and a node that lags behind hears
    trajectories earlier than the joint states that wait in its queue.

    Args:
        hold: how long [s] the acceleration of the last point goes on after a trajectory that ends in motion.
    """

    def __init__(self, hold: float = 0.0) -> None:
        self.hold = hold
        self._starts: list[int] = []
        self._trajectories: list[ReferenceTrajectory] = []

    def add(self, trajectory: ReferenceTrajectory, now: int) -> None:
        """Add a trajectory, which replaces others.

        Beyond the limits above the earliest ones are dropped, but never the one that is active now [ns].

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
            where: (n,) place of each joint in the other robot; -1: new. names: of the joints.
        """
        first = np.array_equal(where, np.arange(len(where)))  # the other robot may have more
        self._starts = [*other._starts]
        self._trajectories = [
            one if first and one.powers.shape[-1] == len(where) else one.of_joints(where, names)
            for one in other._trajectories
        ]

    def in_force(self, instant: int) -> ReferenceTrajectory | None:
        """Return the active trajectory at `instant` [ns], even if ended; None before the first one."""
        following = bisect_right(self._starts, instant)
        return self._trajectories[following - 1] if following else None

    def sample(self, instant: int, out: Array) -> Coverage:
        """Write the acceleration (n,) at `instant` [ns] into `out`; untouched where no trajectory has one."""
        trajectory = self.in_force(instant)
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
