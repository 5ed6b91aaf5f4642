"""Motions in closed form, piecewise constant accelerations read from YAML; and when each sample is due."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from modular_dynamics_ros.exceptions import MotionError

__all__ = ["AccelerationProfile", "MotionSource", "Schedule", "load_profile"]


class MotionSource(Protocol):
    """A motion of named joints between t = 0 and t = duration [s]."""

    joint_names: tuple[str, ...]
    duration: float
    has_acceleration: bool

    def sample(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities, accelerations (n,) at t [s]; empty arrays where it has none."""


class AccelerationProfile:
    """Each joint's acceleration times a common, piecewise constant scale; at rest at t = 0.

    Within a segment of scale s that begins at T with s's integrals V, P:
    a = s A, v = (V + s (t - T)) A, q = q0 + (P + V (t - T) + s (t - T)^2 / 2) A for a joint's acceleration A.
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
        self._amplitude = np.array(list(accelerations.values()), dtype=float)
        self._start = np.array([(start or {}).get(name, 0.0) for name in self.joint_names], dtype=float)
        self._pieces: list[tuple[float, float, float, float]] = []  # until, scale, V and P at its beginning
        begin = velocity = position = 0.0
        for until, scale in segments:
            self._pieces.append((until, scale, velocity, position))
            step = until - begin
            position += velocity * step + 0.5 * scale * step**2
            velocity += scale * step
            begin = until

    def sample(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities, accelerations (n,) at t [s], 0 <= t <= duration."""
        index = next((k for k, piece in enumerate(self._pieces) if t < piece[0]), len(self._pieces) - 1)
        begin = self._pieces[index - 1][0] if index else 0.0
        _, scale, velocity, position = self._pieces[index]
        step = t - begin
        q = self._start + (position + velocity * step + 0.5 * scale * step**2) * self._amplitude
        return q, (velocity + scale * step) * self._amplitude, scale * self._amplitude


def load_profile(path: str | Path) -> AccelerationProfile:
    """Read duration, segments [{until, scale}], accelerations {joint: value}, and start {joint: q} if given.

    Raises:
        MotionError: naming the file and the entry that is missing, of the wrong kind or out of order.
    """
    # the library takes long to import, which a node that starts does not wait for
    from modular_dynamics.exceptions import DescriptionError  # noqa: PLC0415
    from modular_dynamics.text.files import path_of, text_of  # noqa: PLC0415
    from modular_dynamics.text.sizes import MAX_YAML_BYTES  # noqa: PLC0415
    from modular_dynamics.text.yaml_text import documents  # noqa: PLC0415

    where = f"motion file '{path}'"
    try:
        found = documents(text_of(path_of(path), "motion file", MAX_YAML_BYTES), where)
    except DescriptionError as error:
        raise MotionError(str(error)) from error
    data = found[0] if len(found) == 1 else found
    if not isinstance(data, dict):
        raise MotionError(f"{where}: needs the keys duration, segments and accelerations")
    known = {"duration", "segments", "accelerations", "start", "version", "description"}
    if unknown := sorted(str(key) for key in data if key not in known):
        raise MotionError(f"{where}: unknown key {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    duration = _number(data.get("duration"), f"{where}: duration")
    segments = _segments(data.get("segments"), duration, where)
    accelerations = _joint_values(data.get("accelerations"), f"{where}: accelerations")
    if not accelerations:
        raise MotionError(f"{where}: accelerations names no joint")
    start = _joint_values(data.get("start", {}), f"{where}: start")
    if unknown := sorted(set(start) - set(accelerations)):
        raise MotionError(f"{where}: start names {', '.join(unknown)}, which accelerations does not name")
    return AccelerationProfile(accelerations, segments, start)


def _segments(raw: Any, duration: float, where: str) -> list[tuple[float, float]]:
    if not isinstance(raw, list) or not raw:
        raise MotionError(f"{where}: segments must be a list of {{until, scale}}")
    segments: list[tuple[float, float]] = []
    for number, entry in enumerate(raw, start=1):
        values = entry if isinstance(entry, dict) else {}
        until, scale = (
            _number(values.get(key), f"{where}: segment {number}: {key}") for key in ("until", "scale")
        )
        if until <= (segments[-1][0] if segments else 0.0):
            raise MotionError(
                f"{where}: segment {number}: until {until:g} s must be later than the one before"
            )
        segments.append((until, scale))
    if segments[-1][0] != duration:
        raise MotionError(
            f"{where}: the last segment ends at {segments[-1][0]:g} s, duration is {duration:g} s"
        )
    return segments


def _joint_values(raw: Any, where: str) -> dict[str, float]:
    if not isinstance(raw, dict):
        raise MotionError(f"{where} must map joint names to numbers")
    return {str(name): _number(value, f"{where}: joint '{name}'") for name, value in raw.items()}


def _number(value: Any, where: str) -> float:
    from modular_dynamics.text.numbers import LARGEST  # noqa: PLC0415  # as above
    from modular_dynamics.text.sizes import shown  # noqa: PLC0415

    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise MotionError(
            f"{where} must be a finite number, not {shown(value)}; at most {LARGEST:g} is accepted"
        )
    return float(value)


class Schedule:
    """Samples k = 0, 1, ... of a motion at a rate: the first at t = 0, the last at exactly t = duration.

    Where the rate does not divide the duration, the last step is shorter. A looped motion begins again one
    period after its last sample.
    """

    def __init__(self, source: MotionSource, rate: float, *, loop: bool) -> None:
        self.source, self.rate, self.loop = source, rate, loop
        steps = int(np.floor(source.duration * rate + 1e-9))
        self._offsets = [min(k / rate, source.duration) for k in range(steps + 1)]
        if source.duration - self._offsets[-1] > 1e-9:
            self._offsets.append(source.duration)
        self._offsets[-1] = source.duration
        self._lap = source.duration + 1.0 / rate
        self.sample = lru_cache(maxsize=4096)(self._sample)  # state and reference ask for the same ones

    def __len__(self) -> int:
        """Samples of one lap."""
        return len(self._offsets)

    def exists(self, k: int) -> bool:
        """Whether there is a sample k."""
        return self.loop or k < len(self)

    def offset(self, k: int) -> int:
        """When sample k is due, from the first one on [ns]."""
        lap, index = divmod(k, len(self))
        return round((lap * self._lap + self._offsets[index]) * 1e9)

    def _sample(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.source.sample(self._offsets[k % len(self)])

    def window(self, first: int, length: float) -> range:
        """The samples from `first` on that are due within `length` [s]."""
        last = first
        limit = self.offset(first) + length * 1e9
        while self.exists(last + 1) and self.offset(last + 1) <= limit:
            last += 1
        return range(first, last + 1)
