"""Incidence matrices: constant values, equal by what they hold, printed as Fig. 5."""

import copy
import pickle

import numpy as np
import pytest

from helpers.paths import ROOT
from helpers.robots.paper_organism import FACES, organism
from modular_dynamics import modular
from modular_dynamics.modular import IncidenceMatrix

PAGE = (ROOT / "docs/modular_incidence.md").read_text("utf-8")
FIGURE_5 = """\
        e1  e2  e3  e4  e5  e6  e7  e8
v0       3   0   5   0   0   2   0   0  B
v1       2   5   0   0   0   0   0   0  B
v2       0   3   0   0   0   0   0   0  B
v3       0   0   2   4   0   0   0   0  B
v4       0   0   0   3   5   0   0   0  B
v5       0   0   0   0   2   0   0   0  B
v6       0   0   0   0   0   5   4   0  B
v7       0   0   0   0   0   0   2   4  B
v8       0   0   0   0   0   0   0   5  B
Joints  DO  DO  DS  DP  DS  DS  DO  DO"""


def test_it_prints_as_figure_5():
    assert str(organism().incidence_matrix()) == FIGURE_5
    assert FIGURE_5 in PAGE


def test_kinds_with_the_same_initial_are_printed_in_full_and_turns_where_there_are_some():
    assembly = modular.Assembly(base=("v0", "backbone")).dock("v0", 3, "v1", 4, kind="block", turn=2)
    assert str(assembly.incidence_matrix()).splitlines() == [
        "        e1",
        "v0       3  backbone",
        "v1       4     block",
        "Joints   -",
        "Turns    2",
    ]
    scout = assembly.undock("v1").dock("v0", 3, "v1", 4, kind="scout").incidence_matrix()
    assert str(scout).splitlines()[1:3] == ["v0       3  B", "v1       4  S"]


def test_the_page_shows_files_as_they_are_written():
    snake = modular.Assembly(base=("head", "backbone")).dock("head", 4, "body", 3, kind="scout")
    aim = snake.dock("body", 4, "tail", 3, kind="block", turn=1).incidence_matrix()
    assert f"```yaml\n{aim.to_yaml()}```" in PAGE


def test_it_is_constant():
    given = np.array(FACES)
    aim = IncidenceMatrix(given, ["backbone"] * 9)
    given[0, 0] = 4
    assert aim.matrix[0, 0] == 3
    with pytest.raises(ValueError, match="read-only"):
        aim.matrix[0, 0] = 4
    with pytest.raises(AttributeError):
        aim.base = "v1"
    for twin in (pickle.loads(pickle.dumps(aim)), copy.deepcopy(aim), copy.copy(aim)):
        assert twin == aim
        assert not twin.matrix.flags.writeable


@pytest.mark.parametrize(
    "changed",
    [
        {"matrix": [[3], [5]]},
        {"kinds": ("scout", "block")},
        {"modules": ("v0", "v2")},
        {"docking_types": None},
        {"turns": (1,)},
        {"docks": ("dock",)},
        {"base": "v1"},
    ],
)
def test_equal_matrices_have_all_in_common(changed):
    values = {"matrix": [[3], [4]], "kinds": ("scout", "scout"), "docking_types": ("DP",)}
    aim = IncidenceMatrix(**values)
    assert aim == IncidenceMatrix(**values)
    assert hash(aim) == hash(IncidenceMatrix(**values))
    assert aim != IncidenceMatrix(**{**values, **changed})
    assert aim != "a matrix"
