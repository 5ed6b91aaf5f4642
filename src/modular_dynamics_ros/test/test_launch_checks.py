"""What is refused before a launch starts anything."""

import pytest

from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.launch_checks import check_parameters, checked_namespace, checked_topic

pytestmark = pytest.mark.ros


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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("/**:\n  ros__parameters: {stale_after: soon}", "stale_after must be a number, not 'soon'"),
        (
            "/left/arm:\n  ros__parameters: {stale_after: 9e9}",
            "stale_after must lie between 0.001 and 3600 s",
        ),
        (
            "/*/arm:\n  ros__parameters: {gravity: [0, 0, -9.81]}",
            "gravity is .*: ROS takes values of one type",
        ),
        ("/**:\n  ros__parameters: {stale_after: [0.1", "is no YAML"),
        ("stale_after: 0.1", "has no parameters: sections"),
    ],
)
def test_a_parameter_file_that_would_end_a_node_is_refused(tmp_path, content, words):
    path = tmp_path / "params.yaml"
    path.write_text(content)
    with pytest.raises(ParameterError, match=f"launch argument params_file: '{path}'.*{words}"):
        check_parameters(str(path), "/left/arm", "dynamics_node")


@pytest.mark.parametrize(
    "content",
    [
        "/**:\n  ros__parameters: {stale_after: 1e-1, gravity: [0, 0, -9], of_another_node: maybe}",
        "/right/arm:\n  ros__parameters: {stale_after: soon}",
    ],
)
def test_a_parameter_file_that_a_node_can_use(tmp_path, content):
    path = tmp_path / "params.yaml"
    path.write_text(content)
    check_parameters(str(path), "/left/arm", "dynamics_node")
