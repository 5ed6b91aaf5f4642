from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import SubsystemEdge

import modular_dynamics as md
from modular_dynamics_ros.messages.subsystem_graph import subsystem_graph_message


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
