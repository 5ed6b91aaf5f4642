"""Descents to a minimum of the residual: derivatives by coordinates, limits, gears of large ratio."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import ankle
from helpers.robots.planar_robots import four_bar, with_limits
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from modular_dynamics.loops.assembly.least_squares import LeastSquares, independent_groups
from modular_dynamics.loops.constraints.constraint_system import ConstraintSystem


def least_squares(graph):
    system = ConstraintSystem(graph.with_independent_joints(*graph.joint_names))
    return LeastSquares(system, graph.joint_names)


def test_derivatives_by_quaternions_of_any_length():
    body = inertial(1.0, (0, 0, 0), np.eye(3))
    links = "".join(f'<link name="{name}">{body}</link>' for name in ("ground", "box", "lid"))
    free = joint("free", "floating", "ground", "box", (0, 0, 0))
    hinge = joint("hinge", "revolute", "box", "lid", (0.1, 0, 0.2), axis=(0, 1, 0))
    ends = ("ground", (0.1, 0.2, 0.3), (0.4, 0.5, 3.0)), ("lid", (0, 0, 0.1))
    graph = md.load_urdf(robot("air", [links, free, hinge], [loop_joint("weld", "fixed", *ends, (0, 0, 1))]))
    search, rng, step = least_squares(graph), np.random.default_rng(0), 1e-6
    [group] = search.groups
    for _ in range(20):
        q = rng.normal(size=graph.nq)
        _, J = search._rows(group, q)
        for unit, column in zip(np.eye(graph.nq)[group.q], J.T, strict=True):
            ahead, behind = (search._rows(group, q + sign * step * unit)[0] for sign in (1, -1))
            # rounding of 1e-16 over 1e-6; third derivatives grow with short quaternions and reversed frames
            assert column == pytest.approx(
                (ahead - behind) / (2 * step), abs=1e-6 * (1 + np.abs(J).max()) ** 3
            )


@pytest.mark.parametrize("ratio", [-30.0, 1e6])
def test_gears_of_large_ratio_are_closed_too(ratio):
    built = four_bar()
    built.turn("motor", "world", "motor", (4, 4))
    built.tags.append(f'<gear joint="motor" driver="rocker" ratio="{ratio}" offset="500"/>')
    graph = built.graph()
    found = least_squares(graph).search(graph.neutral(), limited=True)
    assert found.open_groups == ()
    motor, rocker = (found.q[graph.q_slice(name)][0] for name in ("motor", "rocker"))
    assert motor == pytest.approx(ratio * rocker + 500, rel=1e-9)


def test_a_minimum_names_the_limits_that_stop_it():
    text = four_bar(0.5, 0.2, 0.3, 2.0).graph().urdf
    graph = md.load_urdf(with_limits(text, "rocker", -0.5, 0.5))
    search = least_squares(graph)
    start = graph.neutral()
    start[graph.q_slice("rocker")] = 0.3
    [minimum] = search.search(start, limited=True, descents=1).open_groups
    assert minimum.at_limits == ("rocker",)
    assert minimum.gradient < 1e-5  # of the others
    assert not minimum.closed


def test_as_many_descents_as_are_asked_for():
    graph = four_bar(0.5, 0.2, 0.3, 2.0).graph()
    search = least_squares(graph)
    few, many = (search.search(graph.neutral(), False, count).evaluations for count in (1, 6))
    assert 0 < few < many


# Loops that share a free joint are in one group, others are not.


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
