"""A file that is written beside another one, to replace it."""

import os

import pytest

from modular_dynamics.text.files import write_beside


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

    with pytest.raises(FileNotFoundError):
        write_beside(tmp_path / "no" / "a.yaml", b"new")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_beside(tmp_path / "a.yaml", b"new")
    assert not list(tmp_path.iterdir())
