"""What is refused before a launch starts anything."""

import pytest

from helpers.paths import ROOT
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.launch_checks import checked_namespace, checked_topic, require_parameters

pytestmark = pytest.mark.ros
NODE = "/dynamics_node"


@pytest.mark.parametrize("name", ["joint_states", "/joint_states", "arm/joint_states", "~/effort_commands"])
def test_topics(name):
    assert checked_topic("joint_states", name) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("joint states", "must not contain characters"),
        ("/a//b", "must not contain repeated '/'"),
        ("/effort-controller/commands", "must not contain characters"),
        ("/arm/", "must not end with"),
        ("1a", "must not start with a number"),
    ],
)
def test_names_that_are_no_topics_are_refused_with_their_argument(name, words):
    with pytest.raises(ValueError, match=f"launch argument reference is '{name}': .*{words}"):
        checked_topic("reference", name)


def test_namespaces():
    names = {"": "", "/": "", "left": "/left", "/left/arm/": "/left/arm"}
    assert {name: checked_namespace(name) for name in names} == names
    for name in ("1left", "left-arm", "a//b"):
        with pytest.raises(ValueError, match=f"launch argument namespace is '{name}': namespace must not"):
            checked_namespace(name)


def required(tmp_path, text, node=NODE, executable="dynamics_node", **same):
    path = tmp_path / "params.yaml"
    path.write_text(text)
    return require_parameters(str(path), node, executable, same)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("{on_stale: hold}", "on_stale must be one of"),
        (
            "{gravity: [0.0, 0.0, -1]}",
            r"gravity is \[0.0, 0.0, -1\]: ROS takes numbers of one kind in a list",
        ),
        ("{rate: -1.0}", "rate must"),
        ("{rate: fast}", "rate must be a number, not 'fast'"),
        ("{gravity: [0, 0, -9.8e0]}", "ROS takes numbers of one kind in a list"),
        ("{autostart: 1}", "autostart must be true or false, not 1"),
        ("{rate: ", "is no YAML"),
        (
            "{autostart: false}",
            "sets autostart to False for /dynamics_node, and the launch argument autostart is True: set only",
        ),
        (
            "{frame_prefix: left/}",
            "sets frame_prefix to 'left/' .* and the launch argument frame_prefix is ''",
        ),
        ("{xacro_arguments: ['a:=1']}", r"the launch argument xacro_arguments is \[\]"),
    ],
)
def test_values_that_would_end_the_node_or_contradict_arguments_are_refused(tmp_path, values, words):
    same = {"autostart": True, "frame_prefix": "", "use_sim_time": False, "xacro_arguments": []}
    with pytest.raises(ParameterError, match=words) as raised:
        required(tmp_path, f"/**:\n  ros__parameters: {values}\n", **same)
    assert str(raised.value).startswith(f"launch argument params_file: '{tmp_path}/params.yaml'")


@pytest.mark.parametrize(
    "values",
    [
        "{rate: 1e2}",
        "{rate: 100}",
        "{gravity: [0, 0, -1]}",
        "{gravity: [0.0, 0.0, -9.8e0]}",
        "{autostart: true}",
        "{unknown: [1]}",
        "{}",
    ],
)
def test_good_values_pass(tmp_path, values):
    assert required(tmp_path, f"dynamics_node:\n  ros__parameters: {values}\n", autostart=True) == ""


def test_a_file_that_is_not_about_the_node_is_said(tmp_path):
    text = "dynamics_node:\n  ros__parameters: {rate: 1.0}\n"
    said = required(tmp_path, text, node="/left/dynamics_node")
    assert "no parameters of the node '/left/dynamics_node', but of '/dynamics_node'" in said
    assert "a section /**: is for all nodes" in said


@pytest.mark.parametrize("text", ["", "# rate: 1.0\n"])
def test_an_empty_file_is_said_and_no_error_as_for_ros(tmp_path, text):
    assert "has no parameters: sections NODE" in required(tmp_path, text)
    with pytest.raises(ParameterError, match="has no parameters: sections NODE"):
        required(tmp_path, "dynamics_node: {rate: 1.0}")


@pytest.mark.parametrize(
    ("file", "nodes"),
    [
        ("dynamics", ["dynamics_node"]),
        ("charmie", ["dynamics_node", "joint_state_player"]),
        ("charmie_torso", ["dynamics_node", "joint_state_player", "torso_reaction_node"]),
        ("modular_assembly", ["assembly_node", "dynamics_node"]),
        ("subsystems", ["subsystem_node"]),
    ],
)
@pytest.mark.parametrize("namespace", ["", "/left"])
def test_the_files_that_come_with_the_launch_files_are_good(file, nodes, namespace):
    same = {"autostart": True, "frame_prefix": "", "use_sim_time": False}
    for node in nodes:
        path = str(ROOT / f"config/{file}.yaml")
        assert require_parameters(path, f"{namespace}/{node}", node, same) == ""
