"""Module types from YAML: every wrong value is an error that names file, element, value and what is right."""

import copy
from pathlib import Path

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROOT
from helpers.wrong_values import WRONG, at, changed, leaves, mappings
from modular_dynamics import modular

SHIPPED = sorted((Path(modular.__file__).parent / "modules/shipped").glob("*.yaml"))
NAMES = [path.stem for path in SHIPPED]
ARM = Path(__file__).with_name("own_arm.yaml").read_text("utf-8")


def content(text):
    return yaml.safe_load(text.replace("3e-5", "3.0e-5"))


def is_right(path, old, wrong):
    """Whether a value of WRONG is right at that place: some text may be any, and a size may be any list."""
    return isinstance(old, str) and wrong == "no such" and path[-1] == "kind"


@pytest.mark.parametrize("text", [*(path.read_text("utf-8") for path in SHIPPED), ARM], ids=[*NAMES, "arm"])
def test_no_wrong_value_is_loaded(text):
    data = content(text)
    modular.read_module_type(data)
    for path in leaves(data):
        old = at(data, path)
        for wrong in WRONG:
            if not is_right(path, old, wrong):
                with pytest.raises(md.ModularDynamicsError):
                    print(path, wrong, modular.read_module_type(changed(data, path, wrong)))


@pytest.mark.parametrize("text", [*(path.read_text("utf-8") for path in SHIPPED), ARM], ids=[*NAMES, "arm"])
def test_no_list_or_mapping_is_another(text):
    data = content(text)
    inner = {path[:end] for path in leaves(data) for end in range(1, len(path))}
    for path in inner:
        for wrong in (None, 5, "text", [5], {"text": 5}, [[5]], [None], [{}]):
            if path[-1] in ("size", "sphere") and wrong == [5]:
                continue  # lengths of a port, and a radius
            with pytest.raises(md.ModularDynamicsError):
                print(path, wrong, modular.read_module_type(changed(data, path, wrong)))


@pytest.mark.parametrize("path", SHIPPED, ids=NAMES)
def test_unknown_and_missing_keys_are_errors_in_every_mapping(path):
    data = content(path.read_text("utf-8"))
    optional = {
        "shapes",
        "limits",
        "size",
        "kind",
        "lower",
        "upper",
        "effort",
        "velocity",
        "cells",
        "inertia",
    }
    for place in mappings(data):
        twin = copy.deepcopy(data)
        if place not in ((), ("bodies",), ("joints",), ("ports",)):
            at(twin, place)["misspelt"] = 1.0
            with pytest.raises(md.exceptions.DescriptionError, match="misspelt is an unknown key; known: "):
                modular.read_module_type(twin)
        for key in set(at(data, place)) - optional:
            twin = copy.deepcopy(data)
            del at(twin, place)[key]
            if place != ("ports",) and (*place, key) not in {
                ("joints",),
                *(("joints", name) for name in data.get("joints", {})),
            }:
                with pytest.raises(md.exceptions.DescriptionError):
                    modular.read_module_type(twin)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass: 0.6", "mass: -0.6", "bodies/cube/mass is -0.6; a finite number of at least 0 is needed"),
        ("mass: 0.6", "mass: 6e-1x", "bodies/cube/mass is '6e-1x'; a finite number"),
        ("mass: 0.6", "mass: 1:30", "bodies/cube/mass is '1:30'; a finite number"),
        ("mass: 0.6", "mass: 010", "bodies/cube/mass is '010'; a finite number"),
        ("mass: 0.6", "masse: 0.6", "bodies/cube/masse is an unknown key; known: mass, com, inertia, shapes"),
        ("mass: 0.6", "mass: 0", "bodies/cube/inertia: body 'cube' has an inertia and no mass"),
        (
            "[0.00081, 0.00081, 0.00081, 0, 0, 0]",
            "[1, 1, 1, 2, 0, 0]",
            "bodies/cube/inertia: .*none can be negative",
        ),
        (
            "axis: [0, 1, 0]",
            "axis: [0, 0, 0]",
            r"joints/bend/axis: this axis is \[0.0, 0.0, 0.0\]; a vector that is not 0",
        ),
        (
            "axis: [0, 1, 0]",
            "axis: [0, .nan, 0]",
            r"joints/bend/axis is \[0, nan, 0\]; a list of 3 finite numbers",
        ),
        ("child: cube", "child: sphere", "joint 'bend' is between 'entry' and 'sphere'; bodies: cube"),
        (
            "type: revolute",
            "type: planar",
            "joints/bend/type is 'planar'; one of revolute, continuous, prismatic",
        ),
        ("type: revolute", "type: continuous", "joints/bend: joint 'bend' is continuous and has limits"),
        (
            "lower: -1.57",
            "lower: 9.57",
            "the lower limit of joint 'bend', 9.57.*, is above its upper limit, 1.57",
        ),
        ("2: {body: cube", "2: {body: box", "ports/2/body is 'box'; one of cube is needed"),
        (
            "normal: [0, 1, 0]",
            "normal: [0, 1, 1]",
            "ports/2/up: up is not perpendicular to the normal: .* is 0.707; 0 is needed",
        ),
        ("normal: [0, 1, 0]", "normal: [0, 0, 0]", "ports/2/normal: this vector is .* not 0 is needed"),
        (
            "size: [0.09], kind: dock}",
            "gender: w, kind: dock}",
            "ports/2/gender is 'w'; one of m, f, h is needed",
        ),
        ("3: {body", "3: {number: 2, body", "ports 2 and 3 both have the number 2"),
        ("3: {body", "2: {body", "line 23: the key '2' stands twice, first in line 22"),
        ("root: cube", "root: ball", "root is 'ball'; one of cube is needed"),
        ("root: cube", "root: cube\nroot: cube", "line 8: the key 'root' stands twice, first in line 7"),
        (
            "filled: [[0, 0, 0]]",
            "filled: [[0, 0.5, 0]]",
            "cells/filled is .*; a list of cells, each three whole numbers",
        ),
        ("name: backbone", "name: back bone", "without '/' and white space, is needed as its name"),
        (
            "box: [0.09, 0.09, 0.09]",
            "box: [0.09, 0.09]",
            r"bodies/cube/shapes/0/box is \[0.09, 0.09\]; a list of 3",
        ),
        (
            "box: [0.09, 0.09, 0.09]",
            "mesh: a.stl",
            "bodies/cube/shapes/0/mesh is an unknown key; known: box, cylinder",
        ),
        ("bodies:\n", "bodies: &all\n  again: *all\n", r"an alias \(\*\) stands in what it stands for"),
        ("root: cube", "root: {cube", "line 8: this is not YAML"),
    ],
)
def test_an_error_names_file_element_value_and_what_is_right(tmp_path, old, new, message):
    text = (SHIPPED[0]).read_text("utf-8")
    assert old in text
    file = tmp_path / "own.yaml"
    file.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(md.exceptions.DescriptionError, match=message) as caught:
        modular.read_module_type(file)
    assert str(caught.value).startswith(str(file))


def test_an_error_names_the_line(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text(SHIPPED[0].read_text("utf-8").replace("mass: 0.6", "mass: heavy"), "utf-8")
    with pytest.raises(
        md.exceptions.DescriptionError, match=r"own\.yaml, line 10: bodies/cube/mass is 'heavy'"
    ):
        modular.read_module_type(file)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "a mapping .* is needed"),
        (b"- 1\n- 2\n", "a mapping .* is needed"),
        (b"\xff\xfe\xff", "text in UTF-16"),
        (b"\xff\xff", "no text"),
        (b"a: [" * 5000, "nested too deeply|not YAML"),
        (b"name: !!python/object/apply:os.getcwd []\n", "not YAML"),
        (b"\x00\x01", "not YAML"),
        (b"name: !!bool x\n", "not YAML"),
        (b"name: !!timestamp x\n", "not YAML"),
        (b"name: !!int ''\n", "not YAML"),
        (
            b"name: &all {name: *all}\nroot: a\nbodies: {}\nports: {}\n",
            r"line 1: an alias \(\*\) stands in what it stands for",
        ),
        (b"name: a\nroot: a\nbodies: {}\nports: {}\n", "line 3: bodies is {}; at least one body is needed"),
        (b"<<: {name: a}\n", "<< is an unknown key"),
        (b"name: a\n---\nname: b\n", "2 module types; read_module_types"),
        (b"? [1, 2]\n: 3\n", "not YAML"),
        (b"mass: " + b"9" * 5000, "not YAML|unknown key"),
    ],
)
def test_a_file_that_is_none(tmp_path, raw, message):
    file = tmp_path / "own.yaml"
    file.write_bytes(raw)
    with pytest.raises(md.exceptions.DescriptionError, match=message):
        modular.read_module_type(file)


@pytest.mark.parametrize(
    "source", [None, 5, "", "nowhere.yaml", "a\0b", "x" * 5000, [], b"name: a\n", "a: 1\nb"]
)
@pytest.mark.parametrize("read", [modular.read_module_type, modular.read_module_types])
def test_a_source_that_is_none(read, source):
    with pytest.raises(md.exceptions.DescriptionError):
        read(source)


def test_a_folder_is_no_file_and_an_empty_one_holds_no_types(tmp_path):
    with pytest.raises(md.exceptions.DescriptionError, match=r"no file of .*, which is a folder"):
        modular.read_module_type(tmp_path)
    with pytest.raises(md.exceptions.DescriptionError, match="no file that ends with"):
        modular.read_module_types(tmp_path)


def test_several_types_in_a_folder_and_in_a_file(tmp_path):
    types = modular.read_module_types(SHIPPED[0].parent)
    assert types == dict(modular.shipped_types())
    file = tmp_path / "all.yaml"
    file.write_text("---\n".join(path.read_text("utf-8") for path in SHIPPED), "utf-8")
    assert modular.read_module_types(file) == types
    (tmp_path / "again.yml").write_text(SHIPPED[-2].read_text("utf-8"), "utf-8")
    with pytest.raises(
        md.exceptions.DescriptionError, match=r"all\.yaml: a second module type .scout.*again\.yml"
    ):
        modular.read_module_types(tmp_path)


def test_the_values_of_a_file():
    arm = modular.read_module_type(ARM)
    hub, tip = arm.bodies["hub"], arm.bodies["tip"]
    (turn,) = arm.joints
    np.testing.assert_array_equal(
        hub.inertia, [[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]]
    )
    np.testing.assert_allclose(turn.axis, [1 / 3, 2 / 3, 2 / 3], rtol=1e-15)
    assert turn.armature == pytest.approx(50**2 * 3e-5, rel=1e-15)
    assert (turn.damping, turn.friction, turn.limits.effort, turn.limits.lower) == (0.7, 0.4, 3.0, None)
    assert [shape.kind for shape in tip.shapes] == ["cylinder", "sphere"]
    assert tip.shapes[0].color == (1.0, 0.0, 0.0, 1.0)
    assert {port.name: port.number for port in arm.ports.values()} == {"in": 1, "out": 7}
    rotation, position = md.algebra.to_rotation_translation(arm.ports["out"].x_module_port)
    s = np.sqrt(0.5)
    np.testing.assert_allclose(rotation, [[0, s, s], [0, -s, s], [1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(position, [0.3, 0, 0], atol=1e-16)


def test_an_inertia_that_breaks_the_triangle_inequality_is_a_warning():
    data = content(ARM)
    data["bodies"]["hub"]["inertia"] = [1, 1, 3, 0, 0, 0]
    with pytest.warns(md.exceptions.ModelWarning, match="body 'hub' breaks the triangle inequality"):
        modular.read_module_type(data)


# The shipped module types, also where the package is built and installed.


def test_each_file_holds_the_type_of_its_name():
    assert [path.stem for path in SHIPPED] == list(modular.shipped_types())
    assert {"backbone", "block", "scout", "slider"} <= set(modular.shipped_types())


def test_cubes_of_one_edge_dock_at_their_faces():
    for kind in modular.shipped_types().values():
        assert kind.cell_size == 0.09
        assert [port.number for port in kind.ports.values()] == [2, 3, 4, 5]


def test_the_files_are_in_what_is_installed():
    sources = (ROOT / "src/modular_dynamics/modular_dynamics/modular/modules/shipped").glob("*.yaml")
    assert [path.name for path in SHIPPED] == sorted(path.name for path in sources)
