"""Serialised messages with other numbers and another stamp each time, written by one Python function.

NumPy needs two calls for each array of numbers, which take longer than to copy them.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .numba_support.array_objects import (
    as_bytes,
    as_status,
    bound_function,
    entries_are_direct,
    expected_objects,
    integer_of,
    numbers,
    octets,
    plan_of,
    vector_of,
)

__all__ = ["REFUSED", "WrittenMessages", "message_writer"]

#: Instead of bytes, for arguments that the function cannot write.
REFUSED = -1

_SECOND = 1_000_000_000  # [ns]

# A plan, behind what all plans have. Arrays are given by their addresses.
(
    INT,  # address of Python's int
    MESSAGE,  # bytes of the message, which are written to
    LENGTH,  # how many
    STAMP,  # offset of the stamp in the message; -1: it has none
    PLACES,  # offsets of the arrays in the message
    VECTORS,  # how many arrays there are
    COUNT,  # how many numbers each of them has
    SOURCES,  # place of each number in a vector
    SHORTEST,  # length of the shortest vector
) = range(2, 11)
PLAN_SIZE = 11


class WrittenMessages(NamedTuple):
    """What is the same in serialised messages, and where the rest stands.

    Attributes:
        example: one of them. stamp: offset of seconds, int32, and nanoseconds, uint32; None: it has none.
        places: (k,) offsets of arrays of float64. sources: (m,) for each number of an array, its place in a
        vector.
    """

    example: bytes
    stamp: int | None
    places: Sequence[int]
    sources: NDArray[np.int64]


def _message_writer(owner, arguments, count):
    """(stamp, vector, ...) -> bytes, or REFUSED. What a refused call has written, the next one overwrites."""
    plan = plan_of(owner, PLAN_SIZE)
    if count != 1 + plan[VECTORS]:
        return as_status(REFUSED)
    objects, message = numbers(arguments, count), octets(plan[MESSAGE], plan[LENGTH])
    whole, stamp = integer_of(plan[INT], objects[0])
    seconds = stamp // _SECOND
    if not whole or seconds < -(2**31) or seconds >= 2**31:
        return as_status(REFUSED)
    if plan[STAMP] >= 0:
        nanoseconds = stamp - seconds * _SECOND
        for byte in range(4):
            message[plan[STAMP] + byte] = np.uint8((seconds >> (8 * byte)) & 0xFF)
            message[plan[STAMP] + 4 + byte] = np.uint8((nanoseconds >> (8 * byte)) & 0xFF)
    places, sources = numbers(plan[PLACES], plan[VECTORS]), numbers(plan[SOURCES], plan[COUNT])
    for k in range(plan[VECTORS]):
        length, data = vector_of(plan, objects[1 + k])
        if data == 0 or length < plan[SHORTEST]:
            return as_status(REFUSED)
        vector = octets(data, 8 * length)
        for number in range(plan[COUNT]):
            for byte in range(8):  # a number need not stand where processors want it
                message[places[k] + 8 * number + byte] = vector[8 * sources[number] + byte]
    return as_bytes(plan[MESSAGE], plan[LENGTH])


def message_writer(messages: WrittenMessages) -> Callable[..., bytes | int]:
    """A function (stamp, vector, ...) -> bytes: such a message with a stamp [ns] and the vectors' numbers.

    One vector for each array: contiguous float64, long enough for all sources. REFUSED instead of bytes where
    an argument is not so, or the stamp is none that a message can have.

    Raises:
        ValueError: places lie beyond the message, or in front of a vector.
    """
    sources, places = np.array(messages.sources, np.int64), np.array(messages.places, np.int64)
    size, stamped = len(messages.example), [] if messages.stamp is None else [messages.stamp]
    # as Python's integers, which do not overflow
    ends = [at + 8 for at in stamped] + [int(place) + 8 * len(sources) for place in places]
    if max(ends, default=0) > size or min((*stamped, *places, *sources), default=0) < 0:
        raise ValueError(f"a message of {size} bytes has no place for stamp and numbers")
    shortest = int(sources.max(initial=-1)) + 1
    if not entries_are_direct():
        return _in_numpy(messages, sources, shortest)
    message = np.frombuffer(messages.example, np.uint8).copy()
    own = id(int), message.ctypes.data, size, *(stamped or [-1])
    arrays = places.ctypes.data, len(places), len(sources), sources.ctypes.data, shortest
    plan = np.array([*expected_objects(), *own, *arrays], np.int64)
    function: Callable[..., bytes | int] = bound_function(_message_writer, plan, (message, places, sources))
    return function


def _in_numpy(
    messages: WrittenMessages, sources: NDArray[np.int64], shortest: int
) -> Callable[..., bytes | int]:
    """The function without compiled code."""
    message, at = bytearray(messages.example), messages.stamp
    arrays = [np.ndarray((len(sources),), np.float64, message, place) for place in messages.places]

    def write(*arguments: Any) -> bytes | int:
        if len(arguments) != 1 + len(arrays) or type(arguments[0]) is not int:
            return REFUSED
        stamp, *vectors = arguments
        if not -(2**31) <= stamp // _SECOND < 2**31:
            return REFUSED
        for vector in vectors:
            if type(vector) is not np.ndarray or vector.dtype is not np.dtype(np.float64):
                return REFUSED
            if vector.ndim != 1 or not vector.flags.c_contiguous or len(vector) < shortest:
                return REFUSED
        if at is not None:
            seconds, nanoseconds = divmod(stamp, _SECOND)
            message[at : at + 8] = np.array([seconds & 0xFFFFFFFF, nanoseconds], np.uint32).tobytes()
        for array, vector in zip(arrays, vectors, strict=True):
            array[:] = vector[sources]
        return bytes(message)

    return write
