"""Nodes about a robot: parameters at and beyond their bounds, lost joint states, warnings of descriptions."""

import math
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import pytest
from rclpy.parameter import Parameter

from helpers.nodes.dynamics_harness import Harness
from helpers.paths import ROBOTS
from helpers.processes import run_python
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS
from modular_dynamics_ros.messages.status import WARN
from modular_dynamics_ros.node.robot_node import Description
from modular_dynamics_ros.parameters.table import Change, checked
from modular_dynamics_ros.reactions import TorsoReactionNode

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
NODES = {
    DynamicsNode: {"robot_description_file": str(ROBOTS / "four_link.urdf")},
    TorsoReactionNode: {
        "robot_description_file": str(ROBOTS / "charmie_torso.urdf"),
        "rules_file": str(ROBOTS / "charmie_torso_rules.yaml"),
    },
}
DENORMAL = 5e-324
# Options of nodes that end at once, of which nightly runs make hundreds: without what takes longest to make.
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


def arrivals_status(node):
    _, statuses = node.report()
    return next(status for status in statuses if status.name == "joint_states")


def test_diagnostics_name_who_publishes_joint_states(four_link):
    with closing(Harness(robot_description_file=four_link).activate()) as harness:
        values = {}

        def named():
            values.update(arrivals_status(harness.node).values)
            return values["published by"] != "nobody"

        harness.spin_until(named)
        assert values == {"published by": f"/{harness.probe.get_name()}"}


RIGHT, WRONG = 'ixx="0.016"', 'ixx="0.8"'  # more than the two others together
WORDS = "lower_stem"


@pytest.fixture
def impossible(four_link):
    """The text of a robot with an inertia that no body has."""
    text = Path(four_link).read_text(encoding="utf-8")
    assert RIGHT in text
    return text.replace(RIGHT, WRONG, 1)


@pytest.fixture
def file(impossible, tmp_path):
    path = tmp_path / "impossible.urdf"
    path.write_text(impossible, encoding="utf-8")
    return str(path)


def model(node):
    _, statuses = node.report()
    return next(status for status in statuses if status.name == "model")


def test_a_warning_stands_in_the_log_once_and_in_the_diagnostics(file, impossible, capfd):
    with closing(Harness(robot_description_file=file).start()) as harness:
        status = model(harness.node)
        assert status.level == WARN
        assert WORDS in status.message
        assert status.values == {"warnings": "1"}
        capfd.readouterr()
        harness.node._add(harness.node._load(file), Description())  # the same robot anew
        assert WORDS not in capfd.readouterr().err
        assert model(harness.node).level == WARN


def test_strict_refuses_it_and_names_it(file, capfd):
    with closing(Harness(robot_description_file=file, strict=True)) as harness:
        assert harness.node.trigger_configure() == FAILURE
        said = capfd.readouterr().err
        assert "robot_description_file refused" in said
        assert WORDS in said


LOADED = """
import sys
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import ComputationSettings
Computation(load_robot(sys.argv[1]), ComputationSettings())
print([name for name in ("scipy", "pinocchio") if name in sys.modules])
"""


def run(program, *arguments):
    done = run_python("-c", program, *arguments)
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_a_robot_with_loops_is_loaded_without_scipy(root):
    assert run(LOADED, root / "urdf/charmie_torso.urdf") == "[]\n"
