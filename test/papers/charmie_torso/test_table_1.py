"""Table 1 beside a URDF: another number is noticed."""

import pytest

from helpers.robots.charmie_torso import URDF
from papers.charmie_torso.table_1 import add_table_1
from papers.report import Report


def verdicts(urdf, folder):
    report = Report("charmie_torso", "title", folder)
    add_table_1(report, urdf)
    return {cell.what: cell.passed for cell in report.cells}


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ('iyz="-0.05186"', 'iyz="0.05186"', "3"),
        ('<origin xyz="-0.2 0.003 0.46"', '<origin xyz="-0.21 0.003 0.46"', "6b = 6a"),
        ('<mass value="0.7"/>', '<mass value="0.71"/>', "8c"),
    ],
)
def test_a_number_of_the_robot_that_differs_from_the_paper_is_noticed(tmp_path, old, new, body):
    assert URDF.count(old) == 1
    found = verdicts(URDF, tmp_path)
    assert len(found) == 16
    assert set(found.values()) == {True}
    changed = verdicts(URDF.replace(old, new), tmp_path)
    assert [what for what, passed in changed.items() if not passed] == [f"body {body}"]
