"""Loops that share a free joint are in one group, others are not."""

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import ankle
from helpers.robots.planar_robots import four_bar
from modular_dynamics.loops.assembly.least_squares import independent_groups
from modular_dynamics.loops.constraints.constraint_system import ConstraintSystem


def groups(graph, free):
    """Loops and gears, and the joints, of each group."""
    system = ConstraintSystem(graph.with_independent_joints(*graph.joint_names))
    found = independent_groups(system, free)
    assert sorted(k for group in found for k in group.rows) == list(range(len(system.names)))
    return {tuple(sorted({system.names[k] for k in group.rows})): group.joints for group in found}


def test_two_legs_are_two_groups():
    graph = md.load_urdf(ankle(ankle(), "_2", (0.0, 0.5, 0.1)).urdf())
    found = groups(graph, graph.joint_names)
    assert set(found) == {("left_weld", "right_weld"), ("left_weld_2", "right_weld_2")}
    assert sorted(name for joints in found.values() for name in joints) == sorted(graph.joint_names)


def test_a_leg_whose_foot_stands_still_is_two_groups():
    graph = md.load_urdf(ankle().urdf())
    found = groups(graph, [name for name in graph.joint_names if not name.startswith("foot")])
    assert set(found) == {("left_weld",), ("right_weld",)}


def test_a_gear_joins_what_it_couples():
    robot = four_bar()
    four_bar(0.4, 1.5, 1.0, 1.6, at=(0.0, 3.0), robot=robot, tag="_2")
    apart = robot.graph()
    assert len(groups(apart, apart.joint_names)) == 2
    robot.tags.append('<gear joint="crank_2" driver="crank" ratio="1"/>')
    graph = robot.graph()
    assert set(groups(graph, graph.joint_names)) == {("gear of crank_2", "loop", "loop_2")}


def test_loops_that_no_free_joint_moves_have_no_joints():
    assert groups(four_bar().graph(), []) == {("loop",): ()}
