"""The file of sensors' offsets: written as a whole, read again, refused where it is damaged."""

import os

import numpy as np
import pytest

from modular_dynamics_ros.computation.black_boxes import offsets
from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffset, SensorOffsets
from modular_dynamics_ros.exceptions import OffsetsFileError

FIRST, SECOND = np.array([1.0, -2.5, 1e-17, 0.1, 1 / 3, -0.0]), np.arange(6.0)


def read(path):
    return {box: (one.frame, one.values.tolist()) for box, one in SensorOffsets(str(path))._offsets.items()}


def test_offsets_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "offsets.yaml"
    assert read(path) == {}
    file = SensorOffsets(str(path))
    file.set("left: gripper", SensorOffset("tool 0", FIRST))
    file.set("no", SensorOffset("左", SECOND))  # a word that YAML 1.1 takes for false
    kept = {"left: gripper": ("tool 0", FIRST.tolist()), "no": ("左", SECOND.tolist())}
    assert read(path) == kept
    file.set("no", None)
    file.set("nobody", None)
    del kept["no"]
    assert read(path) == kept
    assert [one.name for one in tmp_path.iterdir()] == ["offsets.yaml"]


def test_without_a_path_nothing_is_kept():
    kept = SensorOffsets("")
    kept.set("box", SensorOffset("tool", FIRST))
    for one, offset in ((kept, FIRST), (SensorOffsets(""), np.zeros(6))):
        assert one.without_offset("box", "tool", SECOND).tolist() == (SECOND - offset).tolist()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "version: 1 at its top level is needed"),
        ("[", "line 2: this is not YAML"),
        ("version: 2\noffsets: {}", "version: 1 at its top level is needed"),
        ("version: 1", "offsets, by black box, are needed"),
        ("version: 1\noffsets: {box: 3}", "'box' needs a frame and six values"),
        (
            "version: 1\noffsets: {box: {frame: a, values: [1, 2]}}",
            "values of 'box': 2 numbers; 6 are needed",
        ),
        (
            "version: 1\noffsets: {box: {frame: a, values: [1, 2, 3, 4, 5, .nan]}}",
            "finite numbers are needed",
        ),
        ("version: 1\noffsets: {box: {frame: a, values: x}}", "values of 'box'"),
        ("version: 1\noffsets: {box: {frame: a, values: [1, 2, 3, 4, 5, 6]}}", "its last line is not '...'"),
    ],
)
def test_a_damaged_file_is_refused_and_stays(tmp_path, text, words):
    path = tmp_path / "offsets.yaml"
    path.write_text(text)
    with pytest.raises(OffsetsFileError, match=r"offsets_file '.*offsets.yaml'") as error:
        SensorOffsets(str(path))
    assert words in str(error.value)
    path.unlink()
    kept = SensorOffsets(str(path))
    path.write_text(text)
    with pytest.raises(OffsetsFileError):
        kept.set("box", SensorOffset("tool", FIRST))
    assert path.read_text() == text


def test_a_file_that_is_no_text_or_too_large_is_neither_read_nor_written(tmp_path, monkeypatch):
    path = tmp_path / "offsets.yaml"
    path.write_bytes(b"version: \xff")
    with pytest.raises(OffsetsFileError, match="is no text in UTF-8"):
        SensorOffsets(str(path))
    path.unlink()
    monkeypatch.setattr(offsets, "MAX_BYTES", 20)
    with pytest.raises(OffsetsFileError, match=r"it has [0-9]+ bytes; at most 20 are accepted"):
        SensorOffsets(str(path)).set("box", SensorOffset("tool", FIRST))
    assert list(tmp_path.iterdir()) == []
    path.write_text("version: 1\noffsets: {}\n...\n")
    with pytest.raises(OffsetsFileError, match="bytes; at most 20 are accepted"):
        SensorOffsets(str(path))


def test_a_file_that_cannot_be_written_or_is_none_is_named(tmp_path):
    with pytest.raises(OffsetsFileError, match="its folder is not there"):
        SensorOffsets(str(tmp_path / "no" / "offsets.yaml"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OffsetsFileError, match="a named pipe"):
        SensorOffsets(str(tmp_path / "pipe"))


@pytest.mark.parametrize("offset", [SensorOffset("tool", 2e9 * np.ones(6)), SensorOffset("\ud800", FIRST)])
def test_what_could_not_be_read_again_is_not_written(tmp_path, offset):
    path = tmp_path / "offsets.yaml"
    SensorOffsets(str(path)).set("box", SensorOffset("tool", FIRST))
    with pytest.raises(OffsetsFileError):
        SensorOffsets(str(path)).set("box", offset)
    assert read(path) == {"box": ("tool", FIRST.tolist())}
