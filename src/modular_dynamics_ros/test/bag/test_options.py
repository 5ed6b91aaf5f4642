import argparse

import pytest
import yaml

from modular_dynamics.shell.command import add_robot_arguments
from modular_dynamics_ros.bag.options import OPTIONS, add_parameter_options, parameters_of
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters


def given_and_left_out(*words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", default="/dynamics_node")
    add_parameter_options(parser)
    return parameters_of(parser.parse_args(list(map(str, words))))


def parsed(*words):
    return given_and_left_out(*words)[0]


def test_without_options_the_parameters_are_the_nodes_defaults():
    assert parsed() == DynamicsParameters()


def test_options_have_the_types_of_the_parameters():
    given = parsed(
        "--gravity",
        "0,0,-1.62",
        "--floating-base",
        "--friction",
        "urdf",
        "--filter-cutoff",
        "5",
        "--absent-joints",
        "a:=1",
        "--absent-joints",
        "b:=2",
    )
    assert (given.gravity, given.floating_base, given.friction) == ((0.0, 0.0, -1.62), True, "urdf")
    assert (given.filter_cutoff, given.absent_joints) == (5.0, ("a:=1", "b:=2"))


def test_the_shipped_parameter_file_gives_the_defaults(root):
    assert parsed("--params-file", root / "config/dynamics.yaml") == DynamicsParameters()


@pytest.mark.parametrize(
    "name", ["config/charmie.yaml", "config/branched_38dof.yaml", "examples/ros2_control/dynamics.yaml"]
)
def test_the_parameters_of_a_shipped_file_count(root, name):
    """They have names of nodes in each other: /**, then dynamics_node."""
    values = yaml.safe_load((root / name).read_text())["/**"]["dynamics_node"]["ros__parameters"]
    given = parsed("--params-file", root / name)
    assert given != DynamicsParameters()
    for parameter, value in values.items():
        expected = tuple(value) if isinstance(value, list) else value
        assert getattr(given, parameter) == expected, parameter


def test_a_file_counts_and_options_count_more(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(
        "/**:\n  ros__parameters: {stale_after: 1, frame_id: x, use_sim_time: true}\n"
        "dynamics_node:\n  ros__parameters: {friction: urdf, output: gravity}\n"
        "other:\n  ros__parameters: {friction: none}\n"
    )
    given = parsed("--params-file", path, "--output", "full")
    assert (given.stale_after, given.friction, given.output) == (1.0, "urdf", "full")


def test_unknown_names_in_a_section_of_several_nodes_are_said_in_one_line(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(
        "/**:\n  ros__parameters: {rate_of: 1, frictin: urdf, use_sim_time: true, 1: x, a: 2, b: 3}\n"
    )
    values, (text,) = given_and_left_out("--params-file", path)
    assert values == DynamicsParameters()
    assert text == (
        f"'{path}': /dynamics_node has no parameter 'rate_of' (did you mean 'rate'?), "
        "'frictin' (did you mean 'friction'?), '1', 'a' and 1 more; what the file says of it does not count"
    )
    path.write_text("/**:\n  ros__parameters: {friction: urdf, changes_file: x}\n")
    assert [text.split()[0] for text in given_and_left_out("--params-file", path)[1]] == ["changes_file"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [", "is no YAML"),
        ("a: 2024-99-99", "is no YAML: month must be in"),
        ("text", "has no parameters"),
        (
            "dynamics_node:\n  ros__parameters: {fricton: urdf}\n",
            r"dynamics_node has no parameter 'fricton' \(did you mean 'friction'\?\)",
        ),
        (
            "/**:\n  dynamics_node:\n    ros__parameters: {fricton: urdf}\n",
            "dynamics_node has no parameter 'fricton'",
        ),
        (
            "/left/dynamics_node:\n  ros__parameters: {friction: urdf}\n",
            "no parameters of the node '/dynamics_node', but of '/left/dynamics_node'; --node NAME",
        ),
        (
            "dynamics_node:\n  ros__parameters: {friction: some}\n",
            "friction must be one of none, urdf, not 'some'",
        ),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, content, words):
    path = tmp_path / "params.yaml"
    path.write_text(content)
    with pytest.raises(ParameterError, match=words):
        parsed("--params-file", path)


def test_what_other_commands_have_too_is_spelt_as_there():
    """The robot's options of check, graph, id, fd and gravity."""

    def options(add):
        parser = argparse.ArgumentParser()
        add(parser)
        return {word for word in parser.format_help().replace(",", " ").split() if word.startswith("--")}

    assert options(add_robot_arguments) <= options(add_parameter_options)
    given = parsed("--partition", "p.yaml", "--xacro-arg", "a:=1", "--xacro-arg", "b:=2")
    assert (given.partition_file, given.xacro_arguments) == ("p.yaml", ("a:=1", "b:=2"))


def test_every_option_is_a_parameter_of_the_node():
    assert set(OPTIONS) <= set(DynamicsParameters.__dataclass_fields__)
