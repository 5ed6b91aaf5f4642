"""Incidence matrices as YAML: read as they were written, and errors that name file and line."""

import pytest
import yaml

from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import some
from modular_dynamics.exceptions import AssemblyError, DescriptionError
from modular_dynamics.modular import IncidenceMatrix

PAIR = """\
base: v1
modules:
  v0: backbone
  v1: scout
  v2: block
docks:
  e1: {faces: {v0: 3, v1: 4}, type: DP}
  e2: {faces: {v1: 3, v2: 4}, type: "-", turn: 2}
"""


def test_a_file_is_readable():
    aim = IncidenceMatrix.from_yaml(PAIR)
    assert aim.matrix.tolist() == [[3, 0], [4, 3], [0, 4]]
    assert aim.modules == ("v0", "v1", "v2")
    assert aim.kinds == ("backbone", "scout", "block")
    assert aim.docking_types == ("DP", "-")
    assert aim.turns == (0, 2)
    assert aim.base == "v1"
    assert yaml.safe_load(aim.to_yaml()) == yaml.safe_load(PAIR)


def test_types_turns_and_base_may_be_missing():
    text = "modules: {a: block, b: block}\ndocks: {x: {faces: {b: 3, a: 4}}}\n"
    aim = IncidenceMatrix.from_yaml(text)
    assert aim == IncidenceMatrix([[4], [3]], ("block", "block"), ("a", "b"), docks=("x",))
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
    odd = IncidenceMatrix([[3], [4]], (name, "block"), (name, "b"), (name,), docks=(name,), base=name)
    assert IncidenceMatrix.from_yaml(odd.to_yaml()) == odd


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (PAIR, "\n", "the content is None; a mapping .* is needed"),
        (PAIR, "a: [\n", "line 2: this is not YAML: "),
        (PAIR, "base: a\n---\nbase: b\n", "2 documents, which '---' separates; one is needed"),
        ("modules:", "module:", r"line 2: module is an unknown key; known: modules, base, docks"),
        ("  v1: scout", "  v0: scout", r"line 4: the key 'v0' stands twice, first in line 3"),
        ("  v1: scout", "  1: scout", r"line 4: modules/1 is no text; write it in quotes"),
        ("v1: scout", "v1: 3", r"line 4: modules/v1 is 3; text \(a number is written in quotes\)"),
        ("v0: 3, v1", "v9: 3, v1", r"line 7: docks/e1/faces/v9 is none of the modules: v0, v1, v2"),
        ("v0: 3", "v0: 3.0", r"line 7: docks/e1/faces/v0 is 3.0; a whole number"),
        ("v0: 3", "v0: -3", r"module 'v0', column 'e1': the entry is -3"),
        ("v0: 3, ", "", r"column 'e1' has 1 entries: face 4 of module 'v1'"),
        ("{faces: {v0: 3, v1: 4}, type: DP}", "{type: DP}", r"docks/e1/faces is missing"),
        ("type: DP", "typ: DP", r"line 7: docks/e1/typ is an unknown key; known: faces, type, turn"),
        (", type: DP", "", r"line 8: docks/e2: docks with and without a type"),
        ("turn: 2", "turn: 5", r"column 'e2': the turn is 5"),
        ("base: v1", "base: v9", r"the base is 'v9'"),
    ],
)
def test_errors_name_file_and_line(old, new, message, tmp_path):
    assert old in PAIR
    path = tmp_path / "robot.yaml"
    path.write_text(PAIR.replace(old, new), "utf-8")
    with pytest.raises((AssemblyError, DescriptionError), match=message) as caught:
        IncidenceMatrix.from_yaml(path)
    assert str(caught.value).startswith(str(path))
