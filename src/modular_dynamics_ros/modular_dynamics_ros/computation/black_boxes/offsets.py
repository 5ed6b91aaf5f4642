"""Offsets of black boxes' sensors, in the sensors' frames, and the file that keeps them over restarts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.text.files import replace_file, text_if_there
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics.text.sizes import MAX_BYTES, too_large
from modular_dynamics.text.yaml_text import Dumper, documents
from modular_dynamics_ros.computation.values import Array, checked_numbers
from modular_dynamics_ros.exceptions import BadMessage, NodeError, OffsetsFileError

VERSION = 1
END = "..."  # ends a YAML document; a file without it may have been cut off


class SensorOffset(NamedTuple):
    """The offset of a sensor's readings: (6,) [N, N m] in its frame."""

    frame: str
    values: Array


class SensorOffsets:
    """Sensor offsets by black box, shared by all robots of a node. `set` may be called in another thread.

    Args:
        path: of the YAML file that keeps them over restarts; empty: none.

    Raises:
        OffsetsFileError: the file is damaged, or cannot be read.
    """

    def __init__(self, path: str = "") -> None:
        self._path: Path | None = None
        if path:
            try:
                self._path = Path(path).expanduser().resolve()  # keeps symbolic links
            except (OSError, RuntimeError, ValueError) as error:
                raise OffsetsFileError(f"offsets_file {path[:200]!r}: {error}") from error
        self._offsets = self._read()

    def set(self, box: str, offset: SensorOffset | None) -> None:
        """Set the offset to subtract from now on; None: no offset. Those of other boxes in the file stay.

        Raises:
            OffsetsFileError: the file cannot be read, written, or read again; nothing changes.
        """
        offsets = {**self._offsets, **self._read()}
        offsets.pop(box, None)
        if offset is not None:
            offsets[box] = offset
        self._write(offsets)
        self._offsets = offsets

    def _read(self) -> dict[str, SensorOffset]:
        """Return the offsets in the file; none if there is no file yet."""
        if self._path is None:
            return {}
        try:
            text = text_if_there(self._path, "file", MAX_BYTES)
        except DescriptionError as error:
            raise self._failure(str(error)) from error
        return {} if text is None else self._of_text(text)

    def _of_text(self, text: str) -> dict[str, SensorOffset]:
        """Return the offsets in a file's text. Raises OffsetsFileError: it is damaged."""
        try:
            found = documents(text, "")
            content = found[0] if len(found) == 1 else None
            if not isinstance(content, dict) or content.get("version") != VERSION:
                raise OffsetsFileError(
                    f"one YAML document with version: {VERSION} at its top level is needed"
                )
            offsets = _parsed(content)
        except (DescriptionError, NodeError) as error:
            raise self._failure(f"it is damaged: {' '.join(str(error).split())[:400]}") from error
        if not text.rstrip().endswith(f"\n{END}"):
            why = f"its last line is not '{END}', as that of a whole file is: is the end cut off?"
            raise self._failure(f"it is damaged: {why}")
        return offsets

    def _write(self, offsets: Mapping[str, SensorOffset]) -> None:
        """Replace the file. Raises OffsetsFileError: it cannot be written, or would not be read as it is."""
        entries = {
            name: {"frame": frame, "values": values.tolist()} for name, (frame, values) in offsets.items()
        }
        content = {"version": VERSION, "offsets": entries}
        text = yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, explicit_end=True)
        self._of_text(text)
        if self._path is None:
            return
        try:
            written = text.encode()
            if len(written) > MAX_BYTES:
                raise self._failure(too_large("it", len(written), MAX_BYTES, "bytes"))
            replace_file(self._path, written)
        except OSError as error:
            raise self._failure(f"it cannot be written: {error.strerror or error}") from error

    def _failure(self, text: str) -> OffsetsFileError:
        """Return an error that names the file."""
        return OffsetsFileError(f"offsets_file '{str(self._path)[:200]}': {text}")

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


def _parsed(content: Mapping[str, Any]) -> dict[str, SensorOffset]:
    """Return the offsets in the content of a file. Raises NodeError: it is damaged."""
    if not isinstance(offsets := content.get("offsets"), dict):
        raise OffsetsFileError("offsets, by black box, are needed at its top level")
    read = {}
    for box, entry in offsets.items():
        if not isinstance(entry, Mapping) or not isinstance(frame := entry.get("frame"), str):
            raise OffsetsFileError(f"'{box}' needs a frame and six values")
        values = checked_numbers(f"values of '{box}'", entry.get("values"), 6, LARGEST)
        read[str(box)] = SensorOffset(frame, np.array(values))
    return read
