from dataclasses import asdict, fields

import pytest
import yaml

from modular_dynamics_ros.parameters.subsystem import SubsystemParameters
from modular_dynamics_ros.parameters.table import checked

pytestmark = pytest.mark.ros


def parameters_of_all(path):
    """Those of every node: each has the name of its subsystem."""
    return yaml.safe_load(path.read_text("utf-8"))["/**"]["ros__parameters"]


@pytest.mark.parametrize("name", ["subsystems", "charmie_subsystems"])
def test_configuration_files_hold_declared_parameters_only(root, name):
    entries = {entry.name: entry for entry in fields(SubsystemParameters)}
    for key, value in parameters_of_all(root / f"config/{name}.yaml").items():
        checked(entries[key], value)


def test_the_general_file_repeats_the_defaults(root):
    default = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in asdict(SubsystemParameters()).items()
    }
    written = parameters_of_all(root / "config/subsystems.yaml")
    assert written == {key: default[key] for key in written}
    left_out = {
        "subsystem",
        "robot_description_file",
        "xacro_arguments",
        "partition_file",
        "absent_joints",
        "frame_prefix",
        "controller_joints",
        "autostart",
    }
    assert set(default) - set(written) == left_out  # those that belong to a robot or to a launch file


def test_without_a_reference_a_node_does_not_answer_by_default():
    """One that was started again has missed the reference that the others follow."""
    assert SubsystemParameters().without_reference == "stop"
