"""Where stamp and numbers are in serialised messages, and messages that are written there.

rclpy makes a Python object of every field and every name of a message, and the other way round, which takes
longer than to compute torques. Here only the numbers are touched. Where they are is found by serialising
known ones, so that the form is the middleware's own.
"""

from array import array
from collections.abc import Sequence
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from modular_dynamics.kernels.written_messages import WrittenMessages, message_writer
from numpy.typing import NDArray
from rclpy.serialization import serialize_message

__all__ = ["COUNT", "NUMBER", "STAMP", "Places", "WrittenInPlace", "places_of"]

STAMP = Struct("=iI")  # sec and nanosec of builtin_interfaces/Time
COUNT, NUMBER = 4, 8  # bytes of an array's or string's length, and of a float64
_KNOWN_STAMP = 0x1F2E3D4C, 0x2A6B7C8D


class Places(NamedTuple):
    """Where stamp and numbers are in serialised messages that are alike but for these.

    Attributes:
        example: such a message. stamp: offset of header.stamp [bytes], 0 where there is none. numbers:
        offsets of arrays, 0 of an empty one.
    """

    example: bytes
    stamp: int
    numbers: tuple[int, ...]


def places_of(message: Any, lengths: dict[str, int]) -> Places:
    """Those of messages like this one, whose fields are float64 arrays of these lengths. It is changed.

    Raises:
        RuntimeError: the middleware does not serialise numbers as they are in memory.
    """
    known = {
        field: array("d", np.arange(1, length + 1) + 0.1 * k)
        for k, (field, length) in enumerate(lengths.items(), 1)
    }
    for field, values in known.items():
        setattr(message, field, values)
    stamped = hasattr(message, "header")
    if stamped:
        message.header.stamp = Time(sec=_KNOWN_STAMP[0], nanosec=_KNOWN_STAMP[1])
    example: bytes = serialize_message(message)
    mark, numbers = STAMP.pack(*_KNOWN_STAMP) if stamped else b"", [one.tobytes() for one in known.values()]
    if any(one and example.count(one) != 1 for one in (mark, *numbers)):
        raise RuntimeError(
            f"the middleware does not serialise {type(message).__name__} as CDR: choose another one by "
            "RMW_IMPLEMENTATION, such as rmw_fastrtps_cpp"
        )
    return Places(example, example.index(mark), tuple(map(example.index, numbers)))


class WrittenInPlace:
    """One serialised message, written again and again.

    Args:
        message: is changed. fields: its arrays of float64. sources: (m,) for each number of an array, its
            place in the vectors that are written.

    Raises:
        RuntimeError: see `places_of`.
    """

    def __init__(self, message: Any, fields: Sequence[str], sources: Sequence[int]) -> None:
        example, stamp, places = places_of(message, dict.fromkeys(fields, len(sources)))
        self._write = message_writer(
            WrittenMessages(example, stamp or None, places, np.array(sources, np.int64))
        )

    def write(self, stamp: int, *vectors: NDArray[np.float64]) -> bytes:
        """The message with this stamp [ns], where it has one, and the numbers of these vectors, in order.

        Raises:
            ValueError: a vector is too short, or no vector; the stamp is none that a message can have.
        """
        if type(written := self._write(stamp, *vectors)) is bytes:
            return written
        copies = [np.empty(np.shape(vector)) for vector in vectors]
        for copy, vector in zip(copies, vectors, strict=True):
            copy[...] = vector  # np.array would keep a dtype that is another object
        if type(written := self._write(stamp, *copies)) is bytes:
            return written
        shapes = ", ".join(str(copy.shape) for copy in copies)
        raise ValueError(f"no message can have the stamp {stamp} ns and vectors of the shapes {shapes}")
