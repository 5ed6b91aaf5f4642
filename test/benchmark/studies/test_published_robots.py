"""The table of published robots: what loads, what is refused and by whom, and the exit status."""

from dataclasses import replace

import numpy as np
import pytest

from benchmark.peers.pinocchio_quantities import QUANTITIES
from benchmark.studies import published_robots
from helpers.paths import ROBOTS
from helpers.robots.urdf_text import inertial, joint, robot

pytestmark = pytest.mark.slow


def pair(mass=1, kind="continuous", effort=9):
    bodies = [
        f'<link name="{name}">{inertial(its, (0, 0, 0), np.eye(3))}</link>'
        for name, its in (("a", 1), ("b", mass))
    ]
    return robot("r", [*bodies, joint("j", kind, "a", "b", (0, 0, 0), effort=effort)])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "arm.urdf").write_text((ROBOTS / "vendor_arm.urdf").read_text())
    (tmp_path / "two.urdf").write_text(pair())
    return tmp_path


def test_robots_that_agree(folder, capsys):
    assert published_robots.main([str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "2 files: 2 loaded (0 with warnings, 0 not by Pinocchio), 0 refused" in printed
    assert printed.rstrip().endswith("; 0 failed")
    assert all(quantity.name in printed for quantity in QUANTITIES)
    assert "below/arm.urdf" in printed


def test_warnings_and_shared_refusals_are_no_failures(folder, capsys):
    (folder / "named.urdf").write_text("<robot/>")
    (folder / "effort.urdf").write_text(pair(kind="revolute", effort=-1))
    (folder / "point.urdf").write_text(pair().replace("<inertia ", "<inertiae ", 1))
    assert published_robots.main([str(folder), "--states", "1"]) == 0
    printed = capsys.readouterr().out
    assert "5 files: 4 loaded (2 with warnings, 1 not by Pinocchio), 1 refused (1 for reasons" in printed
    assert "1 missing inertia" in printed
    assert "min_effort" in printed
    assert "No name given for the robot" in printed


def test_xacro_that_pinocchio_leaves_out_is_no_failure(folder, capsys):
    pytest.importorskip("xacro")
    (folder / "left.urdf").write_text(pair().replace("</robot>", "<xacro:a/></robot>"))
    assert published_robots.main([str(folder), "--states", "1"]) == 0
    assert "no: it leaves xacro out" in capsys.readouterr().out


def test_what_pinocchio_loads_must_not_be_refused(folder, capsys):
    (folder / "negative.urdf").write_text(pair(mass=-1))
    assert published_robots.main([str(folder), "--states", "1"]) == 1
    printed = capsys.readouterr().out
    assert "negative.urdf: refused by this library alone" in printed
    assert "no: it loads" in printed


@pytest.mark.parametrize("name", [quantity.name for quantity in QUANTITIES])
def test_every_function_can_fail(folder, capsys, monkeypatch, name):
    wrong = tuple(
        replace(one, theirs=lambda *given, of=one.theirs: 1.001 * of(*given)) if one.name == name else one
        for one in QUANTITIES
    )
    monkeypatch.setattr(published_robots, "QUANTITIES", wrong)
    assert published_robots.main([str(folder), "--states", "1"]) == 1
    assert f"two.urdf: {name}" in capsys.readouterr().out


def test_an_empty_folder_is_a_failure(tmp_path, capsys):
    assert published_robots.main([str(tmp_path)]) == 1
    assert "no *.urdf below" in capsys.readouterr().out
