from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from examples.demo.__main__ import read_command_line
from examples.demo.playing import StalledError, play_completely

pytestmark = pytest.mark.ros
LOSS, STALL = "3 of 9 joint states were not processed", "answering the first pose took longer than 60 s"


@pytest.mark.parametrize(("rate", "words"), [("0", "between 0.1 and 2000 Hz"), ("fast", "'fast'")])
def test_a_bad_rate_is_refused(rate, words, capsys):
    with pytest.raises(SystemExit) as caught:
        read_command_line(["--rate", rate])
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_the_defaults_hold_in_every_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = read_command_line([])
    assert (options.rate, options.out) == (200.0, Path("out/demo"))
    paths = options.urdf, options.motion, options.params
    assert all(path.is_absolute() and path.is_file() for path in paths)


@pytest.mark.parametrize(
    ("outcomes", "rates", "said"),
    [
        ([""], [200.0], []),
        (
            [LOSS, LOSS, LOSS],  # the last one is returned with its losses
            [200.0, 100.0, 50.0],
            [f"at {rate} Hz {LOSS}: once more at {rate // 2} Hz" for rate in (200, 100)],
        ),
        ([STALL, STALL, ""], [200.0] * 3, [f"once more: {STALL}"] * 2),
        ([STALL, STALL, STALL], [200.0] * 3, [f"once more: {STALL}"] * 2),
    ],
)
def test_a_motion_that_came_too_fast_is_played_at_half_the_rate_and_a_stalled_one_again(
    outcomes, rates, said
):
    played, written = [], StringIO()

    def play(rate):
        played.append(rate)
        if (outcome := outcomes[len(played) - 1]) == STALL:
            raise StalledError(STALL)
        return SimpleNamespace(losses=lambda: [outcome] if outcome else [])

    console = Console(file=written, width=200)
    if outcomes[-1] == STALL:
        with pytest.raises(StalledError, match="the first pose"):
            play_completely(play, 200.0, console)
    else:
        run = play_completely(play, 200.0, console)
        assert run.losses() == ([outcomes[-1]] if outcomes[-1] else [])
    assert played == rates
    assert written.getvalue().splitlines() == said
