"""Motions of joints: piecewise constant accelerations from YAML, and accelerations of recorded motions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .exceptions import StateError
from .text.element import Element
from .text.files import path_of, text_of
from .text.sizes import MAX_YAML_BYTES
from .text.yaml_text import documents

__all__ = ["AccelerationProfile", "filtered_accelerations", "load_profile", "profile_of"]

# Motions in closed form: piecewise constant accelerations on a common path.

Array = NDArray[np.float64]


class AccelerationProfile:
    """Each joint's acceleration times a common, piecewise constant scale; at rest at t = 0.

    All joints move on one path: q = q0 + P(t) A, v = P'(t) A, a = P''(t) A for a joint's acceleration A.
    Within a segment of scale s that begins at T with the path's rate V and place P0:
    P'' = s, P' = V + s (t - T), P = P0 + V (t - T) + s (t - T)^2 / 2.
    At a segment's end the next segment counts, at the end of the motion the last one.

    Args:
        accelerations: joint -> A [rad/s^2 or m/s^2]. segments: (until [s], scale) in order of time; the last
            `until` is the duration. start: joint -> position at t = 0, zero for joints that are not named.
    """

    has_acceleration = True

    def __init__(
        self,
        accelerations: Mapping[str, float],
        segments: list[tuple[float, float]],
        start: Mapping[str, float] | None = None,
    ) -> None:
        self.joint_names = tuple(accelerations)
        self.duration = segments[-1][0]
        self.accelerations = np.array(list(accelerations.values()), dtype=float)
        self.start = np.array([(start or {}).get(name, 0.0) for name in self.joint_names], dtype=float)
        #: of each segment: until, scale, P' and P at its beginning
        self.pieces: list[tuple[float, float, float, float]] = []
        begin = velocity = position = 0.0
        for until, scale in segments:
            self.pieces.append((until, scale, velocity, position))
            step = until - begin
            position += velocity * step + 0.5 * scale * step**2
            velocity += scale * step
            begin = until

    def sample(self, t: float) -> tuple[Array, Array, Array]:
        """Return positions, velocities, accelerations (n,) at t [s], 0 <= t <= duration."""
        position, velocity, scale = self.path(t)
        q = self.start + position * self.accelerations
        return q, velocity * self.accelerations, scale * self.accelerations

    def path(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Return P [s^2], P' [s] and P'' [1] at times [s], in the shape of these."""
        t, (ends, scales, rates, places) = np.asarray(times, dtype=float), np.array(self.pieces).T
        k = np.minimum(np.searchsorted(ends, t, side="right"), len(ends) - 1)
        step = t - np.append(0.0, ends)[k]
        return places[k] + rates[k] * step + 0.5 * scales[k] * step**2, rates[k] + scales[k] * step, scales[k]


def load_profile(path: str | Path) -> AccelerationProfile:
    """Read duration, segments [{until, scale}], accelerations {joint: value}, and start {joint: q} if given.

    Raises:
        DescriptionError: naming the file and the entry that is missing, of the wrong kind or out of order.
    """
    return profile_of(text_of(path_of(path), "motion file", MAX_YAML_BYTES), f"motion file '{path}'")


def profile_of(text: str, where: str) -> AccelerationProfile:
    """Return the profile of a file's text; ``where`` begins the errors, which are those of `load_profile`."""
    found = documents(text, where)
    top = Element.top(found[0] if len(found) == 1 else None, where, "duration, segments and accelerations")
    top.require(("duration", "segments", "accelerations"), ("start", "version", "description"))
    duration, segments = top.number("duration", None), list[tuple[float, float]]()
    for segment in top.elements("segments"):
        until, scale = segment.number("until", None), segment.number("scale", None)
        if until <= (segments[-1][0] if segments else 0.0):
            raise segment.wrong("until", "a time [s] later than the one before")
        segments.append((until, scale))
    if not segments or segments[-1][0] != duration:
        raise top.wrong("duration", "the end of the last segment")
    accelerations, start = (
        {name: element.number(name, None) for name in element.names()}
        for element in (top.element("accelerations"), top.element("start", {}))
    )
    if not accelerations:
        raise top.wrong("accelerations", "at least one joint")
    for name in start:
        if name not in accelerations:
            raise top.element("start").failure(name, " is no joint that accelerations names")
    return AccelerationProfile(accelerations, segments, start)


# Accelerations of recorded positions or velocities, by a low-pass filter that does not delay them.

#: Forward and backward: as steep as the filter of the nodes, a Butterworth of order 6.
ORDER = 3
#: Factor on the cutoff of each direction, so that both together have gain 1/sqrt(2) at the cutoff.
TWICE = (np.sqrt(2.0) - 1.0) ** (-0.5 / ORDER)
#: Periods of the cutoff by which a record is continued at its ends, the length of the filter's memory.
CONTINUED = 6.0
DEGREE = 5  # of splines: even the second derivative has an error of fourth order in the period
#: Fewest samples in a period of the cutoff; with two the cutoff would be the Nyquist frequency.
LEAST_SAMPLES = 2.5


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
    """Return times and values as arrays. Raises StateError: see :func:`filtered_accelerations`."""
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
    """Return the first row with a True."""
    return int(np.argwhere(flags)[0][0])


def _period(t: Array, cutoff: float) -> float:
    """Return the period [s] of evenly spaced times [s].

    Raises:
        StateError: the filter cannot have its cutoff with these times.
    """
    if not 0.0 < cutoff < np.inf:
        raise StateError(f"cutoff is {cutoff}; a positive number [Hz] is needed")
    longest = 1.0 / (LEAST_SAMPLES * cutoff)
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
