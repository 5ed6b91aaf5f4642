"""Subsystems of a graph follow its joints and bodies; contradictions are refused."""

from dataclasses import replace

import pytest

import modular_dynamics as md


def test_subsystems_follow_the_graphs_joints_and_bodies(load_robot):
    graph = load_robot("charmie")
    bodies = list(graph.bodies)
    bodies[4] = replace(bodies[4], mass=99.0)
    changed = replace(graph, bodies=tuple(bodies))
    assert [b for s in changed.subsystems for b in s.bodies] == bodies
    assert changed.subsystems[0] is graph.subsystems[0]


def test_a_graph_of_unequal_counts_is_refused(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.ModelError, match=r"4 joints, 3 bodies, 4 parents, and 4 joints in subsystems"):
        replace(graph, bodies=graph.bodies[1:])
    with pytest.raises(md.ModelError, match=r"joint_names must name each joint"):
        replace(graph, joint_names=graph.joint_names[1:])
