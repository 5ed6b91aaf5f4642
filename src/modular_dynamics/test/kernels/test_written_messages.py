"""Stamp and numbers are written where they belong, all else stays, and what does not fit is refused."""

import gc
import pickle
import struct
import sys

import numpy as np
import pytest

from modular_dynamics.kernels import written_messages
from modular_dynamics.kernels.numba_support.array_objects import entries_are_direct
from modular_dynamics.kernels.written_messages import REFUSED, WrittenMessages, message_writer


@pytest.fixture(params=[True, False], ids=["compiled", "in NumPy"], autouse=True)
def _either(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(written_messages, "entries_are_direct", lambda: False)
    elif entries_are_direct():
        write = message_writer(WrittenMessages(b"", None, (), np.zeros(0, np.int64)))
        assert type(write).__name__ == "builtin_function_or_method"


def expected(begin, stamp, *arrays):
    parts = [begin, struct.pack("=iI", *divmod(stamp, 10**9))]
    return b"".join([*parts, *(b"len " + struct.pack(f"={len(one)}d", *one) for one in arrays)])


def writer_of(begin, arrays, sources):
    example, count = expected(begin, 5, *[[0.5] * len(sources)] * arrays), len(sources)
    first = len(begin) + 8 + 4
    places = [first + k * (4 + 8 * count) for k in range(arrays)]
    write = message_writer(WrittenMessages(example, len(begin), places, np.array(sources, np.int64)))
    del example, places
    gc.collect()  # the function keeps what it needs
    return write


@pytest.mark.parametrize("begin", [b"1", b"names", b"a frame and names" * 40])
@pytest.mark.parametrize("arrays", [0, 1, 3])
@pytest.mark.parametrize("sources", [[], [0], [2, 0, 1], range(38)])
def test_stamp_and_numbers_are_written(begin, arrays, sources):
    write, rng, kept = writer_of(begin, arrays, sources), np.random.default_rng(arrays), []
    for stamp in (0, 1, -1, -(2**31) * 10**9, 1795785424_516168012, 2**31 * 10**9 - 1):
        vectors = [rng.normal(size=40) for _ in range(arrays)]
        vectors[:1] = [one * np.array([np.nan, np.inf] * 20) for one in vectors[:1]]  # as they are
        before = [one.copy() for one in vectors]
        kept.append((write(stamp, *vectors), expected(begin, stamp, *(one[list(sources)] for one in before))))
        np.testing.assert_array_equal(vectors, before)
    for found, wanted in kept:  # a later message changes none
        assert type(found) is bytes
        assert found == wanted


def test_a_message_without_a_stamp_has_none_written():
    example = b"abcdefgh" + struct.pack("=2d", 1.0, 2.0)
    write = message_writer(WrittenMessages(example, None, [8], np.arange(2)))
    assert write(7, np.array([3.0, 4.0])) == b"abcdefgh" + struct.pack("=2d", 3.0, 4.0)


def test_nothing_is_kept_of_what_was_written():
    write, stamp, vector = writer_of(b"names", 1, [0, 1]), 10**18, np.ones(2)
    counts = [sys.getrefcount(one) for one in (stamp, vector)]
    for _ in range(1000):
        assert sys.getrefcount(write(stamp, vector)) <= 2
    assert [sys.getrefcount(one) for one in (stamp, vector)] == counts


def _read_only(x):
    x.flags.writeable = False
    return x


def _misaligned(x):
    inside = np.zeros(8 * len(x) + 1, np.uint8)[1:].view(np.float64)
    inside[:] = x
    assert not inside.flags.aligned
    return inside


@pytest.mark.parametrize(
    "change", [_read_only, _misaligned, lambda x: np.append(x, 1.0), lambda x: np.ones(9)[3:6]]
)
def test_any_vector_that_is_long_enough_will_do(change):
    write = writer_of(b"names", 1, [0, 2, 1])
    vector = change(np.arange(3.0))
    assert write(5, vector) == expected(b"names", 5, vector[[0, 2, 1]])


@pytest.mark.parametrize(
    "change",
    [
        list,
        lambda x: None,
        lambda x: x.astype(np.float32),
        lambda x: x.astype(int),
        lambda x: x[:-1],
        lambda x: x[np.newaxis],
        lambda x: x[:, np.newaxis],
        lambda x: x[0],
        lambda x: np.array(5.0),
        lambda x: np.repeat(x, 2)[::2],
        lambda x: x.astype(">f8"),
        np.ma.array,
        lambda x: pickle.loads(pickle.dumps(x)),
    ],
)
@pytest.mark.parametrize("which", [0, 1])
def test_another_vector_is_refused(change, which):
    vectors = [np.ones(3), np.ones(3)]
    vectors[which] = change(vectors[which])
    write = writer_of(b"names", 2, [0, 2, 1])
    assert write(5, *vectors) == REFUSED
    assert write(6, np.ones(3), np.ones(3)) == expected(b"names", 6, np.ones(3), np.ones(3))


@pytest.mark.parametrize(
    "stamp", [2**31 * 10**9, -(2**31) * 10**9 - 1, 2**63, -(10**30), 5.0, None, "5", True]
)
def test_another_stamp_is_refused(stamp):
    assert writer_of(b"names", 1, [0])(stamp, np.ones(1)) == REFUSED


@pytest.mark.parametrize(
    ("stamp", "places", "sources"),
    [(25, [8], [0]), (-1, [8], [0]), (0, [17], [0, 1]), (0, [8], [-1]), (0, [-8], [])],
)
def test_places_beyond_the_message_are_refused(stamp, places, sources):
    with pytest.raises(ValueError, match="a message of 32 bytes has no place"):
        message_writer(WrittenMessages(bytes(32), stamp, places, np.array(sources, np.int64)))


def test_another_number_of_arguments_is_refused():
    write, vector = writer_of(b"names", 1, [0]), np.ones(1)
    assert write() == write(5) == write(5, vector, vector) == REFUSED
