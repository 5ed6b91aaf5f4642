"""Bags of all kinds, and what is no bag, or no longer one."""

import os
import shutil
import sqlite3

import numpy as np
import pytest

from helpers.random_examples.examples import some
from helpers.recorded_bags import JOINT_STATE, START, joint_state, moving_states, text, write_bag

MAGIC = b"\x89MCAP0\r\n"


@pytest.fixture
def states(names):
    return moving_states(names, 300)[0]


@pytest.mark.parametrize(
    ("storage", "compressed"),
    [
        ("mcap", None),
        ("mcap", "storage"),
        ("mcap", "message"),
        ("mcap", "file"),
        ("sqlite3", None),
        ("sqlite3", "message"),
        ("sqlite3", "file"),
    ],
)
def test_every_kind_of_bag_gives_the_same_torques(bag, states, tmp_path, storage, compressed):
    expected = bag(states).rows
    found = bag(states, storage=storage, compressed=compressed)
    assert (found.code, len(found.rows)) == (0, 300)
    assert found.rows == expected


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_file_without_its_folder(bag, states, tmp_path, storage):
    suffix = {"mcap": ".mcap", "sqlite3": ".db3"}[storage]
    file = shutil.copy(
        next(write_bag(tmp_path / "whole", states, storage=storage).glob(f"*{suffix}")), tmp_path
    )
    assert bag.on(file).report["processed"] == 300


def error_of(bag, path):
    found = bag.on(path)
    assert (found.code, found.rows) == (2, [])
    assert found.err.startswith("modular-dynamics bag: ")
    assert found.err.count("\n") == 1
    return found.err


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.mcap", b"", "cannot be read: it is empty"),
        ("magic.mcap", MAGIC, "`mcap recover FILE` the index"),
        ("header.mcap", MAGIC + b"\x01\x0c" + bytes(7) + b"\4\0\0\0ros2" + bytes(4), "cannot be read: "),
        ("text.md", b"# no bag", "folders of rosbag2, .mcap and .db3 files are read"),
        ("old.bag", b"#ROSBAG V2.0\n", "it is a bag of ROS 1: rosbags-convert"),
        (
            "run.mcap",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1",
            "`git lfs pull` fetches the file",
        ),
        ("run.db3", b"SQLite format 3\0" + bytes(2000), "cannot be read: "),
    ],
)
def test_what_is_no_bag_is_named_in_one_line(bag, tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    error = error_of(bag, path)
    assert words in error
    assert name in error


def test_a_pipe_and_a_file_that_may_not_be_read(bag, tmp_path):
    os.mkfifo(tmp_path / "pipe.mcap")
    assert "it is a pipe or a device" in error_of(bag, tmp_path / "pipe.mcap")


def test_nothing_there_and_an_empty_folder(bag, tmp_path):
    assert "no bag at" in error_of(bag, tmp_path / "missing")
    (tmp_path / "empty").mkdir()
    assert "`ros2 bag reindex FOLDER` makes a new metadata.yaml" in error_of(bag, tmp_path / "empty")


def test_a_bag_without_a_message_is_a_finding(bag):
    found = bag([("/joint_states", START, joint_state(START, [], []))])
    assert (found.code, found.report["of_other_joints"], found.rows) == (1, 1, [])


def test_a_bag_without_joint_states_lists_those_of_their_type(bag, states, tmp_path):
    elsewhere = [("/left/joint_states", time, message) for _, time, message in states]
    folder = write_bag(tmp_path / "left", elsewhere)
    assert "no topic '/joint_states'; topics of sensor_msgs/msg/JointState: '/left/joint_states'" in error_of(
        bag, folder
    )
    assert bag.on(folder, "--joint-states", "/left/joint_states").report["processed"] == 300


def test_a_topic_of_another_type_is_named(bag, tmp_path):
    folder = write_bag(tmp_path / "other", [("/joint_states", START, text("hello"))])
    assert "'/joint_states'" in (error := error_of(bag, folder))
    assert "has the type std_msgs/msg/String; sensor_msgs/msg/JointState is needed" in error


def test_messages_of_unknown_types_do_not_matter(bag, states, tmp_path):
    file = next(write_bag(tmp_path / "bag", states, storage="sqlite3").glob("*.db3"))
    with sqlite3.connect(file) as database:
        database.execute(
            "INSERT INTO topics SELECT 99, '/own', 'own_msgs/msg/Unknown', serialization_format, "
            "offered_qos_profiles, '' FROM topics LIMIT 1"
        )
        database.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (99, ?, x'0001')", (START,))
    assert bag.on(file).report["processed"] == 300


def test_a_damaged_message_is_counted_and_the_others_are_processed(bag, names, states):
    damaged = ("/joint_states", states[100][1], (JOINT_STATE, b"\x00\x01\x00\x00" + bytes([255] * 40)))
    found = bag([*states[:100], damaged, *states[100:]])
    assert (found.code, found.report["damaged_messages"], found.report["processed"]) == (1, 1, 300)


@pytest.fixture
def recorded(states, tmp_path):
    """An MCAP as rosbag2's recorder writes it: chunks of moderate size, with a checksum."""
    from mcap.writer import CompressionType, Writer

    from helpers.recorded_bags import STORE

    def record(compression=CompressionType.ZSTD):
        path = tmp_path / "whole.mcap"
        with open(path, "wb") as file:
            writer = Writer(file, chunk_size=20_000, compression=compression)
            writer.start("ros2")
            definition = STORE.generate_msgdef(JOINT_STATE)[0].encode()
            schema = writer.register_schema(JOINT_STATE, "ros2msg", definition)
            channel = writer.register_channel("/joint_states", "cdr", schema)
            for _, time, (kind, message) in states:
                writer.add_message(channel, time, STORE.serialize_cdr(message, kind).tobytes(), time)
            writer.finish()
        return path

    record.plain = CompressionType.NONE
    return record


def test_a_bag_is_read_to_the_first_chunk_whose_checksum_is_wrong(bag, recorded, tmp_path):
    path = recorded(recorded.plain)
    expected, content = bag.on(path).rows, bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    file = tmp_path / "broken.mcap"
    file.write_bytes(content)
    found = bag.on(file)
    assert found.code == 1
    assert "is damaged" in found.report["damage"]
    assert 50 < len(found.rows) < 300
    assert found.rows == expected[: len(found.rows)]
    file.write_bytes(path.read_bytes()[:-300])
    assert "`mcap recover FILE` the index of an .mcap file" in error_of(bag, file)


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("seed", some(range(16)))
def test_damage_takes_a_line_and_makes_no_number(bag, recorded, tmp_path, compressed, seed):
    """Bytes dropped, inserted, changed or set to zero anywhere in a recording with checksums."""
    path = recorded() if compressed else recorded(recorded.plain)
    expected, content = {row["time"]: row for row in bag.on(path).rows}, bytearray(path.read_bytes())
    draw = np.random.default_rng(seed)
    at = int(draw.integers(len(content)))
    match seed % 4:
        case 0:
            del content[at : at + int(draw.choice([1, 8, 100]))]
        case 1:
            content[at:at] = content[at : at + 64]
        case 2:
            content[at] ^= 1 << int(draw.integers(8))
        case 3:
            content[at : at + 400] = bytes(min(400, len(content) - at))
    broken = tmp_path / "broken.mcap"
    broken.write_bytes(content)
    found = bag.on(broken)
    assert found.code in {0, 1, 2}, found.err  # 3 is a fault of the program
    assert all(row == expected[row["time"]] for row in found.rows)


def test_messages_that_the_index_counts_and_the_file_lacks_are_a_finding(bag, states, tmp_path):
    file = next(write_bag(tmp_path / "bag", states).glob("*.mcap"))
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 3000] = bytes(3000)
    file.write_bytes(content)
    found = bag.on(file)
    assert found.code in (1, 2)
    assert "damaged" in found.err
