"""Where the accelerations of a joint state come from: none, a reference, or filtered velocities."""

from collections.abc import Sequence
from math import pi, sin

import numpy as np

from modular_dynamics_ros.computation.accelerations.filtered_acceleration import (
    ORDER,
    FilteredAcceleration,
    SamplingError,
)
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceSampler
from modular_dynamics_ros.computation.values import (
    CLOCK_SET_BACK,
    Array,
    ComputationSettings,
    Coverage,
    State,
    joint_indices,
)
from modular_dynamics_ros.exceptions import BadMessage, listed


def filter_lag(cutoff: float) -> float:
    """Return the delay [s] of `filtered` for motions far below the cutoff [Hz]: that at frequency zero.

    The sum of sin(pi (2 k - 1) / (2 n)) over k = 1 ... n, by 2 pi cutoff, for a Butterworth of order n.
    """
    return sum(sin(pi * (2 * k + 1) / (2 * ORDER)) for k in range(ORDER)) / (2.0 * pi * cutoff)


class AccelerationSource:
    """Gives accelerations of n joints; keeps the reference and the state of the filter between messages.

    Attributes:
        reference: to which trajectories are added.
        filter: of the velocities; None if the source was never `filtered`.
    """

    def __init__(self, joints: int, settings: ComputationSettings) -> None:
        self._joints = joints
        self.reference = ReferenceSampler()
        self.filter: FilteredAcceleration | None = None
        self._now: int | None = None  # when something came last [ns]
        self.apply_settings(settings)

    def apply_settings(self, settings: ComputationSettings) -> None:
        """Take new settings; the filter restarts only where its cutoff changes."""
        self._source = settings.acceleration_source
        self._without_reference = settings.without_reference
        self.reference.hold = settings.stale_after if self._without_reference == "hold" else 0.0
        if self._source == "filtered" and (
            self.filter is None or settings.filter_cutoff != self.filter.cutoff
        ):
            self.filter = FilteredAcceleration(self._joints, settings.filter_cutoff)

    @property
    def filters(self) -> bool:
        """Return whether accelerations come from the filter."""
        return self._source == "filtered"

    def at(self, stamp: int, v: Array, without_velocity: tuple[str, ...]) -> tuple[Array, Coverage]:
        """Return accelerations (n,) at a stamp [ns], and whether the reference covers the stamp.

        Raises:
            BadMessage: the source has no accelerations for the stamp.
        """
        if self._source == "filtered":
            return self._filtered(stamp, v, without_velocity), Coverage.UNUSED
        acceleration, coverage = np.zeros(self._joints), Coverage.UNUSED
        if self._source == "reference":
            coverage = self.reference.sample(stamp, acceleration)
            if self._without_reference == "stop" and coverage in (Coverage.NONE, Coverage.OVER):
                raise BadMessage("no reference", "no reference covers the stamp of this joint state")
        return acceleration, coverage

    def _filtered(self, stamp: int, v: Array, without_velocity: tuple[str, ...]) -> Array:
        """Return accelerations (n,) by the filter of the velocities; raises BadMessage as `at`."""
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
        return acceleration

    def continue_from(self, other: "AccelerationSource", names: Sequence[str], others: Sequence[str]) -> None:
        """Take over references and filter of the robot before its change.

        Args:
            names: of this robot's joints. others: of the other one's.
        """
        where = joint_indices(names, others)
        self.reference.continue_from(other.reference, where, names)
        if self.filter is not None and other.filter is not None and self.filter.cutoff == other.filter.cutoff:
            self.filter.continue_from(other.filter, where)

    def restart_filter(self) -> None:
        """Forget the velocities: a huge one would remain in the filter for long."""
        if self.filter is not None:
            self.filter.restart()

    def note_time(self, now: int) -> None:
        """Forget trajectories if the node's clock [ns] was set back: they would become active again.

        It is called at each message, as there is no signal when system time is set back.
        """
        if self._now is not None and now < self._now - CLOCK_SET_BACK:
            self.reference.clear()
        self._now = now

    def forget(self) -> None:
        """Forget reference and velocities, and what the time was."""
        self.reference.clear()
        self._now = None
        self.restart_filter()

    def description(self, last: State | None) -> str:
        """Return the source and its condition at the last processed state, for /diagnostics."""
        if self._source == "zero":
            return "zero: accelerations are taken as zero"
        if self._source == "filtered" and self.filter is not None:
            late = f"{1e3 * filter_lag(self.filter.cutoff):.0f} ms late"
            return f"filtered, {late}: {self.filter.state.value}"
        if last is None or last.coverage is Coverage.UNUSED:
            return "reference: no joint state was processed with one recently"
        trajectory = self.reference.active_at(last.stamp)
        missing = trajectory.missing if trajectory and last.coverage is Coverage.COVERED else ()
        without = f"; zero for {listed(missing)}, which it does not name" if missing else ""
        return f"reference: {last.coverage.value}{without}"
