"""Where the accelerations of a joint state come from: none, a reference, or filtered velocities."""

import numpy as np

from modular_dynamics_ros.computation.acceleration import FilteredAcceleration, SamplingError
from modular_dynamics_ros.computation.reference import Coverage, ReferenceSampler
from modular_dynamics_ros.computation.values import Array, ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage, listed

__all__ = ["AccelerationSource"]


class AccelerationSource:
    """Accelerations of n joints. It keeps the reference and the state of the filter from message to message.

    Attributes:
        reference: to which trajectories are added. coverage: whether the reference covers the last stamp.
        filter: of the velocities; None where the source was never `filtered`.
    """

    def __init__(self, joints: int, settings: ComputationSettings) -> None:
        self._joints = joints
        self.reference = ReferenceSampler(settings.stale_after)
        self.coverage = Coverage.NONE
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

    def at(self, stamp: int, v: Array, without_velocity: tuple[str, ...]) -> Array:
        """Accelerations (n,) at a stamp [ns].

        Raises:
            BadMessage: the source does not know them.
        """
        if self._source == "filtered":
            return self._filtered(stamp, v, without_velocity)
        acceleration = np.zeros(self._joints)
        if self._source == "reference":
            self.coverage = self.reference.sample(stamp, acceleration)
            if self.coverage is Coverage.NONE:
                raise BadMessage("no reference", "no reference covers the stamp of this joint state")
        return acceleration

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
    def holds_last_point(self) -> bool:
        """Whether the reference ended before the last stamp, and its last acceleration was taken."""
        return self._source == "reference" and self.coverage is Coverage.HELD

    @property
    def description(self) -> str:
        """The source and its condition, for /diagnostics."""
        if self._source == "zero":
            return "zero: accelerations are taken as zero"
        if self._source == "filtered" and self.filter is not None:
            return f"filtered: {self.filter.state.value}"
        return f"reference: {self.coverage.value}"
