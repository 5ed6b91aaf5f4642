"""Offsets of black boxes' sensors, in the sensors' frames, and the file that keeps them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from modular_dynamics.text.numbers import LARGEST
from modular_dynamics_ros.computation.kept_file import KeptFile
from modular_dynamics_ros.computation.values import Array, checked_numbers
from modular_dynamics_ros.exceptions import BadMessage, OffsetsFileError


class SensorOffset(NamedTuple):
    """The offset of a sensor's readings: (6,) [N, N m] in its frame."""

    frame: str
    values: Array


class OffsetsFile(KeptFile[dict[str, SensorOffset]]):
    """Keeps the offset of each black box's sensor: its frame and six numbers [N, N m]."""

    NAME, ERROR = "offsets_file", OffsetsFileError

    def parsed(self, content: Mapping[str, Any]) -> dict[str, SensorOffset]:
        """See `KeptFile`."""
        if not isinstance(offsets := content.get("offsets"), dict):
            raise OffsetsFileError("offsets, by black box, are needed at its top level")
        read = {}
        for box, entry in offsets.items():
            if not isinstance(entry, Mapping) or not isinstance(frame := entry.get("frame"), str):
                raise OffsetsFileError(f"'{box}' needs a frame and six values")
            values = checked_numbers(f"values of '{box}'", entry.get("values"), 6, LARGEST)
            read[str(box)] = SensorOffset(frame, np.array(values))
        return read


class SensorOffsets:
    """Sensor offsets by black box, shared by all robots of a node. `set` may be called in another thread.

    Args:
        path: of the file that keeps them over restarts; empty: none.

    Raises:
        OffsetsFileError: the file is damaged, or cannot be read.
    """

    def __init__(self, path: str = "") -> None:
        self._file = OffsetsFile(path)
        self._offsets = self._file.read() or {}

    def set(self, box: str, offset: SensorOffset | None) -> None:
        """Set the offset to subtract from now on; None: no offset. Those of other boxes in the file stay.

        Raises:
            OffsetsFileError: the file cannot be read, written, or read again; nothing changes.
        """
        offsets = {**self._offsets, **(self._file.read() or {})}
        offsets.pop(box, None)
        if offset is not None:
            offsets[box] = offset
        entries = {
            name: {"frame": frame, "values": values.tolist()} for name, (frame, values) in offsets.items()
        }
        content = {"offsets": entries}
        self._file.of_text(self._file.text(content))  # what could not be read again is refused
        self._file.drafted(content).commit()
        self._offsets = offsets

    def get(self, box: str) -> Array:
        """Return the offset (6,) that is subtracted."""
        offset = self._offsets.get(box)
        return np.zeros(6) if offset is None else offset.values

    def described(self, box: str) -> str:
        """Return the offset as text: six numbers [N, N m]."""
        offset = self._offsets.get(box)
        return "none, not tared" if offset is None else " ".join(f"{value:.4g}" for value in offset.values)

    def without_offset(self, box: str, frame: str, wrench: Array) -> Array:
        """Return a wrench minus its sensor's offset. Raises BadMessage: the offset is of another frame."""
        if (offset := self._offsets.get(box)) is None:
            return wrench
        if offset.frame != frame:
            raise BadMessage(
                "offset in another frame",
                f"the sensor was tared in frame '{offset.frame:.80}', and the wrench is in '{frame:.80}': "
                "tare again, or forget the offset (reset of tare_black_box)",
            )
        return wrench - offset.values
