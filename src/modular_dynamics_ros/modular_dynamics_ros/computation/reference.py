"""The reference trajectory, sampled at a joint state's stamp: exact at its points, linear between them."""

from enum import Enum

import numpy as np

from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.messages.trajectories import ReferenceTrajectory

__all__ = ["Coverage", "ReferenceSampler"]

KEPT = 8  # windows: some seconds of a streamed reference


class Coverage(Enum):
    """Whether the reference has an acceleration for an instant."""

    COVERED = "running"
    HELD = "the last reference point is over: its acceleration is held"
    NONE = "no reference covers this instant"


class ReferenceSampler:
    """Keeps the last trajectories; of the newest two that cover an instant, the newer one is sampled.

    Two, because a streaming publisher sends overlapping windows: joint states that are still on their way
    when a new window arrives belong to the old one. Older ones are sampled only before the next one starts:
    a node that lags behind receives windows earlier than the joint states that wait in its queue.

    Args:
        hold: how long [s] the last acceleration holds beyond the last point.
    """

    def __init__(self, hold: float) -> None:
        self.hold = hold
        self._trajectories: tuple[ReferenceTrajectory, ...] = ()

    def add(self, trajectory: ReferenceTrajectory) -> None:
        """Add a trajectory; the oldest one is dropped."""
        self._trajectories = (trajectory, *self._trajectories[: KEPT - 1])

    def clear(self) -> None:
        """Forget everything: the robot or its joint order has changed."""
        self._trajectories = ()

    def sample(self, instant: int, out: Array) -> Coverage:
        """Write the acceleration (n,) at `instant` [ns] into `out`; untouched where nothing covers it."""
        for k, trajectory in enumerate(self._trajectories):
            past = k < 2 or instant < self._trajectories[k - 1].instants[0]
            if past and trajectory.instants[0] <= instant <= trajectory.instants[-1]:
                _interpolate(trajectory, instant, out)
                return Coverage.COVERED
        for trajectory in self._trajectories[:2]:
            if 0 < instant - int(trajectory.instants[-1]) <= self.hold * 1e9:
                out[:] = trajectory.accelerations[-1]
                return Coverage.HELD
        return Coverage.NONE


def _interpolate(trajectory: ReferenceTrajectory, instant: int, out: Array) -> None:
    instants, accelerations = trajectory.instants, trajectory.accelerations
    before = int(np.searchsorted(instants, instant, side="right")) - 1
    out[:] = accelerations[before]
    if instants[before] != instant:
        share = (instant - instants[before]) / (instants[before + 1] - instants[before])
        out += share * (accelerations[before + 1] - accelerations[before])
