from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from examples.demo.__main__ import read_command_line
from examples.demo.playing import StalledError, play_completely

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(("rate", "words"), [("0", "between 0.1 and 2000 Hz"), ("fast", "'fast'")])
def test_a_bad_rate_is_refused(rate, words, capsys):
    with pytest.raises(SystemExit) as caught:
        read_command_line(["--rate", rate])
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_the_defaults_hold_in_every_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = read_command_line([])
    assert options.rate == 200.0
    assert options.out == Path("out/demo")
    paths = options.urdf, options.motion, options.params
    assert all(path.is_absolute() and path.is_file() for path in paths)


def test_help_says_what_paths_are_relative_to(capsys):
    with pytest.raises(SystemExit):
        read_command_line(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "Paths are relative to the current folder" in text
    assert "0.1 to 2000 Hz" in text


@dataclass(frozen=True)
class Computer:
    """Answers up to ``fastest`` states per second."""

    fastest: float
    rate: float

    def losses(self) -> list[str]:
        return [] if self.rate <= self.fastest else ["3 of 9 joint states were not answered"]


@pytest.mark.parametrize(("fastest", "played"), [(200.0, [200.0]), (60.0, [200.0, 100.0, 50.0])])
def test_a_motion_that_came_too_fast_is_played_at_half_the_rate(fastest, played):
    rates, written = [], StringIO()

    def play(rate):
        rates.append(rate)
        return Computer(fastest, rate)

    run = play_completely(play, 200.0, Console(file=written, width=200))
    assert rates == played
    assert run.losses() == []
    lines = written.getvalue().splitlines()
    assert len(lines) == len(played) - 1
    for line, (rate, slower) in zip(lines, pairwise(played), strict=True):
        assert line == f"at {rate:g} Hz 3 of 9 joint states were not answered: once more at {slower:g} Hz"


@pytest.mark.parametrize("stalled", [1, 2, 3])
def test_a_playing_that_stalled_is_repeated_at_the_same_rate(stalled):
    rates, written = [], StringIO()

    def play(rate):
        rates.append(rate)
        if len(rates) <= stalled:
            raise StalledError("answering the first pose took longer than 60 s")
        return Computer(1000.0, rate)

    console = Console(file=written, width=200)
    if stalled < 3:
        assert play_completely(play, 200.0, console).losses() == []
    else:
        with pytest.raises(StalledError, match="the first pose"):
            play_completely(play, 200.0, console)
    assert rates == [200.0] * min(stalled + 1, 3)
    text = "once more: answering the first pose took longer than 60 s"
    assert written.getvalue().splitlines() == [text] * min(stalled, 2)
