"""Progress is for terminals: elsewhere nothing is written, and in the end nothing stays."""

import io
from types import SimpleNamespace

import pytest

from modular_dynamics.shell import command as progress

CLEAR = "\r\x1b[K"


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    stream = _Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))  # pytest sets sys.stderr again
    return stream


def test_a_terminal_shows_how_far_the_states_are(shell, four_link, terminal, monkeypatch):
    monkeypatch.setattr(progress, "PERIOD", 0.0)
    assert shell("check", four_link, "--states", 3).code == 0
    lines = terminal.getvalue().split(CLEAR)
    assert lines[1:] == [f"states compared with Pinocchio: {done} of 3" for done in (1, 2, 3)] + [""]


def test_what_is_done_at_once_shows_no_count(terminal):
    assert list(progress.counted("ab", 2, "letters")) == ["a", "b"]
    assert terminal.getvalue() == ""


def test_a_terminal_shows_that_a_picture_is_drawn(shell, four_link, terminal, tmp_path):
    assert shell("graph", four_link, "-o", tmp_path / "g.png").code == 0
    assert terminal.getvalue() == f"{CLEAR}drawing the picture of 3 subsystems ...{CLEAR}"


def test_the_line_goes_also_where_something_fails(terminal):
    def fail():
        with progress.changing_line() as show:
            show("at work")
            raise ValueError("why")

    with pytest.raises(ValueError, match="why"):
        fail()
    assert terminal.getvalue() == f"{CLEAR}at work{CLEAR}"


def test_elsewhere_nothing_is_shown(shell, four_link, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "PERIOD", 0.0)
    assert shell("check", four_link, "--states", 3).err == ""
    assert shell("graph", four_link, "-o", tmp_path / "g.png").err == ""
