"""Runs the command in this process."""

import errno
import os
from types import SimpleNamespace

import pytest

from helpers.paths import ROBOTS
from modular_dynamics.shell.main import main


@pytest.fixture
def shell(capsys):
    """Exit code, stdout and stderr of `modular-dynamics WORDS`."""

    def run(*words):
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # of argparse
            code = end.code
        printed = capsys.readouterr()
        return SimpleNamespace(code=code, out=printed.out, err=printed.err)

    return run


@pytest.fixture
def error(shell):
    """The one line of a command that fails because of what it was given."""

    def run(*words):
        found = shell(*words)
        assert (found.code, found.out) == (2, "")
        assert found.err.count("\n") == 1, found.err
        assert found.err.startswith("modular-dynamics")
        return found.err

    return run


@pytest.fixture
def four_link():
    """Path of a robot of four joints."""
    return ROBOTS / "four_link.urdf"


@pytest.fixture
def full_disk(monkeypatch):
    """No file reaches the disk."""

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
