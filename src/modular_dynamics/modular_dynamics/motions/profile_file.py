"""Reading an acceleration profile from YAML."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import DescriptionError
from ..text.files import path_of, text_of
from ..text.numbers import LARGEST
from ..text.sizes import MAX_YAML_BYTES, shown
from ..text.yaml_text import documents

__all__ = ["AccelerationProfile", "load_profile", "profile_of"]

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
        position, velocity, scale = self._path_at(t)
        q = self.start + position * self.accelerations
        return q, velocity * self.accelerations, scale * self.accelerations

    def path(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Return P [s^2], P' [s] and P'' [1] at times (m,) [s]: each (m,)."""
        rows = np.array([self._path_at(t) for t in np.asarray(times, dtype=float).tolist()]).reshape(-1, 3)
        return rows[:, 0], rows[:, 1], rows[:, 2]

    def _path_at(self, t: float) -> tuple[float, float, float]:
        index = next((k for k, piece in enumerate(self.pieces) if t < piece[0]), len(self.pieces) - 1)
        begin = self.pieces[index - 1][0] if index else 0.0
        _, scale, velocity, position = self.pieces[index]
        step = t - begin
        return position + velocity * step + 0.5 * scale * step**2, velocity + scale * step, scale


def load_profile(path: str | Path) -> AccelerationProfile:
    """Read duration, segments [{until, scale}], accelerations {joint: value}, and start {joint: q} if given.

    Raises:
        DescriptionError: naming the file and the entry that is missing, of the wrong kind or out of order.
    """
    return profile_of(text_of(path_of(path), "motion file", MAX_YAML_BYTES), f"motion file '{path}'")


def profile_of(text: str, where: str) -> AccelerationProfile:
    """Return the profile of a file's text; ``where`` begins the errors, which are those of `load_profile`."""
    found = documents(text, where)
    data = found[0] if len(found) == 1 else found
    if not isinstance(data, dict):
        raise DescriptionError(f"{where}: needs the keys duration, segments and accelerations")
    known = {"duration", "segments", "accelerations", "start", "version", "description"}
    if unknown := sorted(str(key) for key in data if key not in known):
        raise DescriptionError(
            f"{where}: unknown key {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )
    duration = _number(data.get("duration"), f"{where}: duration")
    segments = _segments(data.get("segments"), duration, where)
    accelerations = _joint_values(data.get("accelerations"), f"{where}: accelerations")
    if not accelerations:
        raise DescriptionError(f"{where}: accelerations names no joint")
    start = _joint_values(data.get("start", {}), f"{where}: start")
    if unknown := sorted(set(start) - set(accelerations)):
        raise DescriptionError(
            f"{where}: start names {', '.join(unknown)}, which accelerations does not name"
        )
    return AccelerationProfile(accelerations, segments, start)


def _segments(raw: Any, duration: float, where: str) -> list[tuple[float, float]]:
    if not isinstance(raw, list) or not raw:
        raise DescriptionError(f"{where}: segments must be a list of {{until, scale}}")
    segments: list[tuple[float, float]] = []
    for number, entry in enumerate(raw, start=1):
        values = entry if isinstance(entry, dict) else {}
        until, scale = (
            _number(values.get(key), f"{where}: segment {number}: {key}") for key in ("until", "scale")
        )
        if until <= (segments[-1][0] if segments else 0.0):
            raise DescriptionError(
                f"{where}: segment {number}: until {until:g} s must be later than the one before"
            )
        segments.append((until, scale))
    if segments[-1][0] != duration:
        raise DescriptionError(
            f"{where}: the last segment ends at {segments[-1][0]:g} s, duration is {duration:g} s"
        )
    return segments


def _joint_values(raw: Any, where: str) -> dict[str, float]:
    if not isinstance(raw, dict):
        raise DescriptionError(f"{where} must map joint names to numbers")
    return {str(name): _number(value, f"{where}: joint '{name}'") for name, value in raw.items()}


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise DescriptionError(
            f"{where} must be a finite number, not {shown(value)}; at most {LARGEST:g} is accepted"
        )
    return float(value)
