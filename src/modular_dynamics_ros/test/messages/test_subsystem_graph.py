import numpy as np
import pytest
import transforms3d
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import SubsystemEdge

import modular_dynamics as md
from modular_dynamics_ros.messages.subsystem_graph import pose_message, subsystem_graph_message


def test_poses_are_those_of_the_graph():
    rng = np.random.default_rng(0)
    for _ in range(20):
        xyz, rpy = rng.normal(size=3), rng.uniform(-3, 3, size=3)
        message = pose_message(md.algebra.from_xyz_rpy(xyz, rpy))
        expected = transforms3d.euler.euler2mat(*rpy, axes="sxyz")
        r = message.orientation
        rotation = transforms3d.quaternions.quat2mat((r.w, r.x, r.y, r.z))
        assert rotation == pytest.approx(expected, abs=1e-14)  # a few roundings of numbers up to 1
        assert [message.position.x, message.position.y, message.position.z] == pytest.approx(xyz, abs=1e-14)


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
