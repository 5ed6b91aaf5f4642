"""The jacobian of a point against Pinocchio's frame, and against differences of closed positions."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.query_subjects import Oracle, floating, hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.jacobian import point_jacobian

pytestmark = pytest.mark.ros

POINT = np.array([0.1, -0.2, 0.3])
STEP = 1e-6


def theirs(solved, link):
    """Pinocchio's (6, nv) along the world's axes, and placement, of the point, by a frame of its own."""
    oracle = Oracle(solved)
    body, x = solved.robot.graph.link_pose(link)
    placement = pinocchio.SE3(*to_rotation_translation(x)) * pinocchio.SE3(np.eye(3), POINT)
    parent = oracle.ids[body]
    frame = oracle.model.addFrame(
        pinocchio.Frame("point", parent, 0, placement, pinocchio.FrameType.OP_FRAME)
    )
    data, q = oracle.model.createData(), oracle.q(oracle.at)
    J = pinocchio.computeFrameJacobian(oracle.model, data, q, frame, pinocchio.LOCAL_WORLD_ALIGNED)
    pinocchio.framesForwardKinematics(oracle.model, data, q)
    base = data.oMi[1] if solved.robot.base else pinocchio.SE3.Identity()
    turned = np.kron(np.eye(2), base.rotation.T) @ np.asarray(J) @ oracle.fold()
    return turned, (base.inverse() * data.oMf[frame]).homogeneous, turned @ oracle.rates[0]


def test_of_a_tree_with_a_mimic_joint():
    solved = solve(subject_of(hand()), [0.3, -0.5, 0.7], [1.0, -2.0, 0.5])
    found = point_jacobian(*solved.at(), "l4", POINT)
    J, pose, twist = theirs(solved, "l4")
    assert (found.frame, found.coordinates) == ("l0", ["j1", "j2", "j3"])
    assert found.jacobian == pytest.approx(J, abs=1e-12)
    assert found.pose == pytest.approx(pose, abs=1e-12)
    assert found.twist == pytest.approx(twist, abs=1e-12)


def test_of_a_floating_base_along_the_axes_of_the_base(quadruped):
    """Where the base is in the world plays no part."""
    joints = np.linspace(-0.7, 0.8, 12)
    solved = floating(subject_of(quadruped, base="odometry"), joints, 2 * joints)
    found = point_jacobian(*solved.at(), "fl_foot", POINT)
    J, pose, twist = theirs(solved, "fl_foot")
    assert found.frame == "trunk"
    assert found.coordinates == solved.model.coordinates[1]
    assert found.jacobian == pytest.approx(J, abs=1e-12)
    assert found.pose == pytest.approx(pose, abs=1e-12)
    assert found.twist == pytest.approx(twist, abs=1e-12)


@pytest.mark.parametrize("name", STATES)
def test_with_closed_loops_by_differences(name):
    q, v = STATES[name], 0.3 + STATES[name]
    solved = solve(subject_of(path(name)), q, v)
    graph, solver = solved.robot.graph, solved.model.solver.solver
    link = graph.bodies[-1].name
    found = point_jacobian(*solved.at(), link, POINT)

    def pose(moved):
        (H,) = md.frame_poses(graph, solver.close(moved, solved.configuration.coordinates), [link])
        return H

    assert found.coordinates == list(graph.independent_joint_names)
    for column, unit in zip(found.jacobian.T, np.eye(len(q)), strict=True):
        rate = (pose(q + STEP * unit) - pose(q - STEP * unit)) / (2 * STEP)
        assert column[:3] == pytest.approx((rate @ [*POINT, 1.0])[:3], abs=1e-7)
        turning = rate[:3, :3] @ pose(q)[:3, :3].T
        assert column[3:] == pytest.approx([turning[2, 1], turning[0, 2], turning[1, 0]], abs=1e-7)
    assert found.twist == pytest.approx(found.jacobian @ v, abs=1e-12)


def test_links_by_frame_and_unknown_ones(four_link):
    solved = solve(subject_of(four_link), [0.3, -0.5, 0.7, 0.2])
    with pytest.raises(QueryError, match="no link 'nix' in 'four_link'; its links: 'base'") as refused:
        point_jacobian(*solved.at(), "nix", POINT)
    assert refused.value.code == "UNKNOWN_NAME"
    with pytest.raises(QueryError, match="point: that of 'y' is NaN") as refused:
        point_jacobian(*solved.at(), "base", np.array([0, np.nan, 0]))
    assert refused.value.code == "BAD_STATE"
    assert not point_jacobian(*solved.at(), "base", POINT).jacobian.any()
