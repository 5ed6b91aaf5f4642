"""Modules in timor-python's JSON, read from a file of our own in that format (own_modules.json)."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.timor_chains import Chain
from helpers.wrong_values import WRONG, at, changed, leaves, mappings
from modular_dynamics import modular
from modular_dynamics.algebra import to_rotation_translation

FILE = Path(__file__).with_name("own_modules.json")
MODULES = json.loads(FILE.read_text("utf-8"))
FORWARD = (
    ["foot", "elbow", "lift", "elbow", "hand"],
    [("top", "in"), ("out", "in"), ("out", "in"), ("out", "in")],
)
#: The first elbow is entered at its joint's child.
BACKWARD = (["foot", "turned", "lift", "hand"], [("top", "out"), ("in", "in"), ("out", "in")])


def with_turned():
    """The modules of the file, and an elbow whose connectors have the other gender."""
    turned = copy.deepcopy(MODULES[1])
    turned["header"]["ID"] = "turned"
    for body in turned["bodies"]:
        for connector in body["connectors"]:
            connector["gender"] = {"m": "f", "f": "m"}[connector["gender"]]
    return [*MODULES, turned]


def assembled(names, links):
    types = modular.read_timor_modules(with_turned())
    assembly = modular.Assembly(base=("m0", names[0]), types=types)
    for k, (theirs, own) in enumerate(links):
        assembly = assembly.dock(f"m{k}", theirs, f"m{k + 1}", own, kind=names[k + 1])
    return assembly


def matrix(x):
    H = np.eye(4)
    H[:3, :3], H[:3, 3] = to_rotation_translation(x)
    return H


def port_poses(assembly, graph, q):
    """World poses (4, 4) of all ports, by (module's index, port)."""
    moving = {joint.child_link: joint for joint in graph.joints}
    for k, (module, kind) in enumerate(assembly.kinds.items()):
        origins = {f"{module}/{joint.name}": joint.origin for joint in kind.joints}
        for port in kind.ports.values():
            link = f"{module}/{port.body}"
            H = matrix(port.x_module_port)
            if link in moving:  # its frame has the module's axes, and its origin on the joint's axis
                H[:3, 3] -= origins[moving[link].name]
            yield (k, port.name), matrix(md.frame_pose(graph, q, link)) @ H


@pytest.mark.parametrize("chain", [FORWARD, BACKWARD], ids=["forward", "backward"])
def test_ports_are_where_the_format_says(chain):
    reference, assembly = Chain(with_turned(), *chain), assembled(*chain)
    graph = assembly.graph()
    for q in np.random.default_rng(0).uniform(-1.0, 1.0, (5, graph.nq)):
        expected = reference.poses(q)
        for (k, port), H in port_poses(assembly, graph, q):
            body, pose = reference.connector(chain[0][k], port)
            # the rounding of a dozen products of the file's matrices, which are rotations to 1e-15
            np.testing.assert_allclose(H, expected[k, body] @ pose, atol=1e-13)


@pytest.mark.parametrize("chain", [FORWARD, BACKWARD], ids=["forward", "backward"])
def test_torques_are_those_of_pinocchios_model_of_the_file(chain):
    pin = pytest.importorskip("pinocchio")
    model, graph = Chain(with_turned(), *chain).pinocchio(), assembled(*chain).graph()
    data = model.createData()
    assert [name.split(".")[1] for name in model.names[1:]] == [
        name.split("/")[1] for name in graph.joint_names
    ]
    for q, v, a in np.random.default_rng(1).uniform(-2.0, 2.0, (5, 3, graph.nv)):
        tau = md.inverse_dynamics(graph, q, v, a)
        np.testing.assert_allclose(tau, pin.rnea(model, data, q, v, a), rtol=1e-11, atol=1e-11)


def test_the_base_connector_looks_into_the_ground():
    foot = modular.read_timor_modules(FILE)["foot"]
    np.testing.assert_allclose(
        matrix(foot.ports["ground"].x_module_port), np.diag([1, -1, -1, 1]), atol=1e-15
    )
    assert (foot.ports["ground"].kind, foot.ports["ground"].gender) == ("base", "f")


def test_what_a_joint_has():
    elbow, lift = (modular.read_timor_modules(FILE)[name] for name in ("elbow", "lift"))
    (bend,), (slide,) = elbow.joints, lift.joints
    assert bend.armature == pytest.approx(50.0**2 * 3e-5, rel=1e-15)
    assert (bend.friction, bend.damping) == (0.4, 0.7)
    assert bend.limits == md.model.Limits(-2.5, 2.5, 60.0, 3.0)
    assert slide.limits == md.model.Limits(0.0, 0.15)  # infinite ones are none


def test_fixed_joints_make_one_body():
    elbow = modular.read_timor_modules(FILE)["elbow"]
    assert list(elbow.bodies) == ["housing", "arm"]
    assert elbow.bodies["housing"].mass == pytest.approx(1.2 + 0.3, rel=1e-15)
    assert [shape.kind for shape in elbow.bodies["housing"].shapes] == ["cylinder", "cylinder"]
    apart = with_turned()[1]
    poses = Chain([apart, *MODULES], ["foot", "elbow"], [("top", "in")]).poses([0.0])
    H = np.linalg.inv(poses[1, "housing"]) @ poses[1, "cover"]
    both = 1.2 * np.array([0.01, 0.02, 0.03]) + 0.3 * (H[:3, :3] @ [0.0, 0.005, 0.0] + H[:3, 3])
    np.testing.assert_allclose(elbow.bodies["housing"].com, both / 1.5, atol=1e-15)


def test_modules_may_stand_under_a_key_or_be_text_or_one(tmp_path):
    types = modular.read_timor_modules(FILE)
    assert modular.read_timor_modules({"modules": MODULES}) == types
    assert modular.read_timor_modules(json.dumps(MODULES, indent=1)) == types
    assert modular.read_timor_modules(MODULES[3]) == {"hand": types["hand"]}


def test_they_are_the_same_as_yaml():
    for kind in modular.read_timor_modules(FILE).values():
        assert modular.read_module_type(kind.to_yaml()) == kind


def test_genders_and_kinds_of_connectors_must_fit():
    types = modular.read_timor_modules(FILE)
    assembly = modular.Assembly(base=("a", "foot"), types=types)
    with pytest.raises(md.exceptions.AssemblyError, match="their genders are m and m"):
        assembly.dock("a", "top", "b", "out", kind="elbow")
    with pytest.raises(md.exceptions.AssemblyError, match="their kinds are 'flange' and 'base'"):
        assembly.dock("a", "top", "b", "ground", kind="foot")


def is_right(path, wrong):
    """Whether a value of WRONG is right at that place."""
    key = path[-1]
    if "header" in path:
        return key != "ID"
    if path[-2:] in {
        ("limits", "positionUpper"),
        ("limits", "peakTorque"),
        ("limits", "velocity"),
        ("limits", "acceleration"),
    }:
        return wrong == float("inf")
    if key == "positionLower":
        return wrong == -float("inf")
    return (key == "type" and "connectors" in path and isinstance(wrong, str)) or (
        key == "type" and "collision" in path
    )


def test_no_wrong_value_is_loaded():
    for module in MODULES:
        for path in leaves(module):
            in_matrix = all(isinstance(key, int) for key in path[-2:])
            for wrong in (None, "no such", float("nan")) if in_matrix else WRONG:
                if not is_right(path, wrong):
                    with pytest.raises(md.ModularDynamicsError):
                        print(path, wrong, modular.read_timor_modules(changed(module, path, wrong)))


def test_unknown_keys_are_errors_in_every_mapping():
    for path in mappings(MODULES):
        if "collision" not in path:
            twin = copy.deepcopy(MODULES)
            at(twin, path)["misspelt"] = 1.0
            with pytest.raises(md.exceptions.DescriptionError, match="misspelt is an unknown key; known: "):
                modular.read_timor_modules(twin)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"mass": 1.2', '"mass": -1.2', "elbow/bodies/housing/mass is -1.2; a finite number of at least 0"),
        ('"mass": 1.2', '"mass": 1.2, "mass": 2', "the key 'mass' stands twice"),
        (
            '"parent": "cover"',
            '"parent": "lid"',
            "elbow/joints/bend/parent is 'lid'; one of housing, cover, arm",
        ),
        ('"passive": false', '"passive": true', "elbow/joints/screws/passive is true; .* not supported"),
        (
            '"child": "cover"',
            '"child": "housing"',
            "joints/screws/child is 'housing'; another body than the parent is needed",
        ),
        (
            '"size": [0.06]',
            '"size": ["M6"]',
            "foot/bodies/plate/connectors/ground/size contains the text 'M6'",
        ),
        ('"gender": "m"', '"gender": "x"', "connectors/top/gender is 'x'; one of m, f, h"),
        ('"ID": "elbow"', '"ID": "foot"', "module 1: a second module has the ID 'foot'"),
        ('"ID": "arm"', '"ID": "cover"', "ID is 'cover', as that of another of the bodies"),
        ('"ID": "out"', '"ID": "in"', "ID is 'in', as that of a connector of body housing"),
        ("[1.0, 0.0, 0.0, 0.0]", "[2.0, 0.0, 0.0, 0.0]", "has the rotation .* a rotation matrix is needed"),
        ("[0.0, 0.0, 0.0, 1.0]", "[0.0, 0.0, 0.0, 2.0]", "has the last row .*0, 0, 0, 1. is needed"),
        ('"ID": "hand",', '"ID": "hand"', "own.json, line .*: this is not JSON"),
    ],
)
def test_an_error_names_file_element_value_and_what_is_right(tmp_path, old, new, message):
    text = FILE.read_text("utf-8")
    assert old in text
    file = tmp_path / "own.json"
    file.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(md.ModularDynamicsError, match=message) as caught:
        modular.read_timor_modules(file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    "text", ["[]\n", "5\n", "{}\n", "[" * 100000 + "\n", "9" * 5000 + "\n", "[1]\n", "\n"]
)
def test_a_text_that_is_none(text):
    with pytest.raises(md.exceptions.DescriptionError):
        modular.read_timor_modules(text)
