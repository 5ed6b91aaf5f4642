"""What a paper's command prints, writes and returns."""

import argparse
import json

import numpy as np
import pytest

from papers.report import Cell, Report


@pytest.mark.parametrize(
    ("cell", "passed"),
    [
        (Cell("t", "w", 1.02, 1.0, 0.03), True),
        (Cell("t", "w", 1.02, 1.0, 0.01), False),
        (Cell("t", "w", float("nan"), 1.0, 0.01), False),
        (Cell("t", "w", -1e-9, None, 1e-8), True),
        (Cell("t", "w", "1 2", "1 2"), True),
        (Cell("t", "w", "1 2", "1 3"), False),
        (Cell("t", "w", 5.0, 1.0), None),
    ],
)
def test_verdicts(cell, passed):
    assert cell.passed is passed


def test_a_number_out_of_its_bound_fails_the_command(tmp_path, capsys):
    report = Report.from_command_line("silva", "A paper", "about", ["--out", str(tmp_path / "new")])
    report.add("Table [N m]", "first [rad]", 1.0, 1.0, 0.1)
    assert report.finish() == 0
    report.add("Table [N m]", "second", 2.0, 1.0, 0.1)
    assert report.finish() == 1
    manifest = json.loads((tmp_path / "new/manifest.json").read_text())
    assert [cell["passed"] for cell in manifest["cells"]] == [True, False]
    assert manifest["commit"]
    printed = capsys.readouterr().out
    assert "first [rad]" in printed
    assert "1 of 2 numbers within their bounds" in printed


def test_curves_and_options(tmp_path, capsys):
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--mass", type=float)
    words = ["--mass", "2", "--out", str(tmp_path)]
    report = Report.from_command_line("kumar", "A paper", "about", words, [options])
    columns = {"time [s]": np.array([0.0, 0.5]), "torque [N m]": np.array([1.0 / 3.0, -2e-12])}
    report.write_csv("curve.csv", columns)
    assert report.finish() == 0
    text = (tmp_path / "curve.csv").read_text()
    assert text.startswith("time [s],torque [N m]\n0,0.33333")
    rows = np.loadtxt(tmp_path / "curve.csv", delimiter=",", skiprows=1)
    assert rows == pytest.approx(np.column_stack([*columns.values()]), rel=1e-9)
    assert json.loads((tmp_path / "manifest.json").read_text())["tables"] == ["curve.csv"]
    assert "Written to" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        Report.from_command_line("kumar", "A paper", "about", [*words, "--colour", "red"], [options])


def test_a_command_may_have_options_of_its_own(tmp_path, capsys):
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--full", action="store_true", help="compute all")
    words = ["--full", "--out", str(tmp_path / "new")]
    assert Report.from_command_line("silva", "A paper", "about", words, [own]).out == tmp_path / "new"
    with pytest.raises(SystemExit):
        Report.from_command_line("silva", "A paper", "about", ["--help"], [own])
    assert "compute all" in capsys.readouterr().out
