"""Look-ups in a graph: slices, links and their poses, what it answers to wrong names."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.model import Inertial, body_of_link


def test_slices_cover_the_vectors_in_order(load_robot):
    graph = load_robot("four_link", floating_base=True)
    q = [k for name in graph.joint_names for k in range(*graph.q_slice(name).indices(graph.nq))]
    v = [k for name in graph.joint_names for k in range(*graph.v_slice(name).indices(graph.nv))]
    assert q == list(range(graph.nq))
    assert v == list(range(graph.nv))
    assert graph.neutral().tolist() == [0, 0, 0, 1, 0, 0, 0] + [0] * 4


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda graph: graph.joint("nose"), "no joint 'nose' in 'charmie'; its joints: base_x"),
        (lambda graph: graph.subsystem("tail"), "no subsystem 'tail' .* its subsystems: base, torso"),
        (lambda graph: body_of_link(graph, "nose"), "no link 'nose' .* its links: world"),
    ],
)
def test_unknown_names_are_computed_with_the_choices(load_robot, ask, message):
    with pytest.raises(KeyError, match=message):
        ask(load_robot("charmie"))


def test_every_link_has_a_pose_in_its_body(load_robot):
    graph = load_robot("charmie")
    assert graph.links[0] == graph.ground.name
    for link in graph.links:
        body, x_body_link = graph.link_pose(link)
        assert body == body_of_link(graph, link)
        owner = graph.ground if body is None else graph.bodies[body]
        assert owner.links[link] is x_body_link
    with pytest.raises(KeyError, match="no link 'lid' in 'charmie'; its links: "):
        graph.link_pose("lid")


# Subsystems of a graph follow its joints and bodies; contradictions are refused.


def test_subsystems_follow_the_graphs_joints_and_bodies(load_robot):
    graph = load_robot("charmie")
    bodies = list(graph.bodies)
    bodies[4] = replace(bodies[4], payloads={bodies[4].name: Inertial(9.0, np.zeros(3), np.eye(3))})
    changed = replace(graph, bodies=tuple(bodies))
    assert [b for s in changed.subsystems for b in s.bodies] == bodies
    assert changed.subsystems[0] is graph.subsystems[0]


def test_a_graph_of_unequal_counts_is_refused(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.ModelError, match=r"4 joints, 3 bodies, 4 parents, and 4 joints in subsystems"):
        replace(graph, bodies=graph.bodies[1:])
    with pytest.raises(md.ModelError, match=r"joint_names must name each joint"):
        replace(graph, joint_names=graph.joint_names[1:])
