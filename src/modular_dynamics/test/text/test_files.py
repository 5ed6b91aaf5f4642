"""Paths: whatever stands there, the error is the library's, and it comes at once."""

import os
import pickle
import re
from pathlib import Path

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics import loops, modular
from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.text.files import content_of, replace_file, write_beside

ARM = ROBOTS / "four_link.urdf"
READERS = {
    "load_urdf": md.load_urdf,
    "partition": lambda path: md.load_urdf(ARM, path),
    "load_mjcf": md.load_mjcf,
    "rules": loops.read_rules,
    "module type": modular.read_module_type,
    "matrix": modular.IncidenceMatrix.from_yaml,
    "gait": modular.gaits.load,
}
NO_FILES = {"pipe": "a named pipe", "folder": "a folder", ".": "a folder", "/dev/zero": "a device"}
PATHS = (
    *("empty", "folder", "pipe", "missing", "empty/below", "loop", "/dev/zero", "/proc/self/mem"),
    *("~no_such_user/x", "~\0", "a\0b", "\ud800", "\udcff", "a" * 5000, "."),
)


@pytest.mark.timeout(60)  # to read a pipe would wait, and a device has no end
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("path", PATHS, ids=ascii)
def test_no_path_gives_another_librarys_error(tmp_path, monkeypatch, read, path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DescriptionError) as caught:
        read(path)
    str(caught.value).encode()  # half a character in a path is no text that a log could take
    assert caught.value.unreadable == (path != "empty")  # that one is read, and holds nothing
    if path in NO_FILES:
        assert re.search(f"^no .* at '.*{path}', which is {NO_FILES[path]}$", str(caught.value))


@pytest.mark.parametrize("unreadable", [True, False])
def test_that_a_source_is_unreadable_stays_with_the_error(unreadable):
    error = md.UrdfError("text", 3, unreadable=unreadable)
    for kept in (error.located("'a.urdf': ", 5), pickle.loads(pickle.dumps(error))):
        assert (type(kept), kept.unreadable) == (md.UrdfError, unreadable)


def test_a_file_that_cannot_be_read_or_grows_is_named(tmp_path):
    with pytest.raises(DescriptionError, match="'/proc/self/mem' cannot be read: Input/output error"):
        content_of(Path("/proc/self/mem"), "file", 100, DescriptionError)
    with pytest.raises(DescriptionError, match="has 11 bytes or more; at most 10 are accepted"):
        content_of(Path("/proc/self/environ"), "file", 10, DescriptionError)  # its size is said to be 0
    (tmp_path / "large").write_bytes(b"x" * 12)
    with pytest.raises(DescriptionError, match="has 12 bytes; at most 10 are accepted"):
        content_of(tmp_path / "large", "file", 10, DescriptionError)


def test_messages_about_descriptions_are_text_of_bounded_length():
    message = str(DescriptionError(f"\ud800 \x1b[2J \x00 \u5de6 {'x' * 100_000} end"))
    assert message.startswith("\\ud800 \\x1b[2J \\x00 \u5de6 xx")
    assert message.endswith("xx end")
    assert len(message) < 2_100


def test_refused_files_are_closed(tmp_path):
    count = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with pytest.raises(DescriptionError):
            modular.gaits.load(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == count


# A file that is written beside another one, to replace it.


def test_the_file_stays_as_it_is_until_it_is_replaced(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("old")
    path.chmod(0o640)
    beside = write_beside(path, b"new")
    assert (path.read_text(), beside.parent, beside.name[0]) == ("old", tmp_path, ".")
    os.replace(beside, path)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)
    assert [one.name for one in tmp_path.iterdir()] == ["a.yaml"]


def test_a_new_file_is_as_others_are(tmp_path):
    (tmp_path / "other").touch()
    beside = write_beside(tmp_path / "a.yaml", b"new")
    assert beside.stat().st_mode == (tmp_path / "other").stat().st_mode
    assert not (tmp_path / "a.yaml").exists()


def test_what_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    with pytest.raises(FileNotFoundError) as caught:
        write_beside(tmp_path / "no" / "a.yaml", b"new")
    assert caught.value.filename == str(tmp_path / "no" / "a.yaml")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_beside(tmp_path / "a.yaml", b"new")
    assert not list(tmp_path.iterdir())


def test_what_stands_for_a_file_is_kept(tmp_path):
    """A link, whose target is replaced; a device, which is written to; a file that nobody may write."""
    (target := tmp_path / "target").write_text("old")
    (link := tmp_path / "link").symlink_to(target)
    replace_file(link, b"new")
    assert (link.is_symlink(), target.read_text()) == (True, "new")
    (device := tmp_path / "device").symlink_to("/dev/null")
    replace_file(device, b"new")
    assert device.is_char_device()
    target.chmod(0o444)
    with pytest.raises(PermissionError):
        replace_file(link, b"newer")
    assert target.read_text() == "new"
