"""What torso_reaction_node publishes of the care robot agrees with itself and with physical laws."""

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.lone_node import lone_node, message_info
from helpers.nodes.sessions.term_session import vec6
from helpers.paths import ROBOTS
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions import ReactionSession

pytestmark = pytest.mark.ros
HEARD = ("j3", "act5", "srt4")
TOPICS = ("reactions", "springs", "markers", *(f"joints/{name}/wrench" for name in HEARD))
Q = np.linspace(-0.02, 0.02, 19)


@pytest.fixture(scope="module")
def sent():
    """The last message of each topic, and the numbers that the library has for the state."""
    rules = ROBOTS / "charmie_torso_rules.yaml"
    parameters = ReactionParameters(
        rules_file=str(rules), loads="computed", controller_joints=["act4", "act5"], force_scale=0.002
    )
    prepared = ReactionSession.load(str(ROBOTS / "charmie_torso.urdf"), parameters)
    session = ReactionSession(lone_node({f"~/{topic}" for topic in TOPICS}), prepared, parameters)
    session.activate(None)
    state = JointState(name=session.robot.state_names, position=Q.tolist(), velocity=[0.0] * 19)
    state.header.stamp = stamp_message(5)
    session._node.time = 5
    session.receive(state, message_info(5))
    messages = {topic: session._node.sent[f"~/{topic}"][-1] for topic in (*TOPICS, "effort_commands")}
    graph = session.robot.graph
    return messages, graph, md.InverseDynamics(graph).solve(Q, 0 * Q, 0 * Q)


def vector(message):
    return np.array([message.x, message.y, message.z])


def test_actuators_have_the_virtual_power_of_the_whole_robot(sent):
    messages, graph, dynamics = sent
    reactions, names = messages["reactions"], graph.independent_joint_names
    forces = {one.name: one.force for one in reactions.actuators}
    assert list(forces) == ["act5", "act4"]
    for one in reactions.actuators:
        assert one.force == pytest.approx(dynamics.tau[names.index(one.name)], abs=1e-7)
        assert one.position == pytest.approx(Q[names.index(one.name)], abs=1e-12)
    assert list(messages["effort_commands"].data) == [forces["act4"], forces["act5"]]
    assert max(reactions.residual_force, reactions.residual_moment) < 1e-9
    assert reactions.loads == reactions.COMPUTED


def test_springs_pull_by_their_law(sent):
    messages, graph, dynamics = sent
    poses = dict(zip(graph.links, md.frame_poses(graph, dynamics.coordinates), strict=True))
    springs = messages["reactions"].springs
    assert {spring.name for spring in springs} == {"s5", "sr4", "sl4"}
    for spring in springs:
        law = next(one for one in graph.springs if one.name == spring.name)
        ends = [(poses[a.link] @ [*md.algebra.translation(a.x_link_anchor), 1.0])[:3] for a in law.anchors]
        assert spring.length == pytest.approx(np.linalg.norm(ends[1] - ends[0]), abs=1e-12)
        pull = law.initial_force + law.stiffness * (spring.length - law.free_length)
        assert spring.tension == pytest.approx(pull, abs=1e-9)
    topic = messages["springs"]
    assert list(zip(topic.name, topic.position, topic.effort, strict=True)) == [
        (spring.name, spring.length, spring.tension) for spring in springs
    ]


def test_wrenches_and_arrows_of_joints_are_the_same_elsewhere(sent):
    messages, graph, dynamics = sent
    poses = dict(zip(graph.links, md.frame_poses(graph, dynamics.coordinates), strict=True))
    joints = {joint.name: joint for joint in messages["reactions"].joints}
    for name in HEARD:  # once at the joint's point, once at a link's origin
        joint, stamped = joints[name], messages[f"joints/{name}/wrench"]
        assert stamped.header.frame_id == joint.axes
        here, (R, o) = vec6(joint.wrench), (poses[joint.axes][:3, :3], poses[joint.axes][:3, 3])
        here[3:] += R.T @ np.cross(vector(joint.point) - o, R @ here[:3])
        assert vec6(stamped.wrench) == pytest.approx(here, abs=1e-9)
    # 55.6 kg stand on it
    assert vector(joints["j3"].wrench.force)[2] == pytest.approx(55.6 * 9.81, abs=1e-6)
    arrows = {marker.ns: marker for marker in messages["markers"].markers}
    assert len(arrows) == 2 * len(joints)
    start, end = map(vector, arrows["forces of act4"].points)
    assert start == pytest.approx(vector(joints["act4"].point), abs=1e-9)
    length = 0.002 * np.linalg.norm(vector(joints["act4"].wrench.force))
    assert np.linalg.norm(end - start) == pytest.approx(length, rel=1e-9)
