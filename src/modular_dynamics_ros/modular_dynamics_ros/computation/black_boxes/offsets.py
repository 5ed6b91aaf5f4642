"""Offsets of the sensors of black boxes, taken off in the sensors' frames."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["SensorOffset", "SensorOffsets"]


class SensorOffset(NamedTuple):
    """The offset of a sensor's readings: (6,) [N, N m] in its frame."""

    frame: str
    values: Array


class SensorOffsets:
    """Sensor offsets by black box, shared by all robots of a node. `set` may be called in another thread.

    Args:
        offsets: those at the beginning. keep: keeps one over restarts; it raises where it cannot.
    """

    def __init__(
        self,
        offsets: Mapping[str, SensorOffset] = MappingProxyType({}),
        keep: Callable[[str, SensorOffset | None], None] = lambda box, offset: None,
    ) -> None:
        self._offsets, self._keep = dict(offsets), keep

    def set(self, box: str, offset: SensorOffset | None) -> None:
        """Take this off from now on; None: nothing. Where it cannot be kept nothing changes."""
        self._keep(box, offset)
        if offset is None:
            self._offsets.pop(box, None)
        else:
            self._offsets[box] = offset

    def get(self, box: str) -> Array:
        """Return the offset (6,) that is subtracted."""
        offset = self._offsets.get(box)
        return np.zeros(6) if offset is None else offset.values

    def described(self, box: str) -> str:
        """Return the offset as text: six numbers [N, N m]."""
        offset = self._offsets.get(box)
        return "none, not tared" if offset is None else " ".join(f"{value:.4g}" for value in offset.values)

    def taken_off(self, box: str, frame: str, wrench: Array) -> Array:
        """Return a wrench less its sensor's offset.

        Raises:
            BadMessage: it is in another frame than the one in which the offset is known.
        """
        if (offset := self._offsets.get(box)) is None:
            return wrench
        if offset.frame != frame:
            raise BadMessage(
                "offset in another frame",
                f"the sensor was tared in frame '{offset.frame:.80}', and the wrench is in '{frame:.80}': "
                "tare again, or forget the offset (reset of tare_black_box)",
            )
        return wrench - offset.values
