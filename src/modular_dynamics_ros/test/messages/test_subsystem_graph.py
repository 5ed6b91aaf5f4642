"""The graph message; its rotations by tf_transformations, where it is installed, and by transforms3d."""

import sys
from importlib import reload
from importlib.util import find_spec

import numpy as np
import pytest
import transforms3d
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import SubsystemEdge

import modular_dynamics as md
from modular_dynamics_ros.messages import subsystem_graph

IF_INSTALLED = pytest.mark.skipif(
    find_spec("tf_transformations") is None, reason="tf_transformations comes with a distribution"
)
LIBRARIES = [pytest.param("tf_transformations", marks=IF_INSTALLED), "transforms3d"]


@pytest.fixture(params=LIBRARIES)
def messages(request, monkeypatch):
    """The module with one of the two libraries."""
    if request.param == "transforms3d":
        monkeypatch.setitem(sys.modules, "tf_transformations", None)  # its import fails
    yield reload(subsystem_graph)
    monkeypatch.undo()
    reload(subsystem_graph)


def test_the_library_is_the_one_that_is_installed(messages, request):
    assert (messages.tf_transformations is None) == (
        request.node.callspec.params["messages"] == "transforms3d"
    )


def test_poses_are_those_of_the_graph(messages):
    rng = np.random.default_rng(0)
    for _ in range(20):
        xyz, rpy = rng.normal(size=3), rng.uniform(-3, 3, size=3)
        message = messages.pose_message(md.algebra.from_xyz_rpy(xyz, rpy))
        w, x, y, z = transforms3d.euler.euler2quat(*rpy, axes="sxyz")
        r = message.orientation
        ours, theirs = np.array([r.x, r.y, r.z, r.w]), np.array([x, y, z, w])
        # q and -q are one rotation; 1e-14: a few roundings of numbers up to 1
        assert min(np.abs(ours - theirs).max(), np.abs(ours + theirs).max()) < 1e-14
        assert [message.position.x, message.position.y, message.position.z] == pytest.approx(xyz, abs=1e-14)


def test_a_quarter_turn_about_z(messages):
    message = messages.quaternion_message(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    half = np.sqrt(0.5)
    assert [message.x, message.y, message.z, message.w] == pytest.approx([0.0, 0.0, half, half], abs=1e-15)


def test_the_graph_message_has_an_edge_each_way(four_link):
    graph = md.load_urdf(four_link)
    message = subsystem_graph.subsystem_graph_message(graph, Time(sec=5))
    assert (message.robot, message.header.frame_id, message.header.stamp.sec) == ("four_link", "base", 5)
    assert [vertex.name for vertex in message.vertices] == ["stem", "left_branch", "right_branch"]
    assert [vertex.predecessor for vertex in message.vertices] == [-1, 0, 0]
    assert message.vertices[0].joints == ["turn", "bend"]
    assert message.vertices[1].connection_link == "upper_stem"
    edges = {(edge.kind, edge.source, edge.target) for edge in message.edges}
    twist, wrench = SubsystemEdge.TWIST, SubsystemEdge.WRENCH
    assert edges == {(twist, 0, 1), (wrench, 1, 0), (twist, 0, 2), (wrench, 2, 0)}
    assert message.dot.startswith("digraph")
