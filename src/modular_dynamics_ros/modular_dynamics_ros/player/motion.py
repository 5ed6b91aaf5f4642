"""Motions that the player plays, profiles of accelerations among them; and when each sample is due."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from modular_dynamics_ros.exceptions import MotionError

if TYPE_CHECKING:
    from modular_dynamics.motions import AccelerationProfile

__all__ = ["MotionSource", "Schedule", "load_profile"]


class MotionSource(Protocol):
    """A motion of named joints between t = 0 and t = duration [s]."""

    joint_names: tuple[str, ...]
    duration: float
    has_acceleration: bool

    def sample(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities, accelerations (n,) at t [s]; empty arrays for missing ones."""


def load_profile(path: str | Path) -> "AccelerationProfile":
    """Return the library's `modular_dynamics.motions.load_profile`, with this package's errors.

    Raises:
        MotionError: naming the file and the entry that is missing, of the wrong kind or out of order.
    """
    # the library takes long to import, which a node that starts does not wait for
    from modular_dynamics import motions  # noqa: PLC0415
    from modular_dynamics.exceptions import DescriptionError  # noqa: PLC0415

    try:
        return motions.load_profile(path)
    except DescriptionError as error:
        raise MotionError(str(error)) from error


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
        """Return the number of samples of one lap."""
        return len(self._offsets)

    def exists(self, k: int) -> bool:
        """Return whether there is a sample k."""
        return self.loop or k < len(self)

    def offset(self, k: int) -> int:
        """Return when sample k is due, relative to the first one [ns]."""
        lap, index = divmod(k, len(self))
        return round((lap * self._lap + self._offsets[index]) * 1e9)

    def _sample(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.source.sample(self._offsets[k % len(self)])

    def window(self, first: int, length: float) -> range:
        """Return the samples from `first` on that are due within `length` [s]."""
        last = first
        limit = self.offset(first) + length * 1e9
        while self.exists(last + 1) and self.offset(last + 1) <= limit:
            last += 1
        return range(first, last + 1)
