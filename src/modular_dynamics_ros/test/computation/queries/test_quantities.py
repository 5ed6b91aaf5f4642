"""M, bias, gravity and springs against Pinocchio's; and as an equation: M a + bias is inverse dynamics."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.query_subjects import Oracle, floating, hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from helpers.springs import spring_torque
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics_ros.computation.queries.quantities import (
    equation_of_motion,
    full_torques,
    inverse_dynamics,
    point_jacobian,
)
from modular_dynamics_ros.computation.queries.query_model import (
    QueryError,
    QueryModel,
    RequestedState,
    state_of,
)

pytestmark = pytest.mark.ros

Q, V, A = [0.3, -0.5, 0.7], [1.0, -2.0, 0.5], [3.0, 1.0, -4.0]


def holds(solved, found):
    """Without loads."""
    indices, names = solved.model.coordinates
    assert found.coordinates == names
    dynamics = solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches)
    tau = full_torques(solved.model, dynamics)[indices]
    state = solved.state
    a = solved.model.rates(state.a, None if state.base is None else state.base.acceleration)[indices]
    total = found.mass_matrix @ a + found.nonlinear_effects
    assert total == pytest.approx(tau, rel=1e-9, abs=1e-10 * np.abs(tau).max())
    assert found.mass_matrix == pytest.approx(found.mass_matrix.T, abs=1e-12)
    assert np.linalg.eigvalsh(found.mass_matrix).min() > 0


def test_of_a_tree_with_a_mimic_joint():
    solved = solve(subject_of(hand()), Q, V, A)
    found, theirs = equation_of_motion(*solved.at()), Oracle(solved)
    assert found.coordinates == ["j1", "j2", "j3"]
    assert found.mass_matrix == pytest.approx(theirs.mass_matrix(theirs.at), rel=1e-10)
    spring = np.array([0, 50 * (-0.5 - 0.1), 0])
    assert found.nonlinear_effects == pytest.approx(theirs.torques(1, 0, 1) + spring, rel=1e-10)
    assert found.gravity == pytest.approx(theirs.torques(0, 0, 1), rel=1e-10, abs=1e-12)
    assert found.springs == pytest.approx(spring, rel=1e-10, abs=1e-12)
    holds(solved, found)


def test_of_a_floating_base(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    solved = floating(subject_of(quadruped, base="odometry"), joints, 2 * joints, -3 * joints)
    found, theirs = equation_of_motion(*solved.at()), Oracle(solved)
    assert found.coordinates[:6] == [
        f"base.{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz"
    ]
    assert found.coordinates[6:] == list(solved.robot.state_names)
    assert found.mass_matrix == pytest.approx(theirs.mass_matrix(theirs.at), rel=1e-10, abs=1e-12)
    assert found.nonlinear_effects == pytest.approx(theirs.torques(1, 0, 1), rel=1e-9, abs=1e-11)
    assert not found.springs.any()
    assert found.gravity == pytest.approx(theirs.torques(0, 0, 1), rel=1e-9, abs=1e-11)
    holds(solved, found)


def test_a_root_that_only_turns_has_no_coordinates_of_its_own(quadruped):
    last = np.linspace(-0.7, 0.8, 12), np.zeros(12)
    subject = subject_of(quadruped, base="imu", last=last)
    solved = solve(subject, *last)
    found, theirs = equation_of_motion(*solved.at()), Oracle(solved)
    assert found.coordinates == list(solved.robot.state_names)
    assert found.mass_matrix == pytest.approx(theirs.mass_matrix(theirs.at)[6:, 6:], rel=1e-10, abs=1e-12)
    assert found.gravity == pytest.approx(theirs.torques(0, 0, 1)[6:], rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("name", STATES)
def test_with_closed_loops_it_is_an_equation(name):
    q = STATES[name]
    solved = solve(subject_of(path(name)), q, 0.3 + q, 1.0 - q)
    found = equation_of_motion(*solved.at())
    holds(solved, found)
    graph = solved.robot.graph
    assert found.gravity == pytest.approx(md.gravity_torque(graph, q), rel=1e-8, abs=1e-9)
    rest = solved.state._replace(v=np.zeros(len(q)))
    still = equation_of_motion(solved.model, solved.configuration, rest)
    assert still.springs == pytest.approx(spring_torque(graph, q), rel=1e-8, abs=1e-9)
    assert still.nonlinear_effects == pytest.approx(still.gravity + still.springs, rel=1e-9, abs=1e-9)


def test_black_boxes_weigh_nothing(four_link, boxed_branch):
    """As the robot without the branch; no wrench is needed."""
    subject = subject_of(four_link, partition=boxed_branch)
    found = equation_of_motion(*without_loads(subject))
    without = subject.robot.graph.without("right_branch")
    assert found.mass_matrix == pytest.approx(md.mass_matrix(without, Q), rel=1e-10, abs=1e-14)
    assert found.gravity == pytest.approx(md.gravity_torque(without, Q), rel=1e-10, abs=1e-13)


def without_loads(subject):
    model = QueryModel(subject.robot, subject.settings)
    state = state_of(subject.robot, RequestedState(subject.robot.state_names, np.array(Q), np.array(V)), None)
    return model, model.configuration(state, None), state


def test_a_box_that_moves_joints_outside_is_refused(chain):
    subject = subject_of(chain("b"))
    assert subject.robot.state_names == ("j1", "j2", "j3")
    with pytest.raises(QueryError, match="'j2' inside a black box of 'chain'") as refused:
        equation_of_motion(*without_loads(subject))
    assert refused.value.code == "REFUSED"


FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])


def found(solved, *, friction=False):
    return inverse_dynamics(*solved.at(), solved.wrenches, friction=friction)


def on_fixed_root(solved, tree_motion):
    """Rate of the momentum of all bodies about the root's origin, less weights: of the tree's own motion."""
    graph = solved.robot.graph
    ground = graph.ground
    q, v, a = tree_motion
    mass = sum(body.mass for body in graph.bodies)
    centre = md.centre_of_mass(graph.tree, q, v, a)
    rate = md.centroidal_momentum_rate(graph.tree, q, v, a)
    force, moment = rate[:3] - mass * graph.gravity, rate[3:]
    moment = moment + np.cross(centre.position, force)
    weight = ground.mass * graph.gravity
    return np.concatenate((force - weight, moment - np.cross(ground.com, weight)))


@pytest.mark.parametrize("name", STATES)
def test_the_root_of_a_closed_robot_holds_all_bodies(name):
    q = STATES[name]
    solved = solve(subject_of(path(name)), q, 0.3 + q, 1.0 - q)
    result = found(solved).dynamics.result
    link, wrench = found(solved).root
    expected = on_fixed_root(solved, (result.coordinates, result.velocities, result.accelerations))
    assert link == solved.robot.graph.ground.name
    assert wrench == pytest.approx(expected, rel=1e-8, abs=1e-9 * np.abs(expected).max())


def test_the_root_of_a_tree_and_external_wrenches():
    q, v, a = [0.3, -0.5, 0.7], [1.0, -2.0, 0.5], [3.0, 1.0, -4.0]
    solved = solve(subject_of(hand()), q, v, a)
    expected = on_fixed_root(solved, (solved.configuration.coordinates, *Oracle(solved).rates))
    assert found(solved).root[1] == pytest.approx(expected, rel=1e-9)
    for link in ("l4", "l0"):
        loaded = solve(subject_of(hand()), q, v, a, [(link, FORCE)])
        (H,) = md.frame_poses(solved.robot.graph, solved.configuration.coordinates, [link])
        force, moment = H[:3, :3] @ FORCE[:3], H[:3, :3] @ FORCE[3:]
        at_root = np.concatenate((force, moment + np.cross(H[:3, 3], force)))
        assert found(loaded).root[1] == pytest.approx(expected - at_root, rel=1e-9)


def test_a_floating_base_has_its_own_wrench(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    solved = floating(subject_of(quadruped, base="odometry"), joints, 2 * joints, -3 * joints)
    link, wrench = found(solved).root
    assert link == "trunk"
    assert wrench == pytest.approx(Oracle(solved).torques()[:6], rel=1e-9)


def test_terms_and_connection_wrenches_are_of_the_same_solution(four_link):
    solved = solve(subject_of(four_link), [0.3, -0.5, 0.7, 0.2], [1.0, -2.0, 0.5, 0.1], [1.0, 2, 3, 4])
    result = found(solved)
    assert result.terms.total == pytest.approx(Oracle(solved).torques(), rel=1e-9)
    expected = md.InverseDynamics(solved.robot.graph).solve(*(getattr(solved.state, k) for k in "qva"))
    assert (
        result.dynamics.connection_wrench(0)[1].tolist() == expected.connection_wrench_in_link(0)[1].tolist()
    )


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


def test_of_a_tree_with_a_mimic_joint_jacobian():
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
