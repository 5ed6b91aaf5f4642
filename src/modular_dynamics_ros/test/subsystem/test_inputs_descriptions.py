"""Nodes of one robot that were started with descriptions which do not fit each other."""

from itertools import permutations

import numpy as np
import pytest

import modular_dynamics as md
from helpers.nodes.subsystem_bus import SubsystemBus, motion, step
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import SubsystemParameters
from modular_dynamics_ros.subsystem.node import SubsystemSession

pytestmark = pytest.mark.ros
PARTS = {"body": ("torso", "base", "a"), "arm": ("elbow", "a", "b"), "hand": ("grip", "b", "c")}
HELP = "give the nodes of all subsystems the same description"


def urdf(mass=1.0, elbow_at=0.3, grip_at=0.3, hand_on="b", arm_on="a", hand="hand"):
    """A body that carries an arm that carries a hand."""
    parents, at = {"arm": arm_on, "hand": hand_on}, {"arm": elbow_at, "hand": grip_at}
    parts, tags = ["<link name='base'/>"], []
    for name, (turn, parent, link) in PARTS.items():
        body = inertial(mass if name == "arm" else 1.0, (0.1, 0, 0), 0.01 * np.eye(3))
        xyz, called = (at.get(name, 0.3), 0, 0), hand if name == "hand" else name
        parts.append(f"<link name='{link}'>{body}</link>")
        parts.append(joint(turn, "revolute", parents.get(name, parent), link, xyz, axis=(0, 1, 0)))
        tags.append(f"<subsystem name='{called}'><joint name='{turn}'/></subsystem>")
    return robot("r", parts, tags)


@pytest.fixture
def bus():
    bus = SubsystemBus(urdf())
    assert bus.vector(step(bus, 0)) == pytest.approx(expected(bus, 0), abs=1e-9)
    return bus


def expected(bus, k, description=""):
    graph = md.load_urdf(description) if description else bus.graph
    return md.inverse_dynamics(graph, *motion(bus, k), np.zeros(3))


def steps(bus, first, last):
    """The stamps of states, for longer than the patience."""
    return [step(bus, k) for k in range(first, last)]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"elbow_at": 0.9},
            "'arm' is connected at [0.3, 0, 0] m in the frame of 'a'; by that of 'arm', at [0.9",
        ),
        ({"hand_on": "a"}, "'hand' is on 'arm'; by that of 'arm', on 'body'"),
        ({"arm_on": "base"}, "'arm' is on 'body'; by that of 'arm', on the ground"),
        ({"hand": "tool"}, "that of 'arm' has no subsystem 'hand'"),
    ],
)
def test_a_node_with_another_robot_stops_the_torques_and_is_named(bus, changed, words):
    bus.dead.add("arm")
    bus.start("arm", urdf(**changed))
    stamps = steps(bus, 1, 60)
    assert [bus.torques(stamp) for stamp in stamps] == [{}] * len(stamps)
    text, logger = bus.errors("body"), bus.sessions["body"]._node.log._logger
    assert text.startswith("the robot descriptions of 'body' and 'arm' contradict each other: ")
    assert words in text
    assert HELP in text
    assert text in logger.error.call_args.args[0]
    bus.dead.add("arm")
    bus.start("arm")
    assert bus.vector(step(bus, 60)) == pytest.approx(expected(bus, 60), abs=1e-9)
    step(bus, 61)
    assert [bus.errors(name) for name in bus.sessions] == [""] * 3


def test_values_of_one_subsystem_may_differ(bus):
    """It answers for its own links: the torques are those of a robot with its mass."""
    bus.start("arm", urdf(mass=10.0))
    assert bus.vector(step(bus, 1)) == pytest.approx(expected(bus, 1, urdf(mass=10.0)), abs=1e-9)


HEAVY = urdf(mass=10.0)


@pytest.mark.parametrize("order", list(permutations(PARTS)))
def test_torques_are_never_of_two_descriptions(order):
    """One without a stamp comes on the topic, and states name none: the nodes change one after the other."""
    bus = SubsystemBus(urdf(), from_topic=True)
    step(bus, 0)
    for k, name in enumerate(order, 1):
        bus.change(name, HEAVY)
        torques = bus.torques(step(bus, k))
        if k < len(order):
            assert "torso" not in torques  # it needs both others
            refused = [one._neighbours.refused["another robot"] for one in bus.sessions.values()]
            assert sum(refused) > 0
        right = [dict(zip(bus.names, expected(bus, k, one), strict=True)) for one in (urdf(), HEAVY)]
        assert any(torques == pytest.approx({n: one[n] for n in torques}, abs=1e-9) for one in right)
    assert bus.vector(bus.time) == pytest.approx(expected(bus, 3, HEAVY), abs=1e-9)


def test_a_neighbour_that_keeps_another_description_is_named():
    bus = SubsystemBus(urdf(), from_topic=True)
    bus.change("body", HEAVY)
    steps(bus, 1, 60)
    assert "motion from 'body' refused: computed from the robot description" in bus.errors("arm")
    assert bus.sessions["arm"].record.counts.rejected["neighbour contradicts"] > 10
    bus.change("arm", HEAVY)
    bus.change("hand", HEAVY)
    assert bus.vector(step(bus, 60)) == pytest.approx(expected(bus, 60, HEAVY), abs=1e-9)
    step(bus, 61)
    assert [bus.errors(name) for name in bus.sessions] == [""] * 3


def test_a_wrench_of_the_robot_before_does_not_count_for_a_repeated_stamp():
    """Parts of the robot may come with one stamp, before and after the change."""
    bus = SubsystemBus(urdf(), from_topic=True)
    bus.freeze("arm")
    stamp = step(bus, 1)
    bus.change("body", HEAVY)
    bus.send(stamp, *motion(bus, 1))
    assert bus.sessions["body"].record.counts.rejected["repeated stamp"] == 1
    bus.go_on("arm")
    assert bus.torques(stamp).keys() == {"elbow", "grip"}


def test_a_predecessor_that_does_not_carry_it_any_more_is_told(bus):
    """The body awaits no wrench of the arm then, and would publish torques without it."""
    bus.start("body", urdf(arm_on="base"))
    stamps = steps(bus, 1, 60)
    assert [bus.torques(stamp) for stamp in stamps] == [{}] * len(stamps)
    assert "by that of 'body', 'arm' is on the ground; by that of 'arm', on 'body'" in bus.errors("body")


def test_a_foreign_program_takes_the_place_of_a_node_that_contradicted(bus):
    bus.start("arm", urdf(elbow_at=0.9))
    steps(bus, 1, 60)
    bus.dead.add("arm")
    stamp = step(bus, 60)
    wrench = WrenchWriter().write(stamp_message(stamp), "arm/connection_point", np.zeros(6))
    bus.publish("arm/wrench_out", wrench)
    assert bus.torques(stamp).keys() == {"torso"}
    assert bus.errors("body") == ""


def test_nothing_is_computed_with_a_node_before_its_graph_has_come(bus):
    """DDS may bring it after the first motions of a node that was just started with another robot."""
    graph = bus.sessions["body"]._node.sent["~/subsystem_graph"]
    kept = graph.copy()
    graph.clear()  # it is on its way
    bus.start("arm", urdf(elbow_at=0.9))
    bus.sessions["body"]._descriptions.contradictions.clear()  # nor has the arm's come to the body
    stamps = steps(bus, 1, 60)
    assert [bus.torques(stamp) for stamp in stamps] == [{}] * len(stamps)
    assert "node of subsystem 'body' runs, but its subsystem_graph has not come" in bus.errors("arm")
    bus.publish("body/subsystem_graph", kept[-1])
    steps(bus, 60, 120)
    assert "'arm' is connected at [0.9, 0, 0]" in bus.errors("arm")


def test_a_successor_that_does_not_know_of_the_contradiction_yet_is_not_asked(bus):
    """The arm is started again with another robot; the hand knows the graph of the process before only."""
    bus.start("arm", urdf(grip_at=0.9))
    bus.sessions["hand"]._descriptions.contradictions.clear()
    stamps = steps(bus, 1, 60)
    assert [bus.torques(stamp) for stamp in stamps] == [{}] * len(stamps)
    assert "'hand' is connected at [0.9, 0, 0]" in bus.errors("arm")


def test_a_state_that_waited_for_a_description_that_fits_is_processed(bus):
    """Another robot on the topic: each node changes at another instant."""
    bus.start("arm", urdf(elbow_at=0.9))
    stamp = step(bus, 1)
    assert bus.torques(stamp) == {}
    graph = bus.sessions["hand"]._node.sent["~/subsystem_graph"][-1]
    bus.publish("arm/subsystem_graph", graph)  # to the body and the hand
    bus.publish("body/subsystem_graph", bus.sessions["arm"]._node.sent["~/subsystem_graph"][-1])
    assert bus.torques(stamp).keys() == {"torso", "elbow", "grip"}


def test_a_damaged_graph_is_refused_and_changes_nothing(bus):
    graph = bus.sessions["arm"]._node.sent["~/subsystem_graph"][-1]
    graph.vertices[1].predecessor = 7
    bus.publish("arm/subsystem_graph", graph)
    texts = bus.sessions["body"]._node.log.texts("neighbours")
    assert "subsystem_graph of 'arm' refused: the predecessor of 'arm' is 7" in texts[0]
    assert len(bus.torques(step(bus, 1))) == 3


def test_the_next_robot_of_a_node_knows_the_graphs_of_the_others(bus):
    """DDS does not bring them again; another joint point of the arm contradicts at once."""
    arm = bus.sessions["arm"]
    parameters = SubsystemParameters(subsystem="arm", robot_description_file="robot.urdf")
    successor = SubsystemSession(arm._node, SubsystemSession.load(urdf(elbow_at=0.9), parameters), parameters)
    successor.activate(None)
    assert not successor._descriptions.contradictions
    successor.continue_from(arm)
    assert successor._descriptions.contradictions.keys() == {"body"}


def test_a_node_that_stood_still_and_fits_is_used_again_without_its_graph(bus):
    """DDS takes it for ended after its lease; when it goes on, its latched graph does not come again."""
    bus.dead.add("arm")
    steps(bus, 1, 60)
    bus.dead.discard("arm")
    bus.sessions["arm"]._node.time = bus.time
    assert bus.vector(step(bus, 60)) == pytest.approx(expected(bus, 60), abs=1e-9)
