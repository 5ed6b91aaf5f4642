"""Serialised joint states are read as rclpy and `JointStateReader` read them, or not at all."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages import serialized
from modular_dynamics_ros.messages.joint_state_reader import JointStateReader
from modular_dynamics_ros.messages.serialized import alike_joint_states
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

pytestmark = pytest.mark.ros
NAMES = ["turn", "bend", "left", "right_finger"]

name = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1, max_size=9)
number = st.floats(-1e9, 1e9)


def joint_state(names, q, v, effort=(), frame="", stamp=5):
    message = JointState(name=names, position=q, velocity=v, effort=effort)
    message.header.frame_id, message.header.stamp = frame, stamp_message(stamp)
    return message


def alike(like, names=NAMES):
    return alike_joint_states(like, JointStateReader(names).layout(like.name))


def read(reader, data, joints=4):
    """Stamp and numbers; None where there is nothing to read."""
    values = np.empty(2 * joints)
    stamp = reader(data, values)
    return None if stamp is None else (stamp, values)


@st.composite
def pairs(draw):
    """Two joint states of one publisher, in any order and with other joints, too; and the robot's joints."""
    names = draw(st.lists(name, min_size=1, max_size=8, unique=True))
    count, frame = (
        len(names),
        draw(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=7)),
    )
    efforts = count * draw(st.booleans())
    numbers = st.lists(number, min_size=count, max_size=count)
    both = [
        joint_state(
            names,
            draw(numbers),
            draw(numbers),
            [0.5] * efforts,
            frame,
            draw(st.integers(0, 2**31 * 10**9 - 1)),
        )
        for _ in range(2)
    ]
    robot = draw(st.permutations(names))[: draw(st.integers(1, count))]
    return (*both, robot)


@given(pairs())
@settings(max_examples=300, deadline=None)
def test_what_is_read_is_what_rclpy_reads(given):
    like, other, robot = given
    reader = JointStateReader(robot)
    layout = reader.layout(like.name)
    stamp, values = read(alike_joint_states(like, layout), serialize_message(other), len(robot))
    assert stamp == stamp_nanoseconds(other.header.stamp)
    places = [other.name.index(one) for one in robot]
    expected = np.concatenate([np.array(other.position)[places], np.array(other.velocity)[places]])
    np.testing.assert_array_equal(values, expected)


def test_others_are_not_read():
    like = joint_state(NAMES, [1.0] * 4, [2.0] * 4, frame="base")
    reader = alike(like)
    others = [
        joint_state(NAMES[::-1], [1.0] * 4, [2.0] * 4, frame="base"),
        joint_state([*NAMES[:3], "right_fingeR"], [1.0] * 4, [2.0] * 4, frame="base"),
        joint_state([*NAMES, "more"], [1.0] * 5, [2.0] * 5, frame="base"),
        joint_state(NAMES, [1.0] * 4, [2.0] * 4, frame="robot@5.000000000"),
        joint_state(NAMES, [1.0] * 4, [2.0] * 4),
        joint_state(NAMES, [1.0] * 4, [], frame="base"),
        joint_state(NAMES, [1.0] * 4, [2.0] * 3, frame="base"),
        joint_state(NAMES, [1.0] * 4, [2.0] * 4, [0.0] * 4, frame="base"),
        joint_state(NAMES, [1.0] * 4, [2.0] * 4, [0.0], frame="base"),
        JointState(),
    ]
    assert read(reader, serialize_message(like)) is not None
    for other in others:
        assert read(reader, serialize_message(other)) is None


@pytest.mark.parametrize("efforts", [(), [1.0] * 4])
def test_damaged_bytes_are_read_as_rclpy_reads_them_or_not_at_all(efforts):
    rng = np.random.default_rng(2)
    like = joint_state(NAMES, rng.normal(size=4).tolist(), rng.normal(size=4).tolist(), efforts, "base")
    reader, data, good = alike(like), serialize_message(like), 0
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= int(rng.integers(1, 256))
        if (found := read(reader, bytes(damaged))) is None:
            continue
        good += 1
        message = deserialize_message(bytes(damaged), JointState)
        assert message.name == NAMES
        assert found[0] == stamp_nanoseconds(message.header.stamp)
        np.testing.assert_array_equal(found[1], [*message.position, *message.velocity])
    assert good >= 8 + 8 * 8  # stamp and numbers
    whole = [length for length in range(len(data) + 1) if read(reader, data[:length]) is not None]
    assert min(whole) >= len(data) - 7  # what comes behind the last number is nothing


def test_stamps_before_1970_and_whole_seconds_of_nanoseconds_are_not_read():
    like = joint_state(NAMES, [1.0] * 4, [2.0] * 4)
    reader, data = alike(like), serialize_message(like)
    at = data.index(struct.pack("=iI", 0, 5))
    for seconds, nanoseconds, good in [(2**31 - 1, 999_999_999, True), (5, 10**9, False), (-1, 5, False)]:
        changed = data[:at] + struct.pack("=iI", seconds, nanoseconds) + data[at + 8 :]
        assert (read(reader, changed) is not None) == good


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1e10])
@pytest.mark.parametrize("place", [0, 3, 4, 7])
def test_numbers_that_no_robot_has_are_not_read(bad, place):
    reader, numbers = alike(joint_state(NAMES, [1.0] * 4, [2.0] * 4)), [1.0] * 8
    numbers[place] = bad
    assert read(reader, serialize_message(joint_state(NAMES, numbers[:4], numbers[4:]))) is None


def test_a_middleware_that_serialises_otherwise_is_named(monkeypatch):
    monkeypatch.setattr(serialized, "serialize_message", lambda message: b"{}")
    with pytest.raises(RuntimeError, match=r"not serialise JointState as CDR.* RMW_IMPLEMENTATION"):
        alike(joint_state(NAMES, [1.0] * 4, [2.0] * 4))
