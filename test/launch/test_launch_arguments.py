"""Arguments of the launch files: all described; bad ones refused by name before anything starts."""

from pathlib import Path

import pytest
from launch.launch_description_sources import get_launch_description_from_python_launch_file

from helpers.nodes.launch_probe import CHARMIE, SHARE
from launch import LaunchContext, LaunchDescription
from modular_dynamics.exceptions import UrdfError
from modular_dynamics_ros.exceptions import RobotError

LAUNCH_FILES = sorted((SHARE / "launch").glob("*.launch.py"))


def description(name: str) -> LaunchDescription:
    """Launch description of an installed launch file."""
    return get_launch_description_from_python_launch_file(str(SHARE / "launch" / name))


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_every_argument_is_described(path: Path) -> None:
    """`ros2 launch ... --show-args` says what each argument is."""
    arguments = description(path.name).get_launch_arguments()
    assert arguments
    assert [a.name for a in arguments if a.description in ("", "no description given")] == []


def test_launch_files_are_installed() -> None:
    """The tests above see the files that a user starts."""
    names = ["charmie_demo", "charmie_torso", "dynamics", "modular_assembly"]
    assert [path.name for path in LAUNCH_FILES] == [f"{name}.launch.py" for name in names]


def test_quick_discovery_is_for_our_nodes_alone_and_on_request() -> None:
    """Only dynamics_node gets the profile, and nobody by default."""
    for value, expected in (("false", {}), ("true", {"dynamics_node"})):
        context = LaunchContext()
        context.launch_configurations.update({"urdf": str(CHARMIE), "quick_discovery": value})
        entities = description("dynamics.launch.py").entities
        for entity in entities[:-1]:
            entity.visit(context)
        with_profile = set()
        for node in entities[-1].visit(context)[:-1]:
            variables = [name[0].perform(context) for name, _ in node.additional_env or []]
            if "FASTRTPS_DEFAULT_PROFILES_FILE" in variables:
                with_profile.add(node.node_executable)
        assert with_profile == set(expected)


BAD = [
    ({"xacro_arguments": "name=1"}, RobotError, "xacro_arguments has 'name=1'; name:=value is needed"),
    ({"xacro_arguments": "name:=1"}, UrdfError, "mappings are given .name., but .* has no xacro elements"),
    ({}, RuntimeError, 'Required launch argument "urdf" was not provided'),
    ({"urdf": ""}, ValueError, "launch argument urdf is empty"),
    ({"urdf": "/absent.urdf"}, FileNotFoundError, "launch argument urdf: no file '/absent.urdf'"),
    ({"urdf": "/"}, FileNotFoundError, "launch argument urdf: no file '/'"),
    ({"params_file": "/absent.yaml"}, FileNotFoundError, "params_file: no file '/absent.yaml'"),
    ({"partition_file": "/absent.yaml"}, FileNotFoundError, "partition_file: no file '/absent.yaml'"),
    ({"use_sim_time": "maybe"}, RuntimeError, '"use_sim_time" provided value "maybe" is not valid'),
    ({"autostart": "maybe"}, RuntimeError, '"autostart" provided value "maybe" is not valid'),
    ({"rviz": "maybe"}, RuntimeError, '"rviz" provided value "maybe" is not valid'),
    ({"log_level": "loud"}, RuntimeError, '"log_level" provided value "loud" is not valid'),
]


def visit(context: LaunchContext) -> None:
    """Do what launch does with the entities of dynamics.launch.py, up to the nodes' start."""
    for entity in description("dynamics.launch.py").entities:
        entity.visit(context)


@pytest.mark.parametrize(("arguments", "error", "words"), BAD, ids=[str(bad[0]) for bad in BAD])
def test_bad_argument_is_refused(arguments: dict[str, str], error: type[Exception], words: str) -> None:
    """A bad argument ends the launch with an error that names it, before there is a node to start."""
    context = LaunchContext()
    good = {"urdf": str(CHARMIE)} if arguments and "urdf" not in arguments else {}
    context.launch_configurations.update(good | arguments)
    with pytest.raises(error, match=words):
        visit(context)
