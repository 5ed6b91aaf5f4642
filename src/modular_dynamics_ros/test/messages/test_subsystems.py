import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage
from modular_dynamics_interfaces.msg import SubsystemEdge

import modular_dynamics as md
from modular_dynamics.algebra import rotation_about, rotation_matrix
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.subsystems import (
    ConnectionMotionWriter,
    ConnectionWrenchesWriter,
    connection_motion_from_message,
    connection_wrenches_from_message,
    structure_from_message,
    subsystem_graph_message,
)

pytestmark = pytest.mark.ros


def written(angle=2.5) -> ConnectionMotionMessage:
    H = np.eye(4)
    H[:3, :3] = rotation_matrix(rotation_about(np.array([2.0, -1.0, 2.0]) / 3.0, angle))
    H[:3, 3] = 1.0, 2.0, 3.0
    motion = ConnectionMotion(H, np.arange(6.0), np.arange(6.0, 12.0), np.array([0.1, 0.2, -9.8]))
    return ConnectionMotionWriter("left/root", "arm").write(stamp_message(7), motion)


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.5, np.pi, 5.0, -1.0])
def test_a_motion_comes_back(angle):
    message = written(angle)
    read = connection_motion_from_message(message, "arm", "root", "left/")
    r = message.pose.orientation
    assert np.linalg.norm([r.x, r.y, r.z, r.w]) == pytest.approx(1.0, abs=1e-15)
    half = np.sin(angle / 2) / 3.0 * np.sign(np.cos(angle / 2) or 1.0)
    assert [abs(r.x), abs(r.y)] == pytest.approx([2 * abs(half), abs(half)], abs=1e-15)
    turned = rotation_matrix(rotation_about(np.array([2.0, -1.0, 2.0]) / 3.0, angle))
    assert read.H_root_point[:3, :3] == pytest.approx(turned, abs=1e-14)
    assert read.H_root_point[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert (read.twist.tolist(), read.acceleration.tolist()) == (list(range(6)), list(range(6, 12)))
    assert read.gravity.tolist() == [0.1, 0.2, -9.8]
    assert (message.twist.linear.y, message.twist.angular.x, message.acceleration.angular.z) == (
        1.0,
        3.0,
        11.0,
    )
    assert (message.subsystem, message.header.frame_id, message.header.stamp.nanosec) == (
        "arm",
        "left/root",
        7,
    )


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda m: setattr(m, "subsystem", "leg"), "another subsystem"),
        (lambda m: setattr(m.header, "frame_id", "torso"), "unknown frame"),
        (lambda m: setattr(m.twist.angular, "y", np.nan), "not finite"),
        (lambda m: setattr(m.gravity, "x", np.inf), "not finite"),
        (lambda m: setattr(m.acceleration.linear, "z", -1e300), "too large"),
        (lambda m: setattr(m.pose.orientation, "w", 2.0), "no orientation"),
    ],
)
def test_a_motion_that_cannot_be_used_is_refused(change, cause):
    message = written()
    change(message)
    with pytest.raises(BadMessage) as refused:
        connection_motion_from_message(message, "arm", "root", "left/")
    assert refused.value.cause == cause


@pytest.mark.parametrize(
    ("theirs", "own", "read"), [("a1", "", "a1"), ("", "b2", "b2"), ("b2", "b2", "b2"), ("a1", "b2", None)]
)
def test_a_motion_belongs_to_one_description(theirs, own, read):
    message = written()
    message.description = theirs
    if read is None:
        with pytest.raises(BadMessage, match="'a1', and here is 'b2'") as refused:
            connection_motion_from_message(message, "arm", "root", "left/", own)
        assert refused.value.cause == "another robot"
    else:
        assert connection_motion_from_message(message, "arm", "root", "left/", own).description == read


NAMES, LINKS = ("arm", "head"), {"arm_base", "neck"}
WRENCHES = (("arm_base", np.arange(1.0, 7.0)), ("neck", -np.ones(6)))


@pytest.fixture
def message():
    return ConnectionWrenchesWriter(NAMES).write(Time(sec=1), WRENCHES.__getitem__)


def test_wrenches_survive_the_round_trip(message):
    assert message.header.stamp.sec == 1
    assert message.wrenches[0].torque.x == 4.0  # force first, moment second
    read = connection_wrenches_from_message(message, ("head", "arm"), LINKS)
    assert list(read) == ["head", "arm"]
    for name, (link, wrench) in zip(NAMES, WRENCHES, strict=True):
        assert read[name][0] == link
        assert read[name][1].tolist() == wrench.tolist()


def test_only_what_is_needed_is_read(message):
    message.wrenches[1].force.x = float("nan")
    assert list(connection_wrenches_from_message(message, ("arm",), {"arm_base"})) == ["arm"]


def test_what_cannot_be_used_is_refused_by_name(message):
    def refusal():
        with pytest.raises(BadMessage) as caught:
            connection_wrenches_from_message(message, NAMES, LINKS)
        return str(caught.value)

    message.wrenches[1].force.x = float("inf")
    assert "'head' holds NaN or infinite" in refusal()
    message.wrenches[1].force.x = 1e300
    assert "the wrench of 'head' holds 1e+300; sizes of at most 1e+09" in refusal()
    message.frames[0] = "hand_of_another"
    assert "'hand_of_another' of 'arm' is no link" in refusal()
    message.subsystems[0] = "leg"
    assert "no wrench of 'arm'" in refusal()
    message.frames = ["arm_base"]
    assert "different lengths" in refusal()


def test_frames_have_the_prefix_of_tf_and_links_none():
    message = ConnectionWrenchesWriter(NAMES, "left/").write(Time(sec=1), WRENCHES.__getitem__)
    assert message.frames == ["left/arm_base", "left/neck"]
    read = connection_wrenches_from_message(message, NAMES, LINKS, "left/")
    assert [link for link, _ in read.values()] == ["arm_base", "neck"]


def test_the_graph_message_has_an_edge_each_way(four_link):
    graph = md.load_urdf(four_link)
    message = subsystem_graph_message(graph, Time(sec=5))
    assert (message.robot, message.header.frame_id, message.header.stamp.sec) == ("four_link", "base", 5)
    assert [vertex.name for vertex in message.vertices] == ["stem", "left_branch", "right_branch"]
    assert [vertex.predecessor for vertex in message.vertices] == [-1, 0, 0]
    assert message.vertices[0].joints == ["turn", "bend"]
    assert message.vertices[1].connection_link == "upper_stem"
    edges = {(edge.kind, edge.source, edge.target) for edge in message.edges}
    twist, wrench = SubsystemEdge.TWIST, SubsystemEdge.WRENCH
    assert edges == {(twist, 0, 1), (wrench, 1, 0), (twist, 0, 2), (wrench, 2, 0)}
    assert message.dot.startswith("digraph")


def test_a_graph_is_read_as_the_layout_of_the_robot(four_link):
    structure = structure_from_message(subsystem_graph_message(md.load_urdf(four_link), Time()))
    assert structure.predecessors == {"stem": None, "left_branch": "stem", "right_branch": "stem"}
    assert structure.owners["turn"] == structure.owners["bend"] == "stem"
    link, H = structure.points["left_branch"]
    at = md.load_urdf(four_link).subsystem("left_branch").connection.x_link_connection
    assert link == "upper_stem"
    assert H[:3, 3] == pytest.approx(md.algebra.translation(at), abs=1e-12)
    assert H[:3, :3] @ H[:3, :3].T == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize(("predecessor", "words"), [(3, "is 3, none of 3 vertices"), (-2, "is -2, none of")])
def test_a_predecessor_that_is_no_vertex_is_refused(four_link, predecessor, words):
    message = subsystem_graph_message(md.load_urdf(four_link), Time())
    message.vertices[1].predecessor = predecessor
    with pytest.raises(BadMessage, match=f"of 'left_branch' {words}"):
        structure_from_message(message)


def test_a_connection_point_without_an_orientation_is_refused(four_link):
    message = subsystem_graph_message(md.load_urdf(four_link), Time())
    message.vertices[1].connection_pose.orientation = Quaternion(w=0.0)
    with pytest.raises(BadMessage, match="norm 0 instead of 1"):
        structure_from_message(message)
