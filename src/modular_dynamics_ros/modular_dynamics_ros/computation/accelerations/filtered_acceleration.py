"""Joint accelerations from measured joint velocities: low-pass filter, then differentiation by extrapolation.

Silva & Adorno, section IV, filter the velocities with a 6th-order discrete Butterworth low-pass of 10 Hz and
differentiate them by Richardson extrapolation. The step ratio is not printed; s = 2 is taken here, so that
every value needed lies on the sampling grid.
"""

from enum import Enum
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.accelerations.places import values_at
from modular_dynamics_ros.computation.values import Array

__all__ = ["FilterState", "FilteredAcceleration", "SamplingError", "richardson_derivative", "step_matrix"]

ORDER = 6
INPUT, DERIVATIVE = 0, 1  # rows, see `step_matrix`
HISTORY = 4  # outputs of the filter that the derivative needs besides the newest
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


def step_matrix(sections: Array, step: float) -> Array:
    """One step of filter and derivative as one product.

    [0, derivative, states] = it @ [input, _, states before]. The next input has a row of its own, so that
    nobody writes over the derivative. The states are two of each of k second-order sections, in the
    transposed direct form II as those of scipy.signal.sosfilt, then the last HISTORY outputs, newest first.
    One product takes a tenth of the time of sosfilt, which is made for long signals.

    Args:
        sections: (k, 6), as scipy.signal has them. step: [s].

    Returns:
        (n, n), n = 2 + 2 k + HISTORY.
    """
    signal, _, *before = np.eye(2 + 2 * len(sections) + HISTORY)
    *states, past_1, past_2, past_3, past_4 = before
    after: list[Array] = []
    for (b0, b1, b2, _, a1, a2), z1, z2 in zip(sections, states[::2], states[1::2], strict=True):
        output = b0 * signal + z1
        after += [b1 * signal - a1 * output + z2, b2 * signal - a2 * output]
        signal = output
    derivative = richardson_derivative(np.array([past_4, past_3, past_2, past_1, signal]), step)
    return np.array([np.zeros_like(derivative), derivative, *after, signal, past_1, past_2, past_3])


class FilteredAcceleration:
    """Filtered derivative of n joint velocities, fed one stamped sample at a time.

    The sampling period is the median of the first stamps' intervals. Samples are carried onto that uniform
    grid by linear interpolation, so jitter and single lost messages do not disturb the filter, and evenly
    stamped samples enter it unchanged. The filter starts in the steady state of the first velocity: no start
    transient. A pause longer than 0.25 s or stamps that go backwards restart it, which `state` reports until
    the next period is known. Until a period is known there is no acceleration. Of samples with the same stamp
    the last one counts: each publisher that reports some of the joints makes the sample more complete.

    Args:
        cutoff: [Hz]. source: what the errors call the samples.
    """

    def __init__(self, joints: int, cutoff: float, source: str = "joint states") -> None:
        # takes half a second, which a node that does not filter would need longer to start
        from scipy import signal  # noqa: PLC0415

        self._signal, self._source = signal, source
        self.cutoff = cutoff
        self._velocity = np.zeros(joints)
        self._memory = np.zeros((2 + ORDER + HISTORY, joints))  # see `step_matrix`
        # set once the period is known: the step; the memory of a joint that has always moved at 1 rad/s; and
        # what was before the last sample
        self._step: Array
        self._steady: Array
        self._before: tuple[Array, Array, float, int]
        self._new: NDArray[np.bool_] | None = None  # joints whose first velocity is still to come
        self.restart()

    def restart(self) -> None:
        """Forget every sample."""
        self.state = FilterState.STARTING
        self.period = nan
        self._waiting: list[tuple[int, Array]] = []
        self._last: int | None = None
        self._epoch = 0  # stamps are counted from here: a float of ns since 1970 resolves 256 ns only
        self._grid = 0.0
        self._memory = np.zeros_like(self._memory)

    def continue_from(self, other: "FilteredAcceleration", where: NDArray[np.intp]) -> None:
        """Go on as the filter of another robot, which stays as it is.

        A joint that it has not begins in the steady state of the next velocity, as all joints of a filter do.

        Args:
            where: (n,) place of each joint in the other filter; -1: new.
        """
        self.state, self.period, self._last = other.state, other.period, other._last
        self._epoch, self._grid = other._epoch, other._grid
        self._waiting = [(stamp, values_at(where, v)) for stamp, v in other._waiting]
        self._memory, self._velocity = values_at(where, other._memory), values_at(where, other._velocity)
        new = where < 0 if other._new is None else values_at(where, other._new, True).astype(bool)
        self._new = new if new.any() else None
        if not isnan(self.period):
            self._step, self._steady = other._step, other._steady
            memory, velocity, grid, last = other._before
            self._before = values_at(where, memory), values_at(where, velocity), grid, last

    def _begin(self, joints: NDArray[np.bool_], velocity: Array) -> None:
        """These joints have always moved at this velocity."""
        for _, waiting in self._waiting:
            waiting[joints] = velocity[joints]
        if not isnan(self.period):
            for memory, last in ((self._memory, self._velocity), self._before[:2]):
                memory[:, joints] = self._steady[:, np.newaxis] * velocity[joints]
                last[joints] = velocity[joints]
        self._new = None

    def update(self, stamp: int, velocity: Array) -> Array | None:
        """Acceleration (n,) at the newest grid instant not after `stamp` [ns].

        None while the sampling period is not known yet. The velocity is kept: it must not change.

        Raises:
            SamplingError: half the sampling rate is below the cutoff, or the stamps are too dense or uneven.
        """
        if self._new is not None:
            self._begin(self._new, velocity)
        if stamp == self._last:
            self._correct(stamp, velocity)
            return None if isnan(self.period) else self._memory[DERIVATIVE]
        if self._last is not None and not 0 < stamp - self._last <= self._longest_gap * 1e9:
            backwards = stamp < self._last
            self.restart()
            self.state = FilterState.RESTARTED_BACKWARDS if backwards else FilterState.RESTARTED_AFTER_PAUSE
        if isnan(self.period):
            self._start(stamp, velocity)
        else:
            self._advance(stamp, velocity)
        return None if isnan(self.period) else self._memory[DERIVATIVE]

    def _correct(self, stamp: int, velocity: Array) -> None:
        """Take another velocity for the last stamp, of which other joints may have been reported first."""
        if not isnan(self.period):
            self._memory, self._velocity, self._grid, self._last = self._before
            self._advance(stamp, velocity)
        elif self._waiting:
            self._waiting[-1] = stamp, velocity.copy()

    @property
    def _longest_gap(self) -> float:
        """[s]; a grid that is far too fine, because of a few wrong stamps, must not take forever to fill."""
        return LONGEST_GAP if isnan(self.period) else min(LONGEST_GAP, MOST_POINTS * self.period)

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
        sections = self._signal.butter(ORDER, self.cutoff, fs=1.0 / period, output="sos")
        self._step = step_matrix(sections, period)
        self._steady = np.concatenate(
            [[0.0, 0.0], self._signal.sosfilt_zi(sections).ravel(), np.ones(HISTORY)]
        )
        self._memory = self._steady[:, np.newaxis] * first
        self._velocity = first
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
        # nothing in it is changed below, but the input of the first step, which is set again each time
        self._before = self._memory, self._velocity, self._grid, self._last
        step = self.period * 1e9
        now, last = float(stamp - self._epoch), float(self._last - self._epoch)
        count = int((now - self._grid) / step + SAME_INSTANT)
        start, difference = self._grid, velocity - self._velocity
        for k in range(1, count + 1):
            self._grid = start + step * k
            share = min((self._grid - last) / (now - last), 1.0)
            signal = self._memory[INPUT]
            np.multiply(difference, share, signal)
            signal += self._velocity
            self._memory = self._step.dot(self._memory)  # in half the time of @
        self._velocity, self._last = velocity, stamp
