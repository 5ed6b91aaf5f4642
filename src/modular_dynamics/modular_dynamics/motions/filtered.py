"""Accelerations of recorded positions or velocities, by a low-pass filter that does not delay them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError

__all__ = ["filtered_accelerations", "longest_interval"]

Array = NDArray[np.float64]
#: Forward and backward: as steep as the filter of the nodes, a Butterworth of order 6.
ORDER = 3
#: Factor on the cutoff of each direction, so that both together have gain 1/sqrt(2) at the cutoff.
TWICE = (np.sqrt(2.0) - 1.0) ** (-0.5 / ORDER)
#: Periods of the cutoff by which a record is continued at its ends: what the filter remembers.
CONTINUED = 6.0
DEGREE = 5  # of splines: even the second derivative has an error of fourth order in the period
#: Samples in a period of the cutoff that are needed: near two, the filter knows nothing.
LEAST_SAMPLES = 2.5


def longest_interval(cutoff: float) -> float:
    """Return the longest time [s] between two samples that a cutoff [Hz] allows."""
    return 1.0 / (LEAST_SAMPLES * cutoff)


def filtered_accelerations(
    times: ArrayLike, *, q: ArrayLike | None = None, v: ArrayLike | None = None, cutoff: float = 10.0
) -> Array:
    """Return accelerations (m, n) at the times of recorded velocities or, where there are none, positions.

    A Butterworth filter of order 3 runs over the record forwards and backwards, and the result is
    differentiated: no component is delayed, and one at the cutoff keeps 71 % of its size. Times may be
    uneven: splines carry the values to even times and the accelerations back. At both ends the record is
    continued by its point reflection, so that the acceleration of a sine of 1 Hz errs by up to 6 % of its
    largest there with a cutoff of 10 Hz, by 0.4 % half a period of the cutoff (50 ms) inside, and by 0.1 % a
    whole one: leave the ends out of what you compare.

    Args:
        times: (m,) [s], rising. q: (m, n) or (m,) positions [rad or m] of joints with one coordinate, without
            jumps of whole turns. v: (m, n) or (m,) velocities. One of the two is given.
        cutoff: [Hz].

    Raises:
        StateError: wrong shapes, numbers that are not finite, times that do not rise, a gap in them, too few
            for the filter, or not just one of q and v.
    """
    from scipy import interpolate, signal  # noqa: PLC0415  # slow to import, and seldom needed

    if (q is None) == (v is None):
        raise StateError("filtered_accelerations takes either positions q or velocities v")
    t, given = _checked(times, q if v is None else v, "q" if v is None else "v")
    period, shape, x = _period(t, cutoff), given.shape, given.reshape(len(t), -1)
    even = np.linspace(t[0], t[-1], round((t[-1] - t[0]) / period) + 1)
    step = even[1] - even[0]
    spline: Any = interpolate.make_interp_spline(t, x, k=DEGREE)
    velocities = spline(even) if q is None else spline.derivative()(even)
    sections = signal.butter(ORDER, TWICE * cutoff, fs=1.0 / step, output="sos")
    ends = min(len(even) - 1, round(CONTINUED / (cutoff * step)))
    smooth = signal.sosfiltfilt(sections, velocities, axis=0, padlen=ends)
    result: Array = interpolate.make_interp_spline(even, smooth, k=DEGREE).derivative()(t)
    return result.reshape(shape)


def _checked(times: ArrayLike, values: ArrayLike | None, name: str) -> tuple[Array, Array]:
    try:
        t, x = np.asarray(times, float), np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise StateError(f"times and {name} must be arrays of numbers: {error}") from None
    if t.ndim != 1 or x.ndim not in (1, 2) or len(x) != len(t):
        raise StateError(
            f"times have the shape {t.shape}, {name} has {x.shape}; (m,), and (m, n) or (m,) are needed"
        )
    for what, array in (("times", t), (name, x)):
        if not np.isfinite(array).all():
            raise StateError(f"{what} has a value that is not finite in row {_first(~np.isfinite(array))}")
    if len(t) > 1 and not (np.diff(t) > 0.0).all():
        row = _first(np.diff(t) <= 0.0)
        raise StateError(
            f"times do not rise from row {row}, {t[row]:.6f} s, to row {row + 1}, {t[row + 1]:.6f} s"
        )
    return t, x


def _first(flags: NDArray[np.bool_]) -> int:
    return int(np.argwhere(flags)[0][0])


def _period(t: Array, cutoff: float) -> float:
    """Return the period [s] of evenly spaced times [s].

    Raises:
        StateError: the filter cannot have its cutoff with these times.
    """
    if not 0.0 < cutoff < np.inf:
        raise StateError(f"cutoff is {cutoff}; a positive number [Hz] is needed")
    longest = longest_interval(cutoff)
    if len(t) <= DEGREE or t[-1] - t[0] < 1.0 / cutoff:
        raise StateError(
            f"{len(t)} samples; {DEGREE + 1}, and a period of the cutoff, {1.0 / cutoff:g} s, are needed"
        )
    gaps = np.diff(t)
    if gaps.max() > longest:
        row = int(np.argmax(gaps))
        raise StateError(
            f"between {t[row]:.6f} s and {t[row + 1]:.6f} s there is no sample; a cutoff of {cutoff:g} Hz "
            f"needs one every {longest:.3g} s: split the record there, or take a lower cutoff"
        )
    return float(np.median(gaps))
