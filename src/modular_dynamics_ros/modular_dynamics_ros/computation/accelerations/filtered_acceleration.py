"""Joint accelerations from measured joint velocities: low-pass filter, then differentiation by extrapolation.

Silva & Adorno, section IV, filter the velocities with a 6th-order discrete Butterworth low-pass of 10 Hz and
differentiate them by Richardson extrapolation. The step ratio is not printed; s = 2 is taken here, so that
every value needed lies on the sampling grid.
"""

from enum import Enum
from math import nan, pi, sin, tan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import Array, values_at

ORDER = 6
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
    """Return derivative at the newest of five equally spaced values, exact for cubics.

    g(h) = (3 x_n - 4 x_{n-1} + x_{n-2}) / (2 h);
    xdot = ((1/s)^p g(s h) - g(h)) / ((1/s)^p - 1), p = 2, s = 2.

    Args:
        history: (5, n), oldest first. step: h [s].
    """
    oldest, _, two_before, before, newest = history
    fine = (3.0 * newest - 4.0 * before + two_before) / (2.0 * step)
    coarse = (3.0 * newest - 4.0 * two_before + oldest) / (4.0 * step)
    return np.asarray((0.25 * coarse - fine) / (0.25 - 1.0))


def butterworth_sections(cutoff: float, rate: float) -> Array:
    """Return a low-pass of order ORDER in second-order sections (k, 6), as scipy.signal has them.

    The analog filter's pairs of poles, 1 / (s^2 + 2 sin(angle) s + 1), by the bilinear transform
    s = (1 - 1/z) / (1 + 1/z) / K with K = tan(pi cutoff / rate); each section has the gain 1 at rest.

    Args:
        cutoff, rate: [Hz]; the rate is more than twice the cutoff.
    """
    K, sections = tan(pi * cutoff / rate), []
    for k in range(1, ORDER, 2):
        damping = 2.0 * sin(k * pi / (2 * ORDER)) * K
        b, a1, a2 = np.array([K * K, 2.0 * (K * K - 1.0), 1.0 - damping + K * K]) / (1.0 + damping + K * K)
        sections.append([b, 2.0 * b, b, 1.0, a1, a2])
    return np.array(sections)


def steady_states(sections: Array) -> Array:
    """Return what :func:`step_matrix` gives for a joint that has always moved at 1 rad/s (rows of it,)."""
    _, b1, b2, _, a1, a2 = sections.T
    z2 = b2 - a2
    return np.concatenate([[0.0], np.stack([b1 - a1 + z2, z2], axis=1).ravel(), np.ones(HISTORY)])


def step_matrix(sections: Array, step: float) -> Array:
    """Return one step of filter and derivative: [derivative, states] = matrix @ [input, states before].

    The states are two of each of k second-order sections, in the transposed direct form II as those of
    scipy.signal.sosfilt, then the last HISTORY outputs, newest first.

    Args:
        sections: (k, 6), as scipy.signal has them. step: [s].

    Returns:
        (rows, rows), rows = 1 + 2 k + HISTORY.
    """
    signal, *before = np.eye(1 + 2 * len(sections) + HISTORY)
    *states, past_1, past_2, past_3, past_4 = before
    after: list[Array] = []
    for (b0, b1, b2, _, a1, a2), z1, z2 in zip(sections, states[::2], states[1::2], strict=True):
        output = b0 * signal + z1
        after += [b1 * signal - a1 * output + z2, b2 * signal - a2 * output]
        signal = output
    derivative = richardson_derivative(np.array([past_4, past_3, past_2, past_1, signal]), step)
    return np.array([derivative, *after, signal, past_1, past_2, past_3])


class Moment(NamedTuple):
    """A filter after a sample; constant.

    Attributes:
        states: (rows, n) of all joints: accelerations, then the other rows of `step_matrix`.
        velocity: (n,) of the sample; stamp: its own [ns]. grid: newest grid instant [ns since the filter's
        first sample].
    """

    states: Array
    velocity: Array
    grid: float
    stamp: int

    @property
    def acceleration(self) -> Array:
        """Return the accelerations (n,) at the newest grid instant."""
        acceleration: Array = self.states[0]
        return acceleration

    def placed(self, where: NDArray[np.intp]) -> "Moment":
        """Return the moment for the joints of another robot: see `values_at`."""
        return self._replace(states=values_at(where, self.states), velocity=values_at(where, self.velocity))


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
        self._source, self._joints, self.cutoff = source, joints, cutoff
        self._matrix: Array  # of the step, set once the period is known
        self.restart()

    def restart(self) -> None:
        """Forget every sample."""
        self.state = FilterState.STARTING
        self.period = nan
        self._waiting: list[tuple[int, Array]] = []  # samples until the period is known
        self._epoch = 0  # stamps are counted from here: a float of ns since 1970 resolves 256 ns only
        self._longest_gap = LONGEST_GAP * 1e9  # [ns]
        self._now: Moment | None = None
        self._before: Moment | None = None  # before the last sample

    def continue_from(self, other: "FilteredAcceleration", where: NDArray[np.intp]) -> None:
        """Continue the filter of another robot, which stays unchanged; with a new joint this one starts.

        Args:
            where: (n,) place of each joint in the other filter; -1: new.
        """
        if (where < 0).any():
            return
        self.state, self._epoch = other.state, other._epoch
        self._waiting = [(stamp, values_at(where, v)) for stamp, v in other._waiting]
        if other._now is not None and other._before is not None:
            self._prepare(other.period, other._matrix)
            self._now, self._before = other._now.placed(where), other._before.placed(where)

    def _prepare(self, period: float, matrix: Array) -> None:
        """Set up the filter once the period [s] is known."""
        self.period, self._matrix = period, matrix
        # a grid that is far too fine, because of a few wrong stamps, must not take forever to fill
        self._longest_gap = min(LONGEST_GAP, MOST_POINTS * period) * 1e9

    def update(self, stamp: int, velocity: Array) -> Array | None:
        """Return acceleration (n,) at the newest grid instant not after `stamp` [ns].

        None while the sampling period is not known yet.

        Raises:
            ValueError: velocity is no vector of n numbers.
            SamplingError: half the sampling rate is below the cutoff, or the stamps are too dense or uneven.
        """
        velocity = np.array(velocity, dtype=np.float64)
        if velocity.shape != (self._joints,):
            raise ValueError(f"velocities have the shape {velocity.shape}; ({self._joints},) is needed")
        now = self._now
        if now is not None and 0 < stamp - now.stamp <= self._longest_gap:
            self._before, self._now = now, self._advanced(now, stamp, velocity)
            return self._now.acceleration
        last = self._last
        if stamp == last:
            return self._correct(stamp, velocity)
        if last is not None and not 0 < stamp - last <= self._longest_gap:
            self.restart()
            backwards = stamp < last
            self.state = FilterState.RESTARTED_BACKWARDS if backwards else FilterState.RESTARTED_AFTER_PAUSE
        self._start(stamp, velocity)
        return None if self._now is None else self._now.acceleration

    def _correct(self, stamp: int, velocity: Array) -> Array | None:
        """Replace the last stamp's velocity, which may come in several messages; return the acceleration."""
        if self._before is None:
            self._waiting[-1] = stamp, velocity
            return None
        self._now = self._advanced(self._before, stamp, velocity)
        return self._now.acceleration

    @property
    def _last(self) -> int | None:
        """Stamp [ns] of the last sample."""
        if self._now is not None:
            return self._now.stamp
        return self._waiting[-1][0] if self._waiting else None

    def _start(self, stamp: int, velocity: Array) -> None:
        """Collect samples until the period is known, then filter what was collected."""
        self._waiting.append((stamp, velocity))
        if len(self._waiting) <= INTERVALS_FOR_PERIOD:
            return
        intervals = np.diff([t for t, _ in self._waiting]) * 1e-9
        period = float(np.median(intervals))
        if reason := self._unusable_because(period, float(intervals.max())):
            self._waiting.pop(0)
            raise SamplingError(reason)
        sections = butterworth_sections(self.cutoff, 1.0 / period)
        steady = steady_states(sections)
        self._prepare(period, step_matrix(sections, period))
        self._epoch, first = self._waiting[0]
        moment = Moment(steady[:, np.newaxis] * first, first, 0.0, self._epoch)
        for later, sample in self._waiting[1:]:
            self._before, moment = moment, self._advanced(moment, later, sample)
        self._now, self._waiting = moment, []
        self.state = FilterState.RUNNING

    def _unusable_because(self, period: float, longest: float) -> str:
        """Return why a period [s] and a longest interval [s] do not fit the filter; "" if they do."""
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

    def _advanced(self, moment: Moment, stamp: int, velocity: Array) -> Moment:
        """Filter the grid instants up to `stamp`, interpolating between the last sample and this one."""
        step, (states, velocity_then, grid, then) = self.period * 1e9, moment
        now, last = float(stamp - self._epoch), float(then - self._epoch)
        latest = now + SAME_INSTANT * step
        while (due := grid + step) <= latest:
            entered = states.copy()
            share = (due - last) / (now - last) if due < now else 1.0
            entered[0] = velocity_then + share * (velocity - velocity_then)
            states, grid = self._matrix.dot(entered), due
        return Moment(states, velocity, grid, stamp)
