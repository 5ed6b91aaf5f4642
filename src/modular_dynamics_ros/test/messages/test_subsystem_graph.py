import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion
from modular_dynamics_interfaces.msg import SubsystemEdge

import modular_dynamics as md
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.subsystem_graph import layout_from_message, subsystem_graph_message


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
    layout = layout_from_message(subsystem_graph_message(md.load_urdf(four_link), Time()))
    assert layout.predecessors == {"stem": None, "left_branch": "stem", "right_branch": "stem"}
    assert layout.owners["turn"] == layout.owners["bend"] == "stem"
    link, H = layout.points["left_branch"]
    at = md.load_urdf(four_link).subsystem("left_branch").connection.x_link_connection
    assert link == "upper_stem"
    assert H[:3, 3] == pytest.approx(md.algebra.translation(at), abs=1e-12)
    assert H[:3, :3] @ H[:3, :3].T == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize(("predecessor", "words"), [(3, "is 3, none of 3 vertices"), (-2, "is -2, none of")])
def test_a_predecessor_that_is_no_vertex_is_refused(four_link, predecessor, words):
    message = subsystem_graph_message(md.load_urdf(four_link), Time())
    message.vertices[1].predecessor = predecessor
    with pytest.raises(BadMessage, match=f"of 'left_branch' {words}"):
        layout_from_message(message)


def test_a_connection_point_without_an_orientation_is_refused(four_link):
    message = subsystem_graph_message(md.load_urdf(four_link), Time())
    message.vertices[1].connection_pose.orientation = Quaternion(w=0.0)
    with pytest.raises(BadMessage, match="norm 0 instead of 1"):
        layout_from_message(message)
