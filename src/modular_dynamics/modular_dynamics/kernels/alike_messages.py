"""Numbers of serialised messages that are alike but for these, read by one Python function.

NumPy needs nine calls for it, and where no cache holds their code, each takes longer than all arithmetic.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .numba_support.array_objects import (
    as_status,
    bound_function,
    bytes_of,
    data_of,
    entries_are_direct,
    expected_objects,
    floats,
    numbers,
    octets,
    plan_of,
)

__all__ = ["BEYOND", "OTHER", "REFUSED", "AlikeMessages", "alike_reader"]

#: Instead of a stamp: the arguments are not bytes and the array that the function needs; the message is not
#: like the known one; a number is beyond the bound, or NaN.
REFUSED, OTHER, BEYOND = -1, -2, -3

_SECOND = 1_000_000_000  # [ns]

# A plan, behind what all plans have. Arrays are given by their addresses.
(
    BYTES,  # address of Python's bytes
    SHORTEST,  # length of the shortest message
    KNOWN,  # bytes of the known message
    MASK,
    SIZE,  # how many bytes known message and mask have
    STAMP,  # offset of the stamp in a message
    PLACES,  # offsets of the numbers in a message
    COUNT,  # how many numbers there are
    BOUND,  # array of one number
) = range(2, 11)
PLAN_SIZE = 11


class AlikeMessages(NamedTuple):
    """What is the same in serialised messages that are alike, and where the rest stands.

    Attributes:
        known: bytes of one of them. mask: (k,) of its first ones, 255 where all have the same byte, else 0.
        shortest: bytes that they have at least. stamp: offset of seconds, int32, and nanoseconds, uint32.
        places: offsets of the float64 numbers, in any order.
    """

    known: bytes
    mask: NDArray[np.uint8]
    shortest: int
    stamp: int
    places: NDArray[np.int64]


def _alike_reader(owner, arguments, count):
    """(data, values) -> stamp, or why not."""
    if count != 2:
        return as_status(REFUSED)
    plan, objects = plan_of(owner, PLAN_SIZE), numbers(arguments, 2)
    length, data = bytes_of(plan[BYTES], objects[0])
    result = data_of(plan, objects[1], 1, plan[COUNT])
    if data == 0 or result == 0:
        return as_status(REFUSED)
    if length < plan[SHORTEST]:
        return as_status(OTHER)
    size, read = plan[SIZE], octets(data, length)
    known, mask, difference = octets(plan[KNOWN], size), octets(plan[MASK], size), np.uint8(0)
    for k in range(size):
        difference |= (read[k] ^ known[k]) & mask[k]
    if difference != 0:
        return as_status(OTHER)
    values, bound = floats(result, plan[COUNT]), floats(plan[BOUND], 1)[0]
    written, places, good = octets(result, 8 * plan[COUNT]), numbers(plan[PLACES], plan[COUNT]), True
    for k in range(plan[COUNT]):
        for byte in range(8):  # in a message a number need not stand where processors want it
            written[8 * k + byte] = read[places[k] + byte]
        good &= abs(values[k]) <= bound  # NaN is not
    if not good:
        return as_status(BEYOND)
    seconds, nanoseconds = np.int64(0), np.int64(0)
    for byte in range(4):
        seconds |= np.int64(read[plan[STAMP] + byte]) << (8 * byte)
        nanoseconds |= np.int64(read[plan[STAMP] + 4 + byte]) << (8 * byte)
    usual = seconds < 2**31 and nanoseconds < _SECOND
    return as_status(seconds * _SECOND + nanoseconds if usual else OTHER)


def alike_reader(messages: AlikeMessages, bound: float) -> Callable[..., int]:
    """A function (data, values) -> stamp [ns] that reads such a message: bytes, in this machine's byte order.

    Numbers go to ``values``, a float64 array of their number: contiguous, aligned and writeable. The result
    is negative where nothing is to be read, OTHER, BEYOND or REFUSED; ``values`` may have been written to.
    Messages with a negative stamp, or one with a whole second of nanoseconds, count as others.

    Args:
        bound: largest size of a number.

    Raises:
        ValueError: places lie beyond the shortest message.
    """
    mask, places = np.array(messages.mask, np.uint8), np.array(messages.places, np.int64)
    lasts = len(mask), messages.stamp + 8, 8 + int(places.max(initial=-8))
    if max(lasts) > messages.shortest or min((messages.stamp, *places)) < 0:
        raise ValueError(f"a message of {messages.shortest} bytes has no place for mask, stamp and numbers")
    known = np.frombuffer(messages.known, np.uint8, len(mask))
    if not entries_are_direct():
        return _in_numpy(messages, known & mask, mask, places[:, np.newaxis] + np.arange(8), bound)
    largest = np.array([bound])
    same = messages.shortest, known.ctypes.data, mask.ctypes.data, len(mask)
    other = messages.stamp, places.ctypes.data, len(places), largest.ctypes.data
    plan = np.array([*expected_objects(), id(bytes), *same, *other], np.int64)
    function: Callable[..., int] = bound_function(_alike_reader, plan, (known, mask, places, largest))
    return function


def _in_numpy(
    messages: AlikeMessages,
    masked: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    octets_of: NDArray[np.int64],
    bound: float,
) -> Callable[..., int]:
    """The function without compiled code; octets_of: (numbers, 8) places of their bytes."""

    def read(*arguments: Any) -> int:
        if len(arguments) != 2 or type(arguments[0]) is not bytes:
            return REFUSED
        data, values = arguments
        if type(values) is not np.ndarray or values.dtype is not np.dtype(np.float64):
            return REFUSED
        if values.shape != (len(octets_of),) or not values.flags.carray:
            return REFUSED
        whole = np.frombuffer(data, np.uint8)
        if len(data) < messages.shortest or (whole[: len(mask)] & mask != masked).any():
            return OTHER
        values[:] = whole[octets_of].view(np.float64).ravel()
        if not (np.abs(values) <= bound).all():
            return BEYOND
        seconds, nanoseconds = np.frombuffer(data, np.uint32, 2, messages.stamp).tolist()
        usual = seconds < 2**31 and nanoseconds < _SECOND
        return int(seconds * _SECOND + nanoseconds) if usual else OTHER

    return read
