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
    left_out = (
        "left out 1: StateError: four_link.urdf: joints 'root_joint' and 'turn' together move no inertia"
    )
    assert left_out in printed
    assert "no" not in {row.split()[-1] for row in printed.splitlines() if "1e-" in row}


def test_a_wrong_number_is_shown(folder, capsys, monkeypatch):
    monkeypatch.setattr(md, "kinetic_energy", lambda graph, q, v: np.nan)
    assert quantities.main([str(folder)]) == 1
    (row,) = [row for row in capsys.readouterr().out.splitlines() if "kinetic" in row]
    assert "nan" in row
    assert row.split()[-1] == "no"


def test_what_the_condition_of_the_mass_matrix_explains_is_accepted(capsys, monkeypatch, tmp_path):
    """At 1e8, six digits less than 2.2e-16; not in a quantity that solves nothing."""
    for condition, status, verdict in (((), 1, "no"), ((1e8,), 0, "yes"), ((1e6,), 1, "no")):
        (tmp_path / "r.urdf").write_text("<robot/>")
        pairs = [("accelerations, derivative by q", 1.0 + 1e-8, 1.0, *condition)]
        monkeypatch.setattr(quantities, "pairs_of", lambda file, floating, pairs=pairs: iter(pairs))
        assert quantities.main([str(tmp_path)]) == status
        (row,) = [row for row in capsys.readouterr().out.splitlines() if "1.0e-08" in row]
        assert row.split()[-1] == verdict


def test_files_that_are_no_robots_are_named(tmp_path, capsys):
    (tmp_path / "empty.urdf").write_text("<robot/>")
    assert quantities.main([str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "0 of 2 robots" in printed
    assert "left out 2: UrdfError: empty.urdf" in printed
