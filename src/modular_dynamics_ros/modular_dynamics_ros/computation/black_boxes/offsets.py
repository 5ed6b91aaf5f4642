"""Offsets of the sensors of black boxes, taken off in the sensors' frames."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.text.beside import write_beside
from modular_dynamics.text.files import path_of, text_if_there
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics.text.sizes import MAX_BYTES
from modular_dynamics.text.yaml_text import documents, dumped
from modular_dynamics_ros.computation.checked_numbers import checked_numbers
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage, NumbersError, OffsetsFileError


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


VERSION = 1
END = "..."  # as YAML ends a document: without it offsets may be missing that were cut off


def stored_offsets(path: str) -> SensorOffsets:
    """Return the offsets in a file, rewritten on every change; with an empty path they are not stored.

    Raises:
        OffsetsFileError: see `OffsetsFile.read`.
    """
    file = OffsetsFile(path)
    return SensorOffsets(file.read(), file.keep)


class OffsetsFile:
    """A YAML file with the offset of each black box's sensor: its frame and six numbers [N, N m].

    Args:
        path: empty: nothing is read or written.
    """

    def __init__(self, path: str) -> None:
        self._path = path_of(path) if path else None

    def read(self) -> dict[str, SensorOffset]:
        """Return the offsets by black box; none if there is no file yet.

        Raises:
            OffsetsFileError: it is damaged, or cannot be read; or its folder is not there.
        """
        path = self._path
        if path is None:
            return {}
        try:
            text = text_if_there(path, "file", MAX_BYTES)
        except DescriptionError as error:
            raise _error(path, str(error)) from error
        return {} if text is None else _parsed(path, text)

    def keep(self, box: str, offset: SensorOffset | None) -> None:
        """Write the offset of a black box, or take it out; those of other boxes stay.

        Raises:
            OffsetsFileError: the file cannot be read or written, or not be read again; it is as it was.
        """
        if self._path is None:
            return
        offsets: dict[str, SensorOffset] = self.read()
        offsets.pop(box, None)
        if offset is not None:
            offsets[box] = offset
        entries = {
            name: {"frame": one.frame, "values": [float(value) for value in one.values]}
            for name, one in offsets.items()
        }
        text = dumped({"version": VERSION, "offsets": entries}) + f"{END}\n"
        _parsed(self._path, text)
        try:
            path = self._path.resolve()  # keeps symbolic links
            os.replace(write_beside(path, text.encode()), path)
        except (OSError, ValueError, RuntimeError) as error:
            why = getattr(error, "strerror", None) or error
            raise _error(self._path, f"it cannot be written: {why}") from error


def _parsed(path: Path, text: str) -> dict[str, SensorOffset]:
    try:
        entries = documents(text, f"offsets_file '{path}'")
    except DescriptionError as error:
        raise OffsetsFileError(str(error)) from error
    content = entries[0] if len(entries) == 1 else None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise _error(path, f"version: {VERSION} is needed at its top level")
    if not isinstance(offsets := content.get("offsets"), dict):
        raise _error(path, "offsets, by black box, are needed at its top level")
    read = {str(box): _offset(path, str(box), one) for box, one in offsets.items()}
    if not text.rstrip().endswith(f"\n{END}"):
        raise _error(path, f"its last line is not '{END}', as that of a whole file is: is the end cut off?")
    return read


def _offset(path: Path, box: str, entry: Any) -> SensorOffset:
    if not isinstance(entry, Mapping) or not isinstance(frame := entry.get("frame"), str):
        raise _error(path, f"'{box}' needs a frame and six values")
    try:
        values = checked_numbers(f"values of '{box}'", entry.get("values"), 6, LARGEST)
    except NumbersError as error:
        raise _error(path, str(error)) from error
    return SensorOffset(frame, np.array(values))


def _error(path: Path, text: str) -> OffsetsFileError:
    return OffsetsFileError(f"offsets_file '{str(path)[:200]}': {text}")
