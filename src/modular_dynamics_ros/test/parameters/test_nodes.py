import re
import sys
from dataclasses import asdict, fields
from importlib import import_module

import pytest
import yaml

from modular_dynamics_ros.__main__ import NODES
from modular_dynamics_ros.parameters.nodes import (
    AssemblyParameters,
    DynamicsParameters,
    MoveitParameters,
    PlayerParameters,
    ReactionParameters,
    SubsystemParameters,
)
from modular_dynamics_ros.parameters.table import checked

pytestmark = pytest.mark.ros

TABLES = {
    "assembly_node": AssemblyParameters,
    "dynamics_node": DynamicsParameters,
    "torso_reaction_node": ReactionParameters,
    "joint_state_player": PlayerParameters,
    "moveit_payload_node": MoveitParameters,
    "subsystem_node": SubsystemParameters,
}


def parameters_in(path):
    """Node -> its parameters; those of every node are of subsystem_node, which has many names."""
    nodes = yaml.safe_load(path.read_text("utf-8"))["/**"]
    if "ros__parameters" in nodes:
        return {"subsystem_node": nodes["ros__parameters"]}
    return {node: content["ros__parameters"] for node, content in nodes.items()}


@pytest.mark.parametrize(
    "name",
    [
        "dynamics",
        "charmie",
        "charmie_torso",
        "branched_38dof",
        "modular_assembly",
        "subsystems",
        "charmie_subsystems",
    ],
)
def test_configuration_files_hold_declared_parameters_only(root, name):
    for node, values in parameters_in(root / f"config/{name}.yaml").items():
        entries = {entry.name: entry for entry in fields(TABLES[node])}
        for key, value in values.items():
            checked(entries[key], value)


#: Parameters that belong to a robot or to a launch file.
LEFT_OUT = {
    "robot_description_file",
    "xacro_arguments",
    "partition_file",
    "absent_joints",
    "frame_prefix",
    "controller_joints",
    "autostart",
}


@pytest.mark.parametrize(
    ("name", "node", "more"),
    [
        ("dynamics", "dynamics_node", {"reversed_black_boxes", "black_box_loads"}),
        ("subsystems", "subsystem_node", {"subsystem"}),
    ],
)
def test_the_general_file_repeats_the_defaults(root, name, node, more):
    default = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in asdict(TABLES[node]()).items()
    }
    written = parameters_in(root / f"config/{name}.yaml")[node]
    assert written == {key: default[key] for key in written}
    assert set(default) - set(written) == LEFT_OUT | more


@pytest.mark.parametrize("table", TABLES.values())
def test_every_parameter_is_described_and_bounded(table):
    for entry in fields(table):
        spec = entry.metadata["spec"]
        assert re.match(r"[a-z].{10,}", spec.description), entry.name
        assert (
            checked(entry, list(entry.default) if isinstance(entry.default, tuple) else entry.default)
            == entry.default
        )
        if isinstance(entry.default, float):
            assert spec.low > -float("inf"), entry.name
            assert spec.high < float("inf"), entry.name


@pytest.mark.parametrize("name", NODES)
def test_help_names_every_parameter_and_starts_nothing(monkeypatch, capsys, name):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    assert import_module(NODES[name]).main() == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: ros2 run modular_dynamics_ros {name}")
    for entry in fields(TABLES[name]):
        assert f" {entry.name}: " in text
        assert entry.metadata["spec"].description in " ".join(text.split())
