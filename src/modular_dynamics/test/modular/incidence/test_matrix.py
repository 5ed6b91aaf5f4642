"""Incidence matrices: constant values, equal by what they hold, printed as Fig. 5, as YAML."""

import copy
import pickle

import numpy as np
import pytest
import yaml

from helpers.paths import ROOT
from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import some
from helpers.robots.paper_organism import FACES, organism
from modular_dynamics import modular
from modular_dynamics.exceptions import AssemblyError, DescriptionError
from modular_dynamics.modular import IncidenceMatrix

PAGE = (ROOT / "docs/reference/incidence_matrices.md").read_text("utf-8")


def test_it_prints_as_figure_5_and_on_the_page():
    """The rows of the page's first table."""
    assert f"```text\n{organism().incidence_matrix()}\n```" in PAGE


def test_kinds_with_the_same_initial_are_printed_in_full_and_turns_where_there_are_some():
    assembly = modular.Assembly(base=("v0", "backbone")).dock("v0", 3, "v1", 4, kind="block", turn=2)
    lines = str(assembly.incidence_matrix()).splitlines()
    assert lines[1:3] == ["v0       3  backbone", "v1       4     block"]
    assert lines[3:] == ["Joints   -", "Turns    2"]


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


# What is no incidence matrix: each error names modules, faces and columns.


PAIR = [[3], [4]]
TWO = ("backbone", "backbone")


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([3, 4], r"shape \(2,\); \(modules, docks\)"),
        (None, r"shape \(\)"),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        ([[3, 0], [4]], "rows of equally many numbers"),
        ([[3], [[4]]], "rows of equally many numbers"),
        ([[3, 0], [4, 0]], "column 'e2' has 0 entries: none"),
        ([[3, 2], [4, 0]], "column 'e2' has 1 entries: face 2 of module 'v0'"),
        (
            [[3, 2], [4, 5], [0, 3]],
            "'e2' has 3 entries: face 2 of .*'v0', face 5 of .*'v1', face 3 of",
        ),
        ([[3, 3], [4, 0], [0, 4]], "face 3 of module 'v0' is used twice: in the columns 'e1' and 'e2'"),
        ([[3, 0], [0, 3], [4, 0], [0, 4]], "not connected; no dockings connect 'v0' with v1, v3"),
    ],
)
def test_what_is_no_matrix_of_one_robot(matrix, message):
    with pytest.raises(AssemblyError, match=message):
        IncidenceMatrix(matrix, ["block"] * len(np.atleast_1d(np.array(matrix, object))))


@pytest.mark.parametrize(
    "entry", [2.5, np.nan, np.inf, -4, "4", True, None, 4j, 10**30, 10**400, np.str_("4"), np.bool_(True)]
)
def test_an_entry_that_is_no_whole_number(entry):
    for first in (entry, 3):  # of one type, and of two
        with pytest.raises(AssemblyError, match=r"module 'v[01]', column 'e1': the entry is .*face"):
            IncidenceMatrix([[first], [entry]], TWO)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kinds": ["block"]}, "1 kinds for 2 modules"),
        ({"kinds": ["block", 3]}, "number 2 of the kinds is 3"),
        ({"kinds": 3}, "the kinds are 3; a list is needed"),
        ({"modules": ["a", "b", "c"]}, "3 names for 2 modules"),
        ({"modules": ["a", "a"]}, "two of the modules have the name 'a'"),
        ({"modules": ["a", "b/c"]}, "'b/c'"),
        ({"turns": [0, 1]}, "2 turns for 1 docks"),
        ({"turns": [4]}, "number 1 of the turns is 4; 0, 1, 2 or 3"),
        ({"turns": [True]}, "number 1 of the turns is True"),
        ({"turns": 0}, "the turns are 0; a list is needed"),
        ({"docking_types": ["DP", "DS"]}, "2 docking types for 1 docks"),
        ({"base": "v2"}, "the base is 'v2', which is none of the modules: v0, v1"),
    ],
)
def test_lists_beside_the_matrix(fields, message):
    with pytest.raises(AssemblyError, match=message):
        IncidenceMatrix(PAIR, **{"kinds": TWO, **fields})


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, object])
def test_numbers_and_names_may_be_numpys(kind):
    aim = IncidenceMatrix(np.array(PAIR, kind), np.array(TWO), np.array(["a", "b"]), turns=np.array([2]))
    assert (aim.matrix.dtype, aim.matrix.tolist()) == (np.int64, PAIR)
    assert (aim.turns, type(aim.modules[0])) == ((2,), str)
    assert IncidenceMatrix.from_yaml(aim.to_yaml()) == aim


# Incidence matrices as YAML: read as they were written, and errors that name file and line.

FILE = """\
base: v1
modules:
  v0: backbone
  v1: scout
  v2: block
docks:
  - {faces: {v0: 3, v1: 4}, type: DP}
  - {faces: {v1: 3, v2: 4}, type: "-", turn: 2}
"""


def test_a_file_is_readable():
    aim = IncidenceMatrix.from_yaml(FILE)
    assert aim.matrix.tolist() == [[3, 0], [4, 3], [0, 4]]
    assert aim.modules == ("v0", "v1", "v2")
    assert aim.kinds == ("backbone", "scout", "block")
    assert aim.docking_types == ("DP", "-")
    assert aim.turns == (0, 2)
    assert aim.base == "v1"
    assert yaml.safe_load(aim.to_yaml()) == yaml.safe_load(FILE)


def test_types_turns_and_base_may_be_missing():
    aim = IncidenceMatrix.from_yaml("modules: {a: block, b: block}\ndocks: [{faces: {b: 3, a: 4}}]\n")
    assert aim == IncidenceMatrix([[4], [3]], ("block", "block"), ("a", "b"))
    alone = IncidenceMatrix.from_yaml("modules:\n  a: block\n")
    assert alone.matrix.shape == (1, 0)
    assert IncidenceMatrix.from_yaml(alone.to_yaml()) == alone


@pytest.mark.parametrize("seed", some(range(30)))
def test_random_assemblies_come_back(seed, tmp_path):
    aim = random_assembly(seed).incidence_matrix()
    assert aim.to_yaml(tmp_path / "aim.yaml") == (tmp_path / "aim.yaml").read_text("utf-8")
    assert IncidenceMatrix.from_yaml(tmp_path / "aim.yaml") == aim
    assert IncidenceMatrix.from_yaml(str(tmp_path / "aim.yaml")) == aim
    assert IncidenceMatrix.from_yaml(aim.to_yaml()) == aim


@pytest.mark.parametrize("name", ["1", "yes", "~", "1e3", "-", "é", "'", '"', "a:", "#a", "{", "<<", "😀"])
def test_any_name_comes_back_as_text(name):
    odd = IncidenceMatrix([[3], [4]], (name, "block"), (name, "b"), (name,), base=name)
    assert IncidenceMatrix.from_yaml(odd.to_yaml()) == odd


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (FILE, "\n", "the content is None; a mapping .* is needed"),
        (FILE, "a: [\n", "line 2: this is not YAML: "),
        (FILE, "base: a\n---\nbase: b\n", "2 documents, which '---' separates; one is needed"),
        ("modules:", "module:", r"line 2: module is an unknown key; known: modules, base, docks"),
        ("  v1: scout", "  v0: scout", r"line 4: the key 'v0' stands twice, first in line 3"),
        (FILE[FILE.index("docks") :], "docks: {e1: {}}", "line 6: docks is .*; a list of mappings is needed"),
        ("  v1: scout", "  1: scout", r"line 4: modules/1 is no text; write it in quotes"),
        ("v1: scout", "v1: 3", r"line 4: modules/v1 is 3; text \(a number is written in quotes\)"),
        ("v0: 3, v1", "v9: 3, v1", r"line 7: docks/0/faces/v9 is none of the modules: v0, v1, v2"),
        ("v0: 3", "v0: 3.0", r"line 7: docks/0/faces/v0 is 3.0; a whole number"),
        ("v0: 3", "v0: -3", r"module 'v0', column 'e1': the entry is -3"),
        ("v0: 3, ", "", r"column 'e1' has 1 entries: face 4 of module 'v1'"),
        ("{faces: {v0: 3, v1: 4}, type: DP}", "{type: DP}", r"docks/0/faces is missing"),
        ("type: DP", "typ: DP", r"line 7: docks/0/typ is an unknown key; known: faces, type, turn"),
        (", type: DP", "", r"line 8: docks/1/faces: docks with and without a type"),
        ("turn: 2", "turn: 5", r"number 2 of the turns is 5"),
        ("base: v1", "base: v9", r"the base is 'v9'"),
    ],
)
def test_errors_name_file_and_line(old, new, message, tmp_path):
    assert old in FILE
    path = tmp_path / "robot.yaml"
    path.write_text(FILE.replace(old, new), "utf-8")
    with pytest.raises((AssemblyError, DescriptionError), match=message) as caught:
        IncidenceMatrix.from_yaml(path)
    assert str(caught.value).startswith(str(path))
