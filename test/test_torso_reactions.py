"""torso_reaction_node on the care robot, plain processes: a played motion, what goes wrong, a restart."""

from contextlib import ExitStack, closing

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import TorsoReactions
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from visualization_msgs.msg import MarkerArray

import modular_dynamics as md
from helpers.nodes.node_probe import DEPTH, NodeProbe
from modular_dynamics_ros.messages.geometry import wrench_from_message
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
NODE = "torso_reaction_node"
WEIGHT = 55.6 * 9.81  # [N] of all bodies of the paper's Table 1
HANGING = ("left_arm", "right_arm", "head")


class Torso(NodeProbe):
    """The nodes on the care robot; receives all topics of torso_reaction_node, and sends states.

    Attributes:
        springs: joint states. reactions: TorsoReactions. arrivals: of the reactions [ns]. wrenches: joint ->
        stamp -> message. efforts, markers: in order.

    Args:
        joints: whose wrenches are heard. everything: also springs, commands and markers.
    """

    def __init__(self, root, folder, *joints, everything=True):
        super().__init__(root / "urdf/charmie_torso.urdf", folder, f"/{NODE}: ")
        self.root, self.motion = root, root / "config/charmie_torso_motion.yaml"
        self.springs, self.reactions, self.arrivals, self.efforts, self.markers = {}, {}, {}, [], []
        self.answers = (self.reactions,)
        self.wrenches = {name: {} for name in joints}
        self.listen(TorsoReactions, f"{NODE}/reactions", self._on_reactions, DEPTH)
        if everything:
            self.listen(JointState, f"{NODE}/springs", self.keep(self.springs), DEPTH)
            self.listen(Float64MultiArray, f"{NODE}/effort_commands", self.efforts.append, DEPTH)
            self.listen(MarkerArray, f"{NODE}/markers", self.markers.append, DEPTH)
        for name, kept in self.wrenches.items():
            self.listen(WrenchStamped, f"{NODE}/joints/{name}/wrench", self.keep(kept), DEPTH)

    def _on_reactions(self, message, info):
        stamp = stamp_nanoseconds(message.header.stamp)
        self.reactions[stamp], self.arrivals[stamp] = message, info["received_timestamp"]

    def start_node(self, name, *parameters):
        robot = f"robot_description_file:={self.urdf}", "autostart:=true"
        own = {
            "dynamics_node": robot,
            NODE: (*robot, f"rules_file:={self.root / 'urdf/charmie_torso_rules.yaml'}"),
            "joint_state_player": (f"motion_file:={self.motion}",),
        }[name]
        file = self.root / "config/charmie_torso.yaml"
        self.processes.start(name, *own, *parameters, params_file=file)


@pytest.fixture
def make(root, tmp_path):
    with ExitStack() as ended:
        yield lambda *joints, **more: ended.enter_context(closing(Torso(root, tmp_path, *joints, **more)))


def vector(message):
    return np.array([message.x, message.y, message.z])


def check(probe, stamp, acceleration):
    """One answer against the virtual power of the whole robot, springs by their law, arrows by statics."""
    graph, message = probe.graph, probe.reactions[stamp]
    dynamics = md.InverseDynamics(graph).solve(*probe.independent_state(stamp), acceleration)
    poses = dict(zip(graph.links, md.frame_poses(graph, dynamics.coordinates), strict=True))
    names = graph.independent_joint_names
    for actuator in message.actuators:
        place = names.index(actuator.name)
        assert actuator.force == pytest.approx(dynamics.tau[place], abs=1e-7)
        assert actuator.position == pytest.approx(probe.independent_state(stamp)[0][place], abs=1e-12)
    assert [actuator.name for actuator in message.actuators] == ["act5", "act4"]
    assert {spring.name for spring in message.springs} == {"s5", "sr4", "sl4"}
    for spring in message.springs:
        law = next(one for one in graph.springs if one.name == spring.name)
        ends = [(poses[a.link] @ [*md.algebra.translation(a.x_link_anchor), 1.0])[:3] for a in law.anchors]
        assert spring.length == pytest.approx(np.linalg.norm(ends[1] - ends[0]), abs=1e-12)
        pull = law.initial_force + law.stiffness * (spring.length - law.free_length)
        assert spring.tension == pytest.approx(pull, abs=1e-2)  # no speed: the damping is left out here
        assert spring.tension > 0.0
    joints = {joint.name: joint for joint in message.joints}
    for name, kept in probe.wrenches.items():  # the same, once at the joint's point, once at a link's origin
        joint, stamped = joints[name], kept[stamp]
        assert stamped.header.frame_id == joint.axes
        here = np.concatenate([vector(joint.wrench.force), vector(joint.wrench.torque)])
        R, o = poses[joint.axes][:3, :3], poses[joint.axes][:3, 3]
        here[3:] += R.T @ np.cross(vector(joint.point) - o, R @ here[:3])
        assert wrench_from_message(stamped) == pytest.approx(here, abs=1e-9)
    assert max(message.residual_force, message.residual_moment) < 1e-9
    return joints


def test_every_state_at_200_hz_is_answered_with_the_loads_that_dynamics_node_publishes(make, tmp_path):
    torso = make(everything=False)
    processes, published = torso.processes, torso.motion.read_text()
    torso.motion = tmp_path / "one_second.yaml"  # fewer states than any queue holds: a pause loses none
    torso.motion.write_text(published.replace(" 5.0", " 1.0").replace(" 2.5", " 0.5"))
    for name in ("dynamics_node", NODE):
        torso.start_node(name, "stale_after:=60.0")  # however busy the machine is
    torso.start_node("joint_state_player", "lead_in:=true", "wait_for_subscriber:=4", "rate:=200.0")
    torso.connect()
    log = tmp_path / f"{NODE}.log"
    before = len(log.read_text())
    stamps = torso.play(201)  # the fourth subscriber
    torso.spin_until(lambda: "sent 201 joint states" in processes.log("joint_state_player"), "its word")
    for stamp in stamps[::12]:
        joints = check(torso, stamp, torso.accelerations[stamp])
        assert torso.reactions[stamp].loads == torso.reactions[stamp].TOPICS
    # the torso is lowered, so slowly that it is hardly seen
    assert vector(joints["j3"].wrench.force)[2] == pytest.approx(WEIGHT, rel=1e-3)
    status = torso.status_after(0, "reactions", "in equilibrium, within the limits, springs pull")
    assert any(value.key == "closest to its limit" for value in status.values)
    assert "not answered" not in log.read_text()[before:]
    assert processes.end(NODE) == processes.end("dynamics_node") == 0


def test_all_topics_tell_the_same(make):
    torso = make("j3", "act5", "srt4")
    torso.start_node("torso_reaction_node", "loads:=computed", "acceleration_source:=zero")
    heard = (torso.springs, *torso.wrenches.values())
    q = np.linspace(-0.02, 0.02, 19)

    def everywhere(sent=()):
        stamps = [stamp for stamp in torso.reactions if all(stamp in kept for kept in heard)]
        return len(torso.efforts) and len(torso.markers) > 1 and stamps

    torso.publish_until(everywhere, "all topics", q)
    stamp = everywhere()[-1]
    torso.spin_until(lambda: stamp in torso.states, "the state")
    joints, message = check(torso, stamp, np.zeros(19)), torso.reactions[stamp]
    assert list(joints)[-1] == "j3"
    forces = {actuator.name: actuator.force for actuator in message.actuators}
    commands = [forces["act4"], forces["act5"]]  # controller_joints
    assert list(torso.efforts[-1].data) == pytest.approx(commands, abs=1e-9)
    assert torso.springs[stamp].name == [spring.name for spring in message.springs]
    assert list(torso.springs[stamp].effort) == [spring.tension for spring in message.springs]
    assert list(torso.springs[stamp].position) == [spring.length for spring in message.springs]
    arrows = {marker.ns: marker for marker in torso.markers[-1].markers}
    assert len(arrows) == 2 * len(joints)
    push, acting = arrows["forces of act4"], joints["act4"]
    start, end = (np.array([p.x, p.y, p.z]) for p in push.points)
    assert start == pytest.approx(vector(acting.point), abs=1e-9)
    length = 0.002 * np.linalg.norm(vector(acting.wrench.force))  # force_scale
    assert np.linalg.norm(end - start) == pytest.approx(length, rel=1e-9)
    assert torso.processes.end(NODE) == 0
