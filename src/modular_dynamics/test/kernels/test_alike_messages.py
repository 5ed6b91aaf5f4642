"""Serialised messages that are alike are read, wherever their numbers stand, and no others."""

import gc
import pickle
import struct

import numpy as np
import pytest

from modular_dynamics.kernels import alike_messages
from modular_dynamics.kernels.alike_messages import BEYOND, OTHER, REFUSED, AlikeMessages, alike_reader
from modular_dynamics.kernels.numba_support.array_objects import entries_are_direct

BEGIN, END = b"names", b"end"


@pytest.fixture(params=[True, False], ids=["compiled", "in NumPy"], autouse=True)
def _either(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(alike_messages, "entries_are_direct", lambda: False)
    elif entries_are_direct():
        assert type(reader_of(1)).__name__ == "builtin_function_or_method"


def written(stamp, values, begin=BEGIN, end=END):
    seconds, rest = divmod(stamp, 10**9)
    return begin + struct.pack("=iI", seconds, rest) + struct.pack(f"={len(values)}d", *values) + end


def reader_of(count, places=None, begin=BEGIN, bound=1e9):
    known = written(1, np.zeros(count), begin)
    first, size = len(begin) + 8, len(known)
    mask = np.full(size, 255, np.uint8)
    mask[len(begin) : first + 8 * count] = 0
    places = first + 8 * (np.arange(count) if places is None else np.array(places, np.int64))
    read = alike_reader(AlikeMessages(known, mask, size, len(begin), places), bound)
    del known, mask, places
    gc.collect()  # the function keeps what it needs
    return read


@pytest.mark.parametrize("begin", [b"", b"1", b"names", bytes(range(256)) * 5])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 76])
def test_stamp_and_numbers_are_read(count, begin):
    read, rng = reader_of(count, begin=begin), np.random.default_rng(count)
    for stamp in (0, 1, 10**9 - 1, 1795785424_516168012, (2**31 - 1) * 10**9 + 5):
        values, found = rng.uniform(-1e9, 1e9, count), np.full(count, np.nan)
        values[::3] = 1e9  # the bound itself is good
        assert read(written(stamp, values, begin), found) == stamp
        np.testing.assert_array_equal(found, values)


def test_numbers_are_read_in_the_order_of_their_places():
    found = np.zeros(3)
    assert reader_of(4, [3, 0, 2])(written(7, [1.0, 2.0, 3.0, 4.0]), found) == 7
    np.testing.assert_array_equal(found, [4.0, 1.0, 3.0])


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, np.nextafter(1e9, np.inf), -1e10, 1e308])
def test_a_number_beyond_the_bound_is_told(place, bad):
    read, values = reader_of(3), np.ones(3)
    values[place] = bad
    assert read(written(5, values), np.empty(3)) == BEYOND


def test_others_are_told():
    read, found, good = reader_of(3), np.empty(3), written(5, np.ones(3))
    assert read(good, found) == 5
    assert read(good + b"more", found) == 5  # behind what all have
    for length in range(len(good)):
        assert read(good[:length], found) == OTHER
    for place in (*range(len(BEGIN)), *range(len(good) - len(END), len(good))):
        damaged = bytearray(good)
        damaged[place] ^= 1
        assert read(bytes(damaged), found) == OTHER
    for stamp in (-1, -(2**31) * 10**9):
        assert read(written(stamp, np.ones(3)), found) == OTHER
    whole_second = BEGIN + struct.pack("=iI3d", 5, 10**9, 1.0, 1.0, 1.0) + END
    assert read(whole_second, found) == OTHER


def test_a_message_that_ends_among_its_numbers_is_told():
    """The last bytes that all have may be in front of the last number."""
    read = alike_reader(AlikeMessages(bytes(24), np.zeros(4, np.uint8), 24, 4, np.array([16])), 1.0)
    for length in range(24):
        assert read(bytes(length), np.empty(1)) == OTHER
    assert read(bytes(24), np.empty(1)) == 0


def test_what_it_was_made_of_may_change():
    mask, places = np.array([255, 255, 0, 0], np.uint8), np.array([16, 24])[::-1]
    read, found = alike_reader(AlikeMessages(bytes(32), mask, 32, 4, places), 9.0), np.empty(2)
    mask[:], places[:] = 255, 2**40
    assert read(b"\0\0ab" + bytes(12) + struct.pack("=2d", 1.0, 2.0), found) == 0
    np.testing.assert_array_equal(found, [2.0, 1.0])


def _read_only(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "change",
    [
        list,
        lambda x: x.astype(np.float32),
        lambda x: x.astype(int),
        lambda x: np.append(x, 1.0),
        lambda x: x[:-1],
        lambda x: x[np.newaxis],
        lambda x: x[:, np.newaxis],
        lambda x: np.array(5.0),
        lambda x: np.repeat(x, 2)[::2],
        lambda x: np.zeros(8 * len(x) + 1, np.uint8)[1:].view(np.float64),  # misaligned
        np.ma.array,
        lambda x: pickle.loads(pickle.dumps(x)),
        _read_only,
    ],
)
def test_another_array_is_refused(change):
    assert reader_of(3)(written(5, np.ones(3)), change(np.zeros(3))) == REFUSED


@pytest.mark.parametrize("change", [bytearray, memoryview, lambda x: None, lambda x: x.decode("latin1"), len])
def test_what_is_no_bytes_is_refused(change):
    assert reader_of(3)(change(written(5, np.ones(3))), np.empty(3)) == REFUSED


@pytest.mark.parametrize(
    ("mask", "stamp", "places"),
    [(33, 0, [8]), (8, 25, [8]), (8, -1, [8]), (8, 0, [8, 25]), (8, 0, [-1, 8]), (8, 0, [2**63 - 8])],
)
def test_places_beyond_the_message_are_refused(mask, stamp, places):
    messages = AlikeMessages(bytes(40), np.zeros(mask, np.uint8), 32, stamp, np.array(places, np.int64))
    with pytest.raises(ValueError, match="a message of 32 bytes has no place"):
        alike_reader(messages, 1.0)


def test_another_number_of_arguments_is_refused():
    read, data, values = reader_of(3), written(5, np.ones(3)), np.zeros(3)
    assert read() == read(data) == read(data, values, values) == REFUSED
