"""`modular-dynamics study`: what it prints and writes, and its errors in one line."""

import re

import numpy as np
import pytest

import modular_dynamics as md
from helpers.studies import FOUR_BAR, study_file
from modular_dynamics.study import Evaluator, load_study

pytestmark = pytest.mark.slow
MASS = {"mass": FOUR_BAR["inputs"]["mass"]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study file, the folder of its results, and what the run printed."""
    import io
    from contextlib import redirect_stdout

    from modular_dynamics.shell.main import main

    folder = tmp_path_factory.mktemp("study")
    path, printed = study_file(folder), io.StringIO()
    with redirect_stdout(printed):
        assert main(["study", "run", str(path), "-o", str(folder / "out"), "--workers", "1", "--quiet"]) == 0
    return path, folder / "out", printed.getvalue()


def test_a_run_says_how_many_designs_keep_everything_and_how_much_better_the_best_one_is(finished):
    _, folder, printed = finished
    assert "four_bar: 30 designs, 30 keep everything\n" in printed
    assert re.search(r"largest load: 1\.\d+ as published, 1\.\d+ of design \d+ \(-\d+\.\d %\)\n", printed)
    assert re.search(r"30 designs in \d+\.\d s, [\d,]+ designs/s, 1 workers\n", printed)
    assert f"results: {folder / 'designs.parquet'}\n" in printed


def test_a_finished_study_is_not_run_again(shell, finished):
    path, folder, _ = finished
    found = shell("study", "run", path, "-o", folder)
    assert (found.code, found.err) == (0, "")
    assert "designs/s" not in found.out


def test_the_report_has_a_table_pictures_and_a_page(shell, finished):
    _, folder, _ = finished
    found = shell("study", "report", folder, "--top", "3")
    assert (found.code, found.err) == (0, "")
    rows = [line.split() for line in found.out.splitlines() if line.startswith("  ")]
    assert rows[0] == ["design", "coupler", "mass", "motion", "largest", "mean", "score"]
    assert rows[1][0] == "published"
    assert len(rows) == 1 + 1 + 3
    assert [float(row[-1]) for row in rows[2:]] == sorted(float(row[-1]) for row in rows[2:])
    for name in ("front.png", "loads.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    page = (folder / "report.md").read_text()
    assert "| design | coupler | mass | motion | largest | mean | score |\n| --- | --: |" in page
    assert "on the same trajectory, turn: largest" in page


def test_the_urdf_of_the_best_design_has_its_loads(shell, finished, tmp_path):
    path, folder, _ = finished
    found = shell("study", "urdf", folder, "--best", "-o", tmp_path / "robot.urdf")
    assert found.code == 0
    index = int(re.match(r"design (\d+) of four_bar, for the trajectory (\w+):", found.out)[1])
    evaluator = Evaluator(load_study(path))
    trajectory = ("turn", "back")[index % 2]
    _, q, v, a = evaluator.states[trajectory]
    robot = md.load_urdf(tmp_path / "robot.urdf")
    taus = [md.inverse_dynamics(robot, *state)[0] for state in zip(q, v, a, strict=True)]
    shown = shell("study", "report", folder, "--top", "1").out
    largest = float(next(line for line in shown.splitlines() if line.startswith(f"  {index} ")).split()[4])
    assert largest == pytest.approx(np.abs(taus).max(), rel=5e-4)  # four digits are printed
    found = shell("study", "urdf", folder, "--design", "3", "-o", tmp_path / "third.urdf")
    assert found.out.startswith("design 3 of four_bar, for the trajectory back")


def test_files_that_are_read_stay(error, finished, tmp_path):
    path, folder, _ = finished
    for file in (path, path.with_name("turn.yaml"), *folder.glob("*.*")):
        if file.suffix in {".yaml", ".json", ".parquet"}:
            before = file.read_bytes()
            assert "the command reads this file" in error("study", "urdf", folder, "-o", file)
            assert file.read_bytes() == before


def test_a_urdf_that_cannot_be_written_leaves_the_older_file(error, finished, tmp_path, full_disk):
    (older := tmp_path / "robot.urdf").write_text("older", "utf-8")
    assert "No space left" in error("study", "urdf", finished[1], "-o", older)
    assert older.read_text("utf-8") == "older"


def test_designs_that_are_impossible_are_counted_and_a_study_without_a_good_one_is_a_finding(shell, tmp_path):
    inputs = {"mass": {"list": [-1, 4], "sets": "link output mass"}}
    path = study_file(tmp_path, inputs=inputs, keep={"sine": 0.9999})
    found = shell("study", "run", path, "-o", tmp_path / "out", "--workers", "1", "--quiet")
    assert (found.code, found.err) == (1, "")
    assert "2 designs, 0 keep everything" in found.out
    assert "numbers that no robot can have 1, too near to a singular configuration 1" in found.out
    found = shell("study", "report", tmp_path / "out")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "no design of 'four_bar' keeps everything" in found.err
    found = shell("study", "urdf", tmp_path / "out", "-o", tmp_path / "x.urdf")
    assert "--design INDEX chooses one" in found.err


def test_errors_take_one_line(error, finished, tmp_path):
    path, folder, _ = finished
    assert "arguments are required: -o/--output" in error("study", "run", path)
    assert "no study file at" in error("study", "run", tmp_path / "none.yaml", "-o", tmp_path / "out")
    assert "--workers: '0' is no whole number from 1 to 1024" in error(
        "study", "run", path, "-o", tmp_path, "--workers", "0"
    )
    assert "a scheduler has its own" in error(
        "study", "run", path, "-o", tmp_path, "--workers", "1", "--scheduler", "tcp://a:1"
    )
    assert "holds no study" in error("study", "report", tmp_path / "nowhere")
    assert "--top: '0' is no whole number from 1" in error("study", "report", folder, "--top", "0")
    assert "arguments are required: -o/--output" in error("study", "urdf", folder)
    assert "designs 0 to 29" in error("study", "urdf", folder, "--design", "30", "-o", tmp_path / "a.urdf")
    out = ("-o", tmp_path / "out")
    for action, option in (
        (("report", folder), "--workers=2"),
        (("urdf", folder, *out), "--top=3"),
        (("run", path, *out), "--best"),
    ):
        assert f"unknown arguments: {option}" in error("study", *action, option)
    assert "another version of the study" in error(
        "study", "run", study_file(tmp_path, inputs=MASS), "-o", folder
    )
    (tmp_path / "file").write_text("")
    assert "cannot be made: Not a directory" in error("study", "run", path, "-o", tmp_path / "file/out")
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:1'" in error(
        "study", "run", path, "-o", tmp_path / "other", "--scheduler", "tcp://127.0.0.1:1"
    )
