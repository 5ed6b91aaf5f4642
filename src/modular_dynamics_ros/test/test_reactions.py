"""torso_reaction_node in this process: what does not fit is refused, transitions, loads of dynamics_node."""

import re
from contextlib import ExitStack, closing

import numpy as np
import pytest
from modular_dynamics_interfaces.msg import TorsoReactions
from modular_dynamics_interfaces.srv import SetPayload
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.changes.changing import request
from helpers.nodes.lone_node import lone_node, message_info, receive
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.status import ERROR
from modular_dynamics_ros.messages.subsystems import ConnectionWrenchesWriter
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions import ReactionSession, TorsoReactionNode

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
FILES = {
    "robot_description_file": str(ROBOTS / "charmie_torso.urdf"),
    "rules_file": str(ROBOTS / "charmie_torso_rules.yaml"),
}


@pytest.fixture
def make():
    def node(**parameters):
        overrides = [Parameter(name, value=value) for name, value in (FILES | parameters).items()]
        made = TorsoReactionNode(parameter_overrides=overrides)
        ended.callback(made.destroy_node)
        return made

    with ExitStack() as ended:
        yield node


@pytest.mark.parametrize(
    ("parameters", "at_fault", "words"),
    [
        ({"rules_file": ""}, "parameters", "rules_file is empty"),
        ({"rules_file": "nowhere.yaml"}, "parameters", "nowhere.yaml"),
        (
            {"controller_joints": ["act4", "act6"]},
            "parameters",
            "controller_joints names 'act6', but the actuators of",
        ),
        ({"robot_description_file": "nowhere.urdf"}, "robot_description_file", "nowhere.urdf"),
    ],
)
def test_what_does_not_fit_fails_configuring_with_one_clear_line(make, capfd, parameters, at_fault, words):
    node = make(**parameters)
    assert node.trigger_configure() == FAILURE
    log = capfd.readouterr().err
    assert f"{at_fault} refused: " in log
    assert words in log
    assert "Traceback" not in log
    changes = [Parameter(name, value=FILES.get(name, ["act4"])) for name in parameters]
    assert all(result.successful for result in node.set_parameters(changes))
    assert node.trigger_configure() == SUCCESS


def test_transitions_and_parameters_at_run_time(make):
    node = make(loads="topics")
    assert node.trigger_configure() == SUCCESS
    listened = {info.topic_name for info in node.subscriptions}
    assert "/joint_states" not in listened  # an inactive node does not listen
    for _ in range(2):
        assert node.trigger_activate() == SUCCESS
        topics = {subscription.topic_name for subscription in node.subscriptions}
        assert {"/joint_states", "/reference", "/dynamics_node/connection_wrenches"} <= topics
        assert not any("external" in topic for topic in topics)  # it takes no such load
        assert node.trigger_deactivate() == SUCCESS
    (result,) = node.set_parameters([Parameter("loads", value="computed")])
    assert not result.successful
    (result,) = node.set_parameters([Parameter("equilibrium_tolerance", value=1e-6)])
    assert result.successful
    assert node.session.reactions.tolerance == 1e-6
    assert node.trigger_cleanup() == SUCCESS


class WithDynamicsNode(SpunNodes):
    """torso_reaction_node with the loads of dynamics_node, both with the description that a test gives them.

    Attributes:
        forces: of the actuators [N], by the stamp of the answer.
    """

    def __init__(self):
        def overrides(**parameters):
            given = {"acceleration_source": "zero", "stale_after": 60.0} | parameters
            return [Parameter(name, value=value) for name, value in given.items()]

        rules = FILES["rules_file"]
        self.dynamics = DynamicsNode(parameter_overrides=overrides())
        self.reactions = TorsoReactionNode(parameter_overrides=overrides(rules_file=rules, loads="topics"))
        self.probe, self.forces = Node("probe"), {}
        super().__init__(self.dynamics, self.reactions, self.probe)
        self.states = self.probe.create_publisher(JointState, "joint_states", 100)
        self.probe.create_subscription(
            TorsoReactions, "torso_reaction_node/reactions", self._on_reactions, 100
        )
        for node in (self.dynamics, self.reactions):
            assert node.trigger_configure() == node.trigger_activate() == SUCCESS

    def _on_reactions(self, message):
        forces = {one.name: one.force for one in message.actuators}
        self.forces[stamp_nanoseconds(message.header.stamp)] = forces

    def describe(self, node, text):
        node._on_robot_description(String(data=text))
        self.spin_until(lambda: node._described.text == text)

    def send_until(self, reached):
        """Send states, all joints at zero and at rest, until this is true of their stamps."""
        stamps, names = [], self.reactions.session.robot.state_names

        def send():
            stamps.append(self.reactions.now())
            message = JointState(name=names, position=[0.0] * len(names))
            message.header.stamp = stamp_message(stamps[-1])
            self.states.publish(message)

        timer = self.probe.create_timer(0.05, send)  # four callbacks answer each
        self.spin_until(lambda: reached(stamps))
        self.probe.destroy_timer(timer)
        return stamps

    def answer(self):
        """The actuators' forces for a state that is sent now."""
        stamps = self.send_until(lambda stamps: self.forces.keys() & {*stamps})
        return next(self.forces[stamp] for stamp in stamps if stamp in self.forces)


@pytest.fixture
def nodes():
    with closing(WithDynamicsNode()) as made:
        yield made


def forces_of(graph):
    """What the actuators need, all joints at zero and at rest, by the virtual power of the whole robot."""
    names = graph.independent_joint_names
    zeros = np.zeros(len(names))
    tau = md.inverse_dynamics(graph, zeros, zeros, zeros)
    return {name: pytest.approx(tau[names.index(name)], abs=1e-7) for name in ("act4", "act5")}


def test_no_answer_is_of_two_descriptions_and_a_payload_makes_no_other_one(nodes):
    """A description without a stamp comes on the topic: the nodes take it one after the other."""
    text = (ROBOTS / "charmie_torso.urdf").read_text()
    heavy = re.sub(r'mass value="([^"]+)"', lambda m: f'mass value="{2 * float(m[1])}"', text)
    graph = md.load_urdf(heavy)
    for node in (nodes.dynamics, nodes.reactions):
        nodes.describe(node, text)
    assert nodes.answer() == forces_of(md.load_urdf(text))
    nodes.describe(nodes.reactions, heavy)
    refused = nodes.reactions.session._loads.refused
    between = nodes.send_until(lambda stamps: refused["another robot"] > 2 or nodes.forces.keys() & {*stamps})
    assert nodes.forces.keys().isdisjoint(between)
    nodes.describe(nodes.dynamics, heavy)
    assert nodes.answer() == forces_of(graph)
    # dynamics_node may have read the last ones only now
    assert all(nodes.forces[stamp] == forces_of(graph) for stamp in between if stamp in nodes.forces)

    mass, com, moments = load = 2.0, (0.0, 0.0, 0.1), (0.01, 0.01, 0.01)
    asked = request(SetPayload, link="body_8c", load=load)
    future = nodes.client(SetPayload, "dynamics_node/set_payload").call_async(asked)
    nodes.spin_until(future.done)
    assert future.result().success
    assert nodes.answer() == forces_of(
        graph.with_payload("body_8c", mass=mass, com=com, inertia=np.diag(moments))
    )


NEAR, FAR = np.zeros(19), np.eye(19)[-1]  # the last joint jumps by 1 rad


@pytest.fixture
def session():
    parameters = ReactionParameters(rules_file=str(ROBOTS / "charmie_torso_rules.yaml"), loads="topics")
    computation = ReactionSession.load(str(ROBOTS / "charmie_torso.urdf"), parameters)
    made = ReactionSession(lone_node(), computation, parameters)
    made.activate(None)
    return made


def set_time(session, now):
    session._node.time = now


def send(session, stamp, q, *, with_wrenches=True):
    node, header = session._node, stamp_message(stamp)
    state = JointState(name=session.robot.state_names, position=q.tolist())
    state.header.stamp = header
    session.receive(state, message_info(node.time))
    if with_wrenches:
        send_wrenches(session, header, session.reactions.load_names)


def send_wrenches(session, stamp, names, **changes):
    root = session.robot.graph.ground.name
    message = ConnectionWrenchesWriter(names).write(stamp, lambda index: (root, np.zeros(6)))
    for field, value in changes.items():
        setattr(message, field, value)
    receive(session._node, "dynamics_node/connection_wrenches", message)


def test_a_refused_state_leaves_no_trace(session):
    send(session, 1, NEAR)
    for _ in range(2):  # a stamp that comes twice
        send(session, 2, FAR, with_wrenches=False)
    send_wrenches(session, stamp_message(2), session.reactions.load_names)  # of which of the two?
    send(session, 3, NEAR)
    send(session, 4, FAR, with_wrenches=False)
    set_time(session, 24 * 10**7)  # its wrenches never come
    session.on_watch()
    send(session, 24 * 10**7 + 5, NEAR)
    values = {key: value for status in session.statuses() for key, value in status.values.items()}
    assert (values["messages out"], values["messages rejected"]) == ("3", "2")
    assert values["answers with a new search for the assembly mode"] == "1"  # the first


def test_states_that_are_refused_for_long_show_where_the_loops_are_closed(session):
    for tenth in range(4):
        set_time(session, tenth * 10**8)
        session.on_watch()
        send(session, session._node.time + 1, NEAR, with_wrenches=tenth in (0, 3))
    assert session.record.last.state.stamp == 3 * 10**8 + 1
    assert session.record.last.configuration.continues_last


def test_a_state_continues_the_one_before_although_that_still_waits(session):
    send(session, 1, FAR, with_wrenches=False)
    send(session, 2, FAR)
    assert session.record.last.configuration.continues_last


@pytest.mark.parametrize("now", [0, -33 * 10**9])
def test_what_waits_is_given_up_although_the_clock_stands_still_or_is_set_back(session, now):
    send(session, 1, NEAR, with_wrenches=False)
    session._node.time, session._node.steady = now, lambda: 3 * 10**8
    session.on_watch()
    assert session.record.counts.rejected == {"no connection wrenches": 1}
    status = next(status for status in session.statuses() if status.name == "connection wrenches")
    assert status.level == ERROR


def test_what_waits_when_a_recording_begins_again_is_counted(session):
    set_time(session, 33 * 10**9)
    send(session, 33 * 10**9, NEAR, with_wrenches=False)
    set_time(session, 1)
    send(session, 1, NEAR)
    session.on_watch()
    counts = session.record.counts
    assert (counts.received, counts.processed) == (2, 1)
    assert counts.rejected == {"no connection wrenches": 1}


def test_wrenches_that_cannot_be_used_are_named_and_the_state_goes_on_waiting(session):
    names, stamp = session.reactions.load_names, stamp_message(1)
    send(session, 1, NEAR, with_wrenches=False)
    send_wrenches(session, stamp, names[1:])
    send_wrenches(session, stamp, names, frames=["head_of_another"] * len(names))
    texts = " ".join(session._node.log.texts("connection wrenches"))
    assert f"no wrench of '{names[0]}'" in texts
    assert "'head_of_another' of" in texts
    assert session.record.counts.processed == 0
    send_wrenches(session, stamp, names)
    assert session.record.counts.processed == 1


def test_rules_are_read_and_tried_where_the_robot_is_prepared():
    """That happens in a thread; a session is made between two joint states."""
    with pytest.raises(RobotError, match="rules_file is empty"):
        ReactionSession.load(str(ROBOTS / "charmie_torso.urdf"), ReactionParameters())
