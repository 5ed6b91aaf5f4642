"""Joint accelerations from measured joint velocities: low-pass filter, then differentiation by extrapolation.

Silva & Adorno, section IV, filter the velocities with a 6th-order discrete Butterworth low-pass of 10 Hz and
differentiate them by Richardson extrapolation. The step ratio is not printed; s = 2 is taken here, so that
every value needed lies on the sampling grid.
"""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.accelerations.places import values_at
from modular_dynamics_ros.computation.values import Array

__all__ = ["FilterState", "FilteredAcceleration", "SamplingError", "richardson_derivative"]

ORDER = 6
INTERVALS_FOR_PERIOD = 5  # a median of five intervals tolerates two outliers
LONGEST_GAP = 0.25  # [s] beyond this nothing is known about what the joint did: restart
SHORTEST_PERIOD = 1e-5  # [s] no robot reports faster; a smaller one means wrong stamps
MOST_POINTS = 5000  # grid instants to fill between two samples, 0.25 s at 20 kHz; beyond them restart
SAME_INSTANT = 1e-3  # share of a period within which a stamp counts as lying on the sampling grid


class SamplingError(ValueError):
    """The stamps of the velocities do not fit the filter: too slow for its cutoff, too dense, too uneven."""


class FilterState(Enum):
    """Whether there is an acceleration estimate, and if not, why."""

    STARTING = "the filter starts: no acceleration until the sampling period is known"
    RUNNING = "running"
    RESTARTED_AFTER_PAUSE = (
        "the filter restarts because the stamps have a gap: no acceleration until the sampling period is "
        "known again"
    )
    RESTARTED_BACKWARDS = (
        "the filter restarts because the stamps went backwards: no acceleration until the sampling period is "
        "known again"
    )


def richardson_derivative(history: Array, step: float) -> Array:
    """Derivative at the newest of five equally spaced values, exact for cubics.

    g(h) = (3 x_n - 4 x_{n-1} + x_{n-2}) / (2 h);
    xdot = ((1/s)^p g(s h) - g(h)) / ((1/s)^p - 1), p = 2, s = 2.

    Args:
        history: (5, n), oldest first. step: h [s].
    """
    oldest, _, two_before, before, newest = history
    fine = (3.0 * newest - 4.0 * before + two_before) / (2.0 * step)
    coarse = (3.0 * newest - 4.0 * two_before + oldest) / (4.0 * step)
    return np.asarray((0.25 * coarse - fine) / (0.25 - 1.0))


class FilteredAcceleration:
    """Filtered derivative of n joint velocities, fed one stamped sample at a time.

    The sampling period is the median of the first stamps' intervals. Samples are carried onto that uniform
    grid by linear interpolation, so jitter and single lost messages do not disturb the filter, and evenly
    stamped samples enter it unchanged. The filter starts in the steady state of the first velocity: no start
    transient. A pause longer than 0.25 s or stamps that go backwards restart it, which `state` reports until
    the next period is known. Until a period is known there is no acceleration.

    Args:
        cutoff: [Hz]. source: what the errors call the samples.
    """

    def __init__(self, joints: int, cutoff: float, source: str = "joint states") -> None:
        # takes half a second, which a node that does not filter would need longer to start
        from scipy import signal  # noqa: PLC0415

        self._signal, self._source = signal, source
        self._sos = np.zeros((ORDER // 2, 6))
        self.cutoff = cutoff
        self._history = np.zeros((5, joints))
        self._velocity = np.zeros(joints)
        self._acceleration = np.zeros(joints)
        self._zi = np.zeros((ORDER // 2, joints, 2))
        self._new = np.zeros(joints, dtype=bool)  # joints whose first velocity is still to come
        self.restart()

    def restart(self) -> None:
        """Forget every sample."""
        self.state = FilterState.STARTING
        self.period = np.nan
        self._waiting: list[tuple[int, Array]] = []
        self._last: int | None = None
        self._epoch = 0  # stamps are counted from here: a float of ns since 1970 resolves 256 ns only
        self._grid = 0.0
        self._acceleration[:] = 0.0

    def continue_from(self, other: "FilteredAcceleration", where: NDArray[np.intp]) -> None:
        """Go on as the filter of another robot, which stays as it is.

        A joint that it has not begins in the steady state of the next velocity, as all joints of a filter do.

        Args:
            where: (n,) place of each joint in the other filter; -1: new.
        """
        self.state, self.period, self._last = other.state, other.period, other._last
        self._epoch, self._grid = other._epoch, other._grid
        self._waiting = [(stamp, values_at(where, v)) for stamp, v in other._waiting]
        for own, its in (
            (self._history, other._history),
            (self._velocity, other._velocity),
            (self._acceleration, other._acceleration),
        ):
            own[:] = values_at(where, its)
        self._zi[:] = values_at(where, other._zi.transpose(0, 2, 1)).transpose(0, 2, 1)
        self._new = values_at(where, other._new, True).astype(bool)
        self._sos = other._sos

    def _begin(self, joints: NDArray[np.bool_], velocity: Array) -> None:
        """These joints have always moved at this velocity."""
        for _, waiting in self._waiting:
            waiting[joints] = velocity[joints]
        self._history[:, joints] = self._velocity[joints] = velocity[joints]
        self._acceleration[joints] = 0.0
        if not np.isnan(self.period):
            rest = self._signal.sosfilt_zi(self._sos)[:, np.newaxis, :]
            self._zi[:, joints] = rest * velocity[np.newaxis, joints, np.newaxis]
        self._new = np.zeros_like(self._new)

    def update(self, stamp: int, velocity: Array) -> Array | None:
        """Acceleration (n,) at the newest grid instant not after `stamp` [ns]; the next call overwrites it.

        None while the sampling period is not known yet.

        Raises:
            SamplingError: half the sampling rate is below the cutoff, or the stamps are too dense or uneven.
        """
        if self._new.any():
            self._begin(self._new, velocity)
        if stamp == self._last:
            return None if np.isnan(self.period) else self._acceleration
        if self._last is not None and not 0 < stamp - self._last <= self._longest_gap * 1e9:
            backwards = stamp < self._last
            self.restart()
            self.state = FilterState.RESTARTED_BACKWARDS if backwards else FilterState.RESTARTED_AFTER_PAUSE
        if np.isnan(self.period):
            self._start(stamp, velocity)
        else:
            self._advance(stamp, velocity)
        return None if np.isnan(self.period) else self._acceleration

    @property
    def _longest_gap(self) -> float:
        """[s]; a grid that is far too fine, because of a few wrong stamps, must not take forever to fill."""
        return LONGEST_GAP if np.isnan(self.period) else min(LONGEST_GAP, MOST_POINTS * self.period)

    def _start(self, stamp: int, velocity: Array) -> None:
        """Collect samples until the period is known, then filter what was collected."""
        self._waiting.append((stamp, velocity.copy()))
        self._last = stamp
        if len(self._waiting) <= INTERVALS_FOR_PERIOD:
            return
        intervals = np.diff([t for t, _ in self._waiting]) * 1e-9
        period = float(np.median(intervals))
        if reason := self._unusable_because(period, float(intervals.max())):
            self._waiting.pop(0)
            raise SamplingError(reason)
        first_stamp, first = self._waiting[0]
        self._sos = self._signal.butter(ORDER, self.cutoff, fs=1.0 / period, output="sos")
        self._zi[:] = self._signal.sosfilt_zi(self._sos)[:, np.newaxis, :] * first[np.newaxis, :, np.newaxis]
        self._history[:] = first
        self._velocity[:] = first
        self.period, self._epoch, self._grid, self._last = period, first_stamp, 0.0, first_stamp
        waiting, self._waiting = self._waiting[1:], []
        for later, sample in waiting:
            self._advance(later, sample)
        self.state = FilterState.RUNNING

    def _unusable_because(self, period: float, longest: float) -> str:
        """Why a period [s] and a longest interval [s] do not fit the filter; "" where they do."""
        if 0.5 / period <= self.cutoff:
            return (
                f"{self._source} come at {1.0 / period:.3g} Hz: filter_cutoff {self.cutoff:g} Hz needs "
                f"more than {2.0 * self.cutoff:g} Hz"
            )
        if period < SHORTEST_PERIOD:
            return f"stamps of {self._source} are less than {SHORTEST_PERIOD:g} s apart: they cannot be true"
        if longest > MOST_POINTS * period:
            return f"stamps of {self._source} are too uneven: {period:.3g} s apart, then {longest:.3g} s"
        return ""

    def _advance(self, stamp: int, velocity: Array) -> None:
        """Filter the grid instants up to `stamp`, interpolating between the last sample and this one."""
        assert self._last is not None  # both callers have set it
        step = self.period * 1e9
        now, last = float(stamp - self._epoch), float(self._last - self._epoch)
        count = int((now - self._grid) / step + SAME_INSTANT)
        if count > 0:
            instants = self._grid + step * np.arange(1, count + 1)
            share = np.minimum((instants - last) / (now - last), 1.0)
            samples = self._velocity[:, np.newaxis] + (velocity - self._velocity)[:, np.newaxis] * share
            filtered, self._zi[:] = self._signal.sosfilt(self._sos, samples, axis=-1, zi=self._zi)
            self._history[:] = np.concatenate((self._history, filtered.T))[-5:]
            self._grid = float(instants[-1])
            self._acceleration[:] = richardson_derivative(self._history, self.period)
        self._velocity[:] = velocity
        self._last = stamp
