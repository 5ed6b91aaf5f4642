"""The state of a floating base at the stamps of joint states, from samples with stamps of their own."""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.accelerations.filtered_acceleration import (
    FilteredAcceleration,
    SamplingError,
)
from modular_dynamics_ros.computation.values import Array, BaseState, ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage

KEPT = 512  # samples: 0.5 s at 1 kHz, for joint states that waited in their queue meanwhile


@dataclass(frozen=True, eq=False)
class _Sample:
    """A state of the base at a stamp [ns]; the acceleration is None while the filter starts."""

    stamp: int
    orientation: Quaternion
    twist: Array
    acceleration: Array | None


class BaseStates:
    """The newest samples of one base.

    The orientation at a stamp is that of the nearest sample, turned on at its angular velocity. The twist is
    interpolated between the samples before and after, where neither is older or newer than `stale_after`;
    else it is that of the nearest sample. The acceleration is zero or, with acceleration_source 'filtered',
    that of the nearest sample by a filter as the joints'.

    Args:
        source: what the samples are called, odometry or imu. Those of an imu have no twist.
    """

    def __init__(self, settings: ComputationSettings, source: str) -> None:
        self._source = source
        self._samples: deque[_Sample] = deque(maxlen=KEPT)
        self._filter: FilteredAcceleration | None = None
        self.apply_settings(settings)

    def apply_settings(self, settings: ComputationSettings) -> None:
        """Take new settings; the filter restarts only where its cutoff changes."""
        self._stale_after = settings.stale_after
        if settings.acceleration_source != "filtered" or self._source != "odometry":
            self._filter = None
        elif self._filter is None or self._filter.cutoff != settings.filter_cutoff:
            self._filter = FilteredAcceleration(6, settings.filter_cutoff, "odometry messages")
            self._samples.clear()  # they have no acceleration

    def add(self, stamp: int, orientation: Quaternion, twist: Array) -> None:
        """Take a sample, of a stamp [ns]; later ones are forgotten, because the clock was set back.

        Args:
            orientation, twist: as of `BaseState`.

        Raises:
            BadMessage: the stamps do not fit the filter.
        """
        while self._samples and self._samples[-1].stamp >= stamp:
            self._samples.pop()
        acceleration: Array | None = np.zeros(6)
        if self._filter is not None:
            try:
                acceleration = self._filter.update(stamp, twist)
            except SamplingError as error:
                raise BadMessage("unfit for the filter", str(error)) from error
        self._samples.append(_Sample(stamp, orientation, twist, acceleration))

    @property
    def newest(self) -> int | None:
        """Stamp of the newest sample [ns]."""
        return self._samples[-1].stamp if self._samples else None

    def require_order(self, stamp: int, now: int) -> None:
        """Refuse a sample whose stamp [ns] is older than the newest one's.

        Raises:
            BadMessage: it is older; the clock [ns] was not set back.
        """
        newest = self.newest
        if newest is None or stamp >= newest or (newest - now) * 1e-9 > self._stale_after:
            return
        text = f"its stamp is {(newest - stamp) * 1e-9:.3f} s older than that of one that came before it"
        raise BadMessage("older than the last one", text)

    def latest(self) -> BaseState | None:
        """Return the newest orientation, at rest; None if there is no sample."""
        return BaseState(self._samples[-1].orientation, np.zeros(6), np.zeros(6)) if self._samples else None

    def at(self, stamp: int) -> BaseState:
        """Return the state at a stamp [ns].

        Raises:
            BadMessage: no sample lies within `stale_after` of it, or the filter of the twist starts.
        """
        before, after = self._neighbours(stamp)
        if before is None or (after is not None and after.stamp - stamp < stamp - before.stamp):
            nearest = after
        else:
            nearest = before
        if nearest is None:
            raise BadMessage(f"no {self._source}", f"no {self._source} message has arrived")
        ahead = (stamp - nearest.stamp) * 1e-9
        if abs(ahead) > self._stale_after:
            side = "older" if ahead > 0.0 else "newer"
            raise BadMessage(
                f"no {self._source}",
                f"the nearest {self._source} message is {abs(ahead):.3f} s {side} than the joint state, more "
                f"than {self._stale_after:g} s (stale_after)",
            )
        if nearest.acceleration is None:
            raise BadMessage(
                "filter starts", "the filter of the odometry's twist starts: no acceleration of the base yet"
            )
        twist = nearest.twist
        if before is not None and after is not None and self._near(stamp, before, after):
            share = (stamp - before.stamp) / (after.stamp - before.stamp)
            twist = (1.0 - share) * before.twist + share * after.twist
        return BaseState(_turned(nearest.orientation, nearest.twist, ahead), twist, nearest.acceleration)

    def continue_from(self, other: "BaseStates") -> None:
        """Take over the samples of the same base, and its filter: the other one takes no more samples."""
        self._samples = other._samples.copy()
        self._filter, other._filter = other._filter, None

    def restart_filter(self) -> None:
        """Forget the twists: a huge one would remain in the filter for long."""
        if self._filter is not None:
            self._filter.restart()

    def clear(self) -> None:
        """Forget all samples."""
        self._samples.clear()
        self.restart_filter()

    def _near(self, stamp: int, before: _Sample, after: _Sample) -> bool:
        """Return whether both samples lie within `stale_after` of a stamp."""
        return max(stamp - before.stamp, after.stamp - stamp) * 1e-9 <= self._stale_after

    def _neighbours(self, stamp: int) -> tuple[_Sample | None, _Sample | None]:
        """Return the last sample not after a stamp, and the first one after it."""
        after = None
        for sample in reversed(self._samples):
            if sample.stamp <= stamp:
                return sample, after
            after = sample
        return None, after


def _turned(orientation: Quaternion, twist: Array, seconds: float) -> Quaternion:
    """Return an orientation after turning at an angular velocity in its own axes."""
    x, y, z = (twist[3:] * (0.5 * seconds)).tolist()
    half = math.hypot(x, y, z)
    if not 0.0 < half < math.inf:
        return orientation
    share = math.sin(half) / half
    return orientation * Quaternion(math.cos(half), share * x, share * y, share * z)
