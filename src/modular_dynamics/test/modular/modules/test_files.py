"""Module types from YAML: every wrong value is an error that names file, element, value and what is right."""

from pathlib import Path

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.exceptions import DescriptionError

SHIPPED = sorted((Path(modular.__file__).parent / "modules/shipped").glob("*.yaml"))
BACKBONE, SCOUT = (next(path for path in SHIPPED if path.stem == name) for name in ("backbone", "scout"))
ARM = Path(__file__).with_name("own_arm.yaml").read_text("utf-8")


#: None of them is right where a module type has a number, a text, a list or a mapping.
WRONG = (None, True, {}, {"x": 1}, [[5]], [{}], float("nan"), float("inf"), 1e60, "", "no such")


def mutants(data):
    """Copies of lists and mappings with one value in them, also an inner one, replaced by each wrong one."""
    for key in data if isinstance(data, dict) else range(len(data)):
        inner = mutants(data[key]) if isinstance(data[key], dict | list) else ()
        for wrong in (*WRONG, *inner):
            if (key, wrong) in (("kind", "no such"), ("limits", {}), ("ports", {})):
                continue  # any text is a kind of port; there may be no limits, and no ports
            twin = data.copy()
            twin[key] = wrong
            yield twin


@pytest.mark.parametrize("text", [SCOUT.read_text("utf-8"), ARM], ids=["scout", "arm"])
def test_no_value_is_another(text):
    data = yaml.safe_load(text)
    modular.read_module_type(data)
    for wrong in mutants(data):
        with pytest.raises(md.ModularDynamicsError):
            print(wrong, modular.read_module_type(wrong))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass: 0.6", "mass: heavy", r"own\.yaml, line 10: bodies/cube/mass is 'heavy'; a finite number"),
        ("mass: 0.6", "masse: 0.6", "bodies/cube/masse is an unknown key; known: mass, com, inertia, shapes"),
        ("    mass: 0.6\n", "", "bodies/cube/mass is missing"),
        ("mass: 0.6", "mass: 0", "bodies/cube/inertia: body 'cube' has an inertia and no mass"),
        ("axis: [0, 1, 0]", "axis: [0, 0, 0]", "joints/bend: the axis of joint 'bend' .* not 0 is needed"),
        ("child: cube", "child: sphere", "joint 'bend' is between 'entry' and 'sphere'; bodies: cube"),
        ("type: revolute", "type: planar", "bend/type is 'planar'; one of revolute, continuous, prismatic"),
        ("type: revolute", "type: continuous", "joints/bend: joint 'bend' is continuous and has limits"),
        ("2: {body: cube", "2: {body: box", "ports/2/body is 'box'; one of cube is needed"),
        ("normal: [0, 1, 0]", "normal: [0, 1, 1]", "ports/2: up is not perpendicular .* is 0.707; 0 is"),
        ("normal: [0, 1, 0]", "normal: [0, 0, 0]", "ports/2: the normal is .* not 0 is needed"),
        ("3: {body", "3: {number: 2, body", "ports 2 and 3 both have the number 2"),
        ("3: {body", "2: {body", "line 23: the key '2' stands twice, first in line 22"),
        ("filled: [[0, 0, 0]]", "filled: [[0, 0.5, 0]]", "cells/filled is .*; a list of cells, each three"),
        ("name: backbone", "name: back bone", "without '/' and white space, is needed as its name"),
        ("box: [0.09, 0.09, 0.09]", "box: [0.09, 0.09]", "bodies/cube/shapes/0/box is .*; a list of 3"),
        ("root: cube", "root: {cube", "line 8: this is not YAML"),
    ],
)
def test_an_error_names_file_element_value_and_what_is_right(tmp_path, old, new, message):
    text = BACKBONE.read_text("utf-8")
    assert old in text
    file = tmp_path / "own.yaml"
    file.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DescriptionError, match=message) as caught:
        modular.read_module_type(file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("- 1\n- 2\n", "a mapping .* is needed"),
        ("name: a\nroot: a\nbodies: {}\nports: {}\n", "line 3: bodies is {}; at least one body is needed"),
        ("name: a\n---\nname: b\n", "2 module types; one for each file is needed"),
        *((source, ".") for source in (None, "", [])),
    ],
)
def test_a_source_that_is_no_module_type(source, message):
    with pytest.raises(DescriptionError, match=message):
        modular.read_module_type(source)


def test_the_values_of_a_file():
    arm = modular.read_module_type(ARM)
    hub, tip = arm.bodies["hub"], arm.bodies["tip"]
    (turn,) = arm.joints
    np.testing.assert_array_equal(
        hub.inertia, [[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]]
    )
    np.testing.assert_allclose(turn.axis, [1 / 3, 2 / 3, 2 / 3], rtol=1e-15)
    assert turn.armature == 0.075
    assert (turn.damping, turn.friction, turn.limits.effort, turn.limits.lower) == (0.7, 0.4, 3.0, None)
    assert [shape.kind for shape in tip.shapes] == ["cylinder", "sphere"]
    assert tip.shapes[0].color == (1.0, 0.0, 0.0, 1.0)
    assert {port.name: port.number for port in arm.ports.values()} == {"in": 1, "out": 7}
    rotation, position = md.algebra.to_rotation_translation(arm.ports["out"].x_module_port)
    s = np.sqrt(0.5)
    np.testing.assert_allclose(rotation, [[0, s, s], [0, -s, s], [1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(position, [0.3, 0, 0], atol=1e-16)


def test_the_shipped_types_are_cubes_of_one_edge_that_dock_at_their_faces():
    assert [path.stem for path in SHIPPED] == list(modular.shipped_types())
    assert {"backbone", "block", "scout", "slider"} <= set(modular.shipped_types())
    for kind in modular.shipped_types().values():
        assert kind.cell_size == 0.09
        assert [port.number for port in kind.ports.values()] == [2, 3, 4, 5]
