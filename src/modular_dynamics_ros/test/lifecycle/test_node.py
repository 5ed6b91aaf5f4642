"""Transitions that fail, repeat, or come in any order: what a state made ends with it."""

from contextlib import closing

import pytest
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

from helpers.nodes.dynamics_harness import Harness
from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.assembly.node import AssemblyNode
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.node.outputs import Outputs
from modular_dynamics_ros.node.robot_node import RobotSession
from modular_dynamics_ros.reactions import TorsoReactionNode

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
ERROR = TransitionCallbackReturn.ERROR
KINDS = {"assembly": AssemblyNode, "dynamics": DynamicsNode, "reactions": TorsoReactionNode}


def entities(node):
    """How many of each kind rclpy has for the node."""
    kinds = node.publishers, node.subscriptions, node.services, node.clients, node.timers
    return [len(list(kind)) for kind in kinds]


def make(kind, root):
    given = {"robot_description_file": str(root / "urdf/four_link.urdf")}
    if kind == "assembly":
        given = {"robot_state_publisher": "robot_state_publisher"}
    elif kind == "reactions":
        given = {
            "robot_description_file": str(root / "urdf/charmie_torso.urdf"),
            "rules_file": str(root / "urdf/charmie_torso_rules.yaml"),
        }
    return KINDS[kind](parameter_overrides=[Parameter(k, value=v) for k, v in given.items()])


@pytest.fixture(params=KINDS)
def node(request, root):
    made = make(request.param, root)
    yield made
    made.destroy_node()


def test_the_clock_follows_use_sim_time_at_run_time(node):
    assert not node.simulated
    assert node.now() > 0
    for simulated in (True, False):
        node.set_parameters([Parameter("use_sim_time", value=simulated)])
        assert node.simulated is simulated
        assert (node.now() == 0) is simulated  # nothing has come on /clock


class Failing:
    """Raises at its call number `at`, counted from 1; else it does what it stands for."""

    def __init__(self, what, at=1):
        self.what, self.left = what, at

    def __call__(self, *given, **options):
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("out of handles")
        return self.what(*given, **options)


def run_through(node):
    for _ in range(2):
        assert node.trigger_configure() == node.trigger_activate() == SUCCESS
        assert node.trigger_deactivate() == node.trigger_cleanup() == SUCCESS


ROBOT = ["create_lifecycle_publisher", "create_subscription", "create_timer"]
ASSEMBLY = ["create_lifecycle_publisher", "create_client", "create_timer"]
MADE = [("assembly", ASSEMBLY), ("dynamics", ROBOT), ("reactions", ROBOT)]


@pytest.mark.parametrize(("node", "method"), [(k, m) for k, ms in MADE for m in ms], indirect=["node"])
def test_a_transition_that_raises_leaves_nothing_and_may_be_repeated(node, monkeypatch, capfd, method):
    before = entities(node)
    for at in range(1, 5):
        failing = Failing(getattr(node, method), at)
        with monkeypatch.context() as broken:
            broken.setattr(node, method, failing)
            results = [node.trigger_configure()]
            if results[0] == SUCCESS:
                results.append(node.trigger_activate())
        if failing.left > 0:  # it does not make so many of them
            assert at > 1
            break
        assert results[-1] != SUCCESS
        assert "unexpectedly: RuntimeError: out of handles" in capfd.readouterr().err
        assert entities(node) == before
        run_through(node)
        assert entities(node) == before


@pytest.mark.parametrize(("kind", "method"), [(RobotSession, "deactivate"), (Outputs, "destroy")])
def test_a_state_whose_end_raises_is_left_all_the_same(four_link, monkeypatch, capfd, kind, method):
    with closing(Harness(robot_description_file=four_link)) as stage:
        before = entities(stage.node)
        stage.start()
        with monkeypatch.context() as broken:
            broken.setattr(kind, method, Failing(None))
            results = [stage.node.trigger_deactivate()]
            if results[0] == SUCCESS:
                results.append(stage.node.trigger_cleanup())
        assert results[-1] == ERROR
        assert "unexpectedly: RuntimeError: out of handles" in capfd.readouterr().err
        assert not stage.node.active
        assert stage.node.session is None
        assert entities(stage.node) == before
        stage.start()
        assert len(stage.answer_when_connected().effort) == 4


@pytest.mark.parametrize(
    "transitions", ["", "configure", "configure activate", "configure activate deactivate"]
)
def test_shutdown_in_every_state_frees_everything(node, transitions):
    before = entities(node)
    for transition in transitions.split():
        assert getattr(node, f"trigger_{transition}")() == SUCCESS
    assert node.trigger_shutdown() == SUCCESS
    assert entities(node) == before
    assert not node.configured


def test_a_shutdown_that_raises_still_ends_in_finalized(four_link, monkeypatch, capfd):
    with closing(Harness(robot_description_file=four_link)) as stage:
        before = entities(stage.node)
        stage.start()
        monkeypatch.setattr(Outputs, "destroy", Failing(None))
        assert stage.node.trigger_shutdown() == SUCCESS
        assert "could not free everything, unexpectedly: RuntimeError" in capfd.readouterr().err
        assert entities(stage.node) == before


def test_parameters_that_cannot_be_applied_stay_as_they_were(four_link, monkeypatch):
    with closing(Harness(robot_description_file=four_link)) as stage:
        stage.start()
        change = stage.node.session.set_parameters
        monkeypatch.setattr(stage.node.session, "set_parameters", Failing(change))
        (result,) = stage.node.set_parameters([Parameter("filter_cutoff", value=50.0)])
        assert (result.successful, result.reason) == (False, "RuntimeError: out of handles")
        assert stage.node.parameters.filter_cutoff == stage.node.get_parameter("filter_cutoff").value == 10.0
        assert stage.node.set_parameters([Parameter("filter_cutoff", value=50.0)])[0].successful


def test_diagnostics_carry_the_full_name_of_the_node():
    """Two robots have a node of the same name each, and one topic /diagnostics."""
    node = DynamicsNode(namespace="/left/arm")
    published = []
    with closing(SpunNodes(node)):
        assert node.trigger_configure() == node.trigger_activate() == SUCCESS
        node._diagnostics.publish = published.append
        node._on_diagnostics()
    message = published[-1]  # the timer may have published, too
    assert [status.name.partition(": ")[0] for status in message.status] == ["/left/arm/dynamics_node"] * len(
        message.status
    )
