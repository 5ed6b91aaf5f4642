"""Where the accelerations of a joint state come from: none, a reference, or filtered velocities.

A reference is sampled at the stamp of the joint state: exact at its points, linear between them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.acceleration import FilteredAcceleration, SamplingError
from modular_dynamics_ros.computation.values import Array, ComputationSettings, Coverage, State
from modular_dynamics_ros.exceptions import BadMessage, listed

__all__ = ["AccelerationSource", "ReferenceSampler", "ReferenceTrajectory"]

KEPT = 8  # windows: some seconds of a streamed reference


@dataclass(frozen=True, eq=False)
class ReferenceTrajectory:
    """Accelerations at absolute instants.

    Attributes:
        instants: (m,) strictly increasing [ns]. accelerations: (m, n) [rad/s^2 or m/s^2], joints in graph
        order.
    """

    instants: NDArray[np.int64]
    accelerations: Array


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


class AccelerationSource:
    """Accelerations of n joints. It keeps the reference and the state of the filter from message to message.

    Attributes:
        reference: to which trajectories are added.
        filter: of the velocities; None where the source was never `filtered`.
    """

    def __init__(self, joints: int, settings: ComputationSettings) -> None:
        self._joints = joints
        self.reference = ReferenceSampler(settings.stale_after)
        self.filter: FilteredAcceleration | None = None
        self.apply_settings(settings)

    def apply_settings(self, settings: ComputationSettings) -> None:
        """Take new settings; the filter restarts only where its cutoff changes."""
        self._source = settings.acceleration_source
        self.reference.hold = settings.stale_after
        if self._source == "filtered" and (
            self.filter is None or settings.filter_cutoff != self.filter.cutoff
        ):
            self.filter = FilteredAcceleration(self._joints, settings.filter_cutoff)

    def at(self, stamp: int, v: Array, without_velocity: tuple[str, ...]) -> tuple[Array, Coverage]:
        """Accelerations (n,) at a stamp [ns]; whether they are the reference's.

        Raises:
            BadMessage: the source does not know them.
        """
        if self._source == "filtered":
            return self._filtered(stamp, v, without_velocity), Coverage.NONE
        acceleration, coverage = np.zeros(self._joints), Coverage.NONE
        if self._source == "reference":
            coverage = self.reference.sample(stamp, acceleration)
            if coverage is Coverage.NONE:
                raise BadMessage("no reference", "no reference covers the stamp of this joint state")
        return acceleration, coverage

    def _filtered(self, stamp: int, v: Array, without_velocity: tuple[str, ...]) -> Array:
        if without_velocity:
            raise BadMessage(
                "no velocity",
                f"no velocity of {listed(without_velocity)}, which acceleration_source 'filtered' needs",
            )
        assert self.filter is not None  # `apply_settings` has made it
        try:
            acceleration = self.filter.update(stamp, v)
        except SamplingError as error:
            raise BadMessage("unfit for the filter", str(error)) from error
        if acceleration is None:
            raise BadMessage("filter starts", self.filter.state.value)
        return acceleration.copy()

    def restart_filter(self) -> None:
        """Forget the velocities: a huge one would remain in the filter for long."""
        if self.filter is not None:
            self.filter.restart()

    def forget(self) -> None:
        """Forget reference and velocities."""
        self.reference.clear()
        self.restart_filter()

    def description(self, last: State | None) -> str:
        """The source and its condition at the last state that was answered, for /diagnostics."""
        if self._source == "zero":
            return "zero: accelerations are taken as zero"
        if self._source == "filtered" and self.filter is not None:
            return f"filtered: {self.filter.state.value}"
        return f"reference: {(last.coverage if last else Coverage.NONE).value}"
