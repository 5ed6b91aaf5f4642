"""Paths: whatever stands there, the error is the library's, and it comes at once."""

import os
import pickle
from pathlib import Path

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics import loops, modular
from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.text.files import content_of

ARM = ROBOTS / "four_link.urdf"
READERS = {
    "load_urdf": md.load_urdf,
    "partition": lambda path: md.load_urdf(ARM, path),
    "load_mjcf": md.load_mjcf,
    "rules": loops.read_rules,
    "module type": modular.read_module_type,
    "module types": modular.read_module_types,
}
PATHS = (
    *("empty", "folder", "pipe", "missing", "empty/below", "loop", "/dev/zero", "/proc/self/mem"),
    *("~no_such_user/x", "~\0", "a\0b", "\ud800", "\udcff", "a" * 5000, "."),
)


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
