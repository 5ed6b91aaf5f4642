"""Reading an acceleration profile from YAML."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..text.element import Element
from ..text.files import path_of, text_of
from ..text.sizes import MAX_YAML_BYTES
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
