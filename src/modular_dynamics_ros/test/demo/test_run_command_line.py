from pathlib import Path

import pytest

from modular_dynamics_ros.demo.run import read_command_line

pytestmark = pytest.mark.ros


@pytest.mark.parametrize("rate", ["0", "-5", "nan", "inf", "1e9"])
def test_a_rate_out_of_bounds_is_refused_with_the_bounds(rate, capsys):
    with pytest.raises(SystemExit) as caught:
        read_command_line(["--rate", rate])
    assert caught.value.code == 2
    assert "rate must lie between 0.1 and 2000 Hz" in capsys.readouterr().err


def test_a_rate_that_is_no_number_is_refused(capsys):
    with pytest.raises(SystemExit):
        read_command_line(["--rate", "fast"])
    assert "'fast'" in capsys.readouterr().err


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
