"""Every parameter of the nodes about a robot at and beyond its bounds: when they start and at run time."""

import math
from contextlib import closing
from dataclasses import fields

import pytest
from rclpy.parameter import Parameter

from helpers.paths import ROBOTS
from helpers.random_examples.examples import some
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.node.robot_node import FAILURE, SUCCESS
from modular_dynamics_ros.parameters.nodes import DynamicsParameters
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
        numbers = [
            [DENORMAL] * 3,
            [0.0] * 3,
            [1e4] * 3,
            [1.0001e4] * 3,
            [1e308] * 3,
            [math.nan] * 3,
            [math.inf] * 3,
            [1.0] * 2,
        ]
        return [*numbers, [""], *others]
    return [*spec.choices, *others]


def tries(kind, entry):
    """Values with which a node is configured: bounds and choices; what nodes share once, and no paths."""
    spec, shared = entry.metadata["spec"], {entry.name for entry in fields(DynamicsParameters)}
    if kind is not DynamicsNode and entry.name in shared:
        return []
    if isinstance(entry.default, float):
        return [spec.low, 0.0, spec.high]
    if type(entry.default) is int:
        return [int(spec.low), int(spec.high)]
    return spec.choices if isinstance(entry.default, str) else values(entry)


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


@pytest.mark.parametrize("kind", NODES)
def test_when_the_node_starts(kind):
    """What the bounds refuse ends the start with the name; the rest is configured, or refused in words."""
    for entry in fields(kind.PARAMETERS):
        refused = [value for value in values(entry) if not allowed(entry, value)]
        for value in some(refused, 1):
            with pytest.raises(ParameterError, match=entry.name):
                kind(parameter_overrides=overrides(kind, **{entry.name: value}), **BARE)
        for value in some([value for value in tries(kind, entry) if allowed(entry, value)], 2):
            with closing_node(kind(parameter_overrides=overrides(kind, **{entry.name: value}))) as node:
                configured = node.trigger_configure()
                assert configured in (SUCCESS, FAILURE), (entry.name, value)
                if configured == SUCCESS:
                    assert node.trigger_activate() == SUCCESS, (entry.name, value)
                    node.report()


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
