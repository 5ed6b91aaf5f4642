"""When each sample of a motion is due, and the window of the reference ahead of it."""

from functools import lru_cache

import numpy as np

from modular_dynamics_ros.player.motion import MotionSource

__all__ = ["Schedule"]


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
