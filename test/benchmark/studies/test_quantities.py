"""The table of differences from Pinocchio: the robots here, a wrong number, files that are no robots."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.studies import quantities
from helpers.paths import ROBOTS


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "below").mkdir()
    for name in ("vendor_arm", "four_link"):
        (tmp_path / "below" / f"{name}.urdf").write_text((ROBOTS / f"{name}.urdf").read_text())
    return tmp_path


def test_our_robots_agree(folder, capsys):
    assert quantities.main([str(folder)]) == 0
    printed = capsys.readouterr().out
    # the second one cannot float: its base has no mass, so that accelerations are not determined
    assert "3 of 4 robots" in printed
    assert "left out 1: StateError: four_link.urdf: joint 'root_joint' moves no inertia" in printed
    assert "no" not in {row.split()[-1] for row in printed.splitlines() if "1e-" in row}


def test_a_wrong_number_is_shown(folder, capsys, monkeypatch):
    monkeypatch.setattr(md, "kinetic_energy", lambda graph, q, v: np.nan)
    assert quantities.main([str(folder)]) == 1
    (row,) = [row for row in capsys.readouterr().out.splitlines() if "kinetic" in row]
    assert "nan" in row
    assert row.split()[-1] == "no"


def test_files_that_are_no_robots_are_named(tmp_path, capsys):
    (tmp_path / "empty.urdf").write_text("<robot/>")
    assert quantities.main([str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "0 of 2 robots" in printed
    assert "left out 2: UrdfError: empty.urdf" in printed
