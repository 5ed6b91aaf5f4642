"""Serialised messages whose stamp and numbers are read and written where they are.

rclpy makes a Python object of every field and every name of a message, and the other way round, which takes
longer than to compute torques. Here only the numbers are touched. Where they are is found by serialising
known ones, so that the form is the middleware's own.
"""

from array import array
from collections.abc import Callable, Sequence
from struct import Struct
from struct import error as StructError
from typing import Any, NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import ArrayLike, NDArray
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.values import Array, all_usable
from modular_dynamics_ros.messages.joint_state_reader import Layout

__all__ = ["WrittenInPlace", "alike_joint_states"]

SECOND = 1_000_000_000  # [ns]
STAMP = Struct("=iI")  # sec and nanosec of builtin_interfaces/Time
COUNT, NUMBER = 4, 8  # bytes of an array's or string's length, and of a float64
REPRESENTATION = 2  # bytes that say how the message is serialised; the two behind them are not used
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
    """Return those of messages like this one, whose fields are float64 arrays of these lengths; change it.

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
        self._places = places_of(message, dict.fromkeys(fields, len(sources)))
        self._sources = np.array(sources, np.intp)

    def write(self, stamp: int, *vectors: ArrayLike) -> bytes:
        """Return the message with this stamp [ns], where it has one, and the numbers of the fields' vectors.

        Raises:
            ValueError: a vector is too short, or no vector; the stamp is none that a message can have.
        """
        example, place, places = self._places
        message, sources = bytearray(example), self._sources
        try:
            if place:
                STAMP.pack_into(message, place, *divmod(stamp, SECOND))
            for at, vector in zip(places, vectors, strict=True):
                np.frombuffer(message, np.float64, len(sources), at)[:] = np.asarray(vector)[sources]
        except (StructError, IndexError, ValueError):
            shapes = ", ".join(str(np.shape(vector)) for vector in vectors)
            raise ValueError(
                f"no message can have the stamp {stamp} ns and vectors of the shapes {shapes}"
            ) from None
        return bytes(message)


def alike_joint_states(like: JointState, layout: Layout) -> Callable[[bytes, Array], int | None]:
    """Return a function (data, values) -> stamp [ns] that reads joint states as the middleware delivers them.

    It writes positions, then velocities of the joints of the layout to ``values`` (2 k,). The result is None
    where a joint state is not like the known one but for stamp and numbers, its stamp is negative, or a
    number is NaN or too large.

    Args:
        like: has a velocity for each position. layout: of its names.
    """
    count, effort_count = len(like.name), len(like.effort)
    alike = JointState(name=like.name)
    alike.header.frame_id = like.header.frame_id
    lengths = {"position": count, "velocity": count, "effort": effort_count}
    example, stamp_place, (positions, velocities, efforts) = places_of(alike, lengths)
    end = velocities + NUMBER * count
    shortest = efforts + NUMBER * effort_count if effort_count else end + COUNT
    same = _same_bytes(alike, stamp_place + STAMP.size, (positions + NUMBER * count, end))
    known = (np.frombuffer(example, np.uint8, len(same)) & same).tobytes()
    sources = np.arange(count) if layout.source is None else layout.source
    half = len(sources)

    def read(data: bytes, values: Array) -> int | None:
        if len(data) < shortest or (np.frombuffer(data, np.uint8, len(same)) & same).tobytes() != known:
            return None
        seconds, nanoseconds = STAMP.unpack_from(data, stamp_place)
        if seconds < 0 or nanoseconds >= SECOND:
            return None
        values[:half] = np.frombuffer(data, np.float64, count, positions)[sources]
        values[half:] = np.frombuffer(data, np.float64, count, velocities)[sources]
        return int(seconds * SECOND + nanoseconds) if all_usable(values) else None

    return read


def _same_bytes(message: JointState, strings: int, ends: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a mask of bytes: 255 where messages of a layout are equal, 0 for numbers and padding.

    Args:
        strings: offset of the first string. ends: offsets after positions and after velocities.
    """
    same = np.zeros(ends[-1] + COUNT, np.uint8)
    same[:REPRESENTATION] = 255
    at = strings
    for text in (message.header.frame_id, None, *message.name):  # None: how many names follow
        length = COUNT + (0 if text is None else len(text.encode()) + 1)
        same[at : at + length] = 255
        at += length + -length % COUNT
    for counted in (at, *ends):
        same[counted : counted + COUNT] = 255
    return same
