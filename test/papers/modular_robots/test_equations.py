"""The table of equations 1 to 39, and a robot of one's own: what passes, and that wrong numbers do not."""

import numpy as np
import pytest

from modular_dynamics import StateError, modular
from modular_dynamics.modular.equations import ClosedForm
from papers.modular_robots.equations import report_equations
from papers.modular_robots.organism import organism
from papers.modular_robots.robot import read_assembly, report_robot
from papers.report import Report


@pytest.fixture
def report(tmp_path):
    return Report("modular_robots", "A paper", tmp_path)


def test_every_equation_has_a_row_and_all_residuals_are_small(report):
    report_equations(report, organism())
    text = " ".join(cell.what for cell in report.cells)
    assert [k for k in range(1, 40) if f"({k})" not in text] == []
    assert not [cell for cell in report.cells if cell.passed is False]
    assert sum(cell.passed is True for cell in report.cells) > 40


def test_a_wrong_sign_of_gravity_fails(report, monkeypatch):
    right = ClosedForm.N
    monkeypatch.setattr(ClosedForm, "N", lambda *arguments: -right(*arguments))
    report_robot(report, organism())
    failed = {cell.what for cell in report.cells if cell.passed is False}
    assert "C v + N less nonLinearEffects" in failed
    assert "M less crba's" not in failed


@pytest.mark.parametrize("floating", [False, True])
def test_any_incidence_matrix(report, tmp_path, floating):
    """With a turn, a module without joint, and a ring, which is opened."""
    robot = modular.Assembly(base=("v0", "backbone"))
    for k in range(1, 4):
        robot = robot.dock(f"v{k - 1}", 3, f"v{k}", 2, kind="backbone")
    robot = robot.dock("v3", 3, "v0", 2).dock("v2", 4, "arm", 4, kind="block", turn=1)
    robot.incidence_matrix().to_yaml(tmp_path / "robot.yaml")
    report_robot(report, read_assembly(tmp_path / "robot.yaml"), floating_base=floating)
    assert all(cell.passed for cell in report.cells)
    assert len(report.cells) == 6
    assert any(note.startswith("IDTL") for note in report.notes)
    with pytest.raises(StateError, match="v has shape"):
        report_robot(report, robot, v=np.zeros(2))
