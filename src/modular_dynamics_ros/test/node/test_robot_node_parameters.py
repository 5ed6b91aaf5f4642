"""Every parameter of the nodes about a robot at and beyond its bounds, at run time."""

import math
from contextlib import closing
from dataclasses import fields

import pytest
from rclpy.parameter import Parameter

from helpers.paths import ROBOTS
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.node.robot_node import SUCCESS
from modular_dynamics_ros.parameters.table import Change, checked
from modular_dynamics_ros.reactions.node import TorsoReactionNode

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
NODES = {
    DynamicsNode: {"robot_description_file": str(ROBOTS / "four_link.urdf")},
    TorsoReactionNode: {
        "robot_description_file": str(ROBOTS / "charmie_torso.urdf"),
        "rules_file": str(ROBOTS / "charmie_torso_rules.yaml"),
    },
}
DENORMAL = 5e-324
# What a node that ends at once would make in vain: at night there are hundreds of them.
BARE = {"start_parameter_services": False, "enable_rosout": False}


def values(entry):
    """Values within the bounds, at them, just beyond, and of other kinds."""
    spec, kind = entry.metadata["spec"], type(entry.default)
    others = [True, 1, 0.5, "", "nonsense", "\0", [1.5], ["a", "a"], [True]]
    if kind is float:
        beyond = [math.nextafter(spec.low, -math.inf), math.nextafter(spec.high, math.inf)]
        odd = [0.0, -0.0, DENORMAL, -DENORMAL, math.nan, math.inf, -math.inf, 1e308]
        return [spec.low, spec.high, *beyond, *odd, *others]
    if kind is int:
        return [int(spec.low), int(spec.high), int(spec.low) - 1, int(spec.high) + 1, 2**63 - 1, *others]
    if kind is tuple:
        numbers = [[one] * 3 for one in (DENORMAL, 0.0, 1e4, 1.0001e4, 1e308, math.nan, math.inf)]
        return [*numbers, [1.0] * 2, [""], *others]
    return [*spec.choices, *others]


def allowed(entry, value):
    try:
        checked(entry, value)
    except ParameterError:
        return False
    return True


def overrides(kind, **parameters):
    return [Parameter(name, value=value) for name, value in (NODES[kind] | parameters).items()]


@pytest.mark.parametrize("kind", NODES)
def test_at_run_time(kind):
    """What the bounds allow is set, all else is refused with the name; the node remains what it was."""
    tried = set()
    with closing_node(kind(parameter_overrides=overrides(kind))) as node:
        assert node.trigger_configure() == SUCCESS
        assert node.trigger_activate() == SUCCESS
        usual, session = node.parameters, node.session
        for entry in fields(kind.PARAMETERS):
            at_run_time = entry.metadata["spec"].change is Change.ALWAYS
            for value in values(entry):
                (result,) = node.set_parameters([Parameter(entry.name, value=value)])
                assert result.successful == (at_run_time and allowed(entry, value)), (entry.name, value)
                assert result.successful or result.reason, (entry.name, value)
                tried.add(result.successful)
                node.report()
            assert node.parameters == usual or at_run_time
            if at_run_time:
                before = getattr(usual, entry.name)
                (result,) = node.set_parameters(
                    [Parameter(entry.name, value=list(before) if isinstance(before, tuple) else before)]
                )
                assert result.successful
        assert (node.parameters, node.session) == (usual, session)
        assert tried == {True, False}


def closing_node(node):
    node.close = node.destroy_node
    return closing(node)


def test_a_node_that_could_not_be_made_is_destroyed_all_the_same(monkeypatch):
    """As rclpy.shutdown does from Kilted on."""
    made = []

    def fail(node):
        made.append(node)
        raise ParameterError("refused")

    monkeypatch.setattr(DynamicsNode, "equip", fail)
    with pytest.raises(ParameterError, match="refused"):
        DynamicsNode(**BARE)
    made[0].destroy_node()
