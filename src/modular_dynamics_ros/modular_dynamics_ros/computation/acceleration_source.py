"""Where the accelerations of a joint state come from: none, a reference, or filtered velocities."""

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.acceleration import FilteredAcceleration, SamplingError
from modular_dynamics_ros.computation.reference import Coverage, ReferenceSampler
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage, listed

__all__ = ["AccelerationSource"]

Array = NDArray[np.float64]


class AccelerationSource:
    """Accelerations of n joints. It keeps the reference and the state of the filter from message to message.

    Attributes:
        reference: to which trajectories are added.
        filter: of the velocities; None where the source was never `filtered`.
    """

    def __init__(self, joints: int, settings: ComputationSettings) -> None:
        self._joints = joints
        self.reference = ReferenceSampler(settings.stale_after)
        self._coverage = Coverage.NONE
        self.filter: FilteredAcceleration | None = None
        self.configure(settings)

    def configure(self, settings: ComputationSettings) -> None:
        """Take new settings; the filter restarts only where its cutoff changes."""
        self._source = settings.acceleration_source
        self.reference.hold = settings.stale_after
        if self._source == "filtered" and (
            self.filter is None or settings.filter_cutoff != self.filter.cutoff
        ):
            self.filter = FilteredAcceleration(self._joints, settings.filter_cutoff)

    def at(self, stamp: int, v: Array, without_velocity: tuple[str, ...]) -> tuple[Array, bool]:
        """Accelerations (n,) at a stamp [ns]; whether the reference has ended and they are of its last point.

        Raises:
            BadMessage: the source does not know them.
        """
        if self._source == "filtered":
            return self._filtered(stamp, v, without_velocity), False
        acceleration, held = np.zeros(self._joints), False
        if self._source == "reference":
            self._coverage = self.reference.sample(stamp, acceleration)
            if self._coverage is Coverage.NONE:
                raise BadMessage("no reference", "no reference covers the stamp of this joint state")
            held = self._coverage is Coverage.HELD
        return acceleration, held

    def _filtered(self, stamp: int, v: Array, without_velocity: tuple[str, ...]) -> Array:
        if without_velocity:
            raise BadMessage(
                "no velocity",
                f"no velocity of {listed(without_velocity)}, which acceleration_source 'filtered' needs",
            )
        assert self.filter is not None  # `configure` has made it
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

    @property
    def description(self) -> str:
        """The source and its condition, for /diagnostics."""
        if self._source == "zero":
            return "zero: accelerations are taken as zero"
        if self._source == "filtered" and self.filter is not None:
            return f"filtered: {self.filter.state.value}"
        return f"reference: {self._coverage.value}"
