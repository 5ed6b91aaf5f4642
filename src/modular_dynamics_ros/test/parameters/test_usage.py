"""What --help prints."""

import sys

import pytest

from modular_dynamics_ros.dynamics import node as dynamics_node
from modular_dynamics_ros.parameters.nodes import (
    DynamicsParameters,
    PlayerParameters,
    ReactionParameters,
)
from modular_dynamics_ros.player import node as joint_state_player
from modular_dynamics_ros.reactions import node as torso_reaction_node

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ("module", "table", "name"),
    [
        (dynamics_node, DynamicsParameters, "dynamics_node"),
        (torso_reaction_node, ReactionParameters, "torso_reaction_node"),
        (joint_state_player, PlayerParameters, "joint_state_player"),
    ],
)
def test_help_names_every_parameter_and_starts_nothing(monkeypatch, capsys, module, table, name):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    assert module.main() == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: ros2 run modular_dynamics_ros {name}")
    for entry in table.__dataclass_fields__.values():
        if "spec" in entry.metadata:
            assert f" {entry.name}: " in text
            assert entry.metadata["spec"].description in text
