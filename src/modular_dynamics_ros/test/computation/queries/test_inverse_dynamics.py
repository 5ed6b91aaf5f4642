"""Terms and wrenches of a state; what the world exerts on a fixed root, by momentum and by Pinocchio."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.query_subjects import Oracle, floating, hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.inverse_dynamics import inverse_dynamics

pytestmark = pytest.mark.ros

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


def test_velocities_whose_torques_would_overflow_are_refused(four_link):
    with pytest.raises(QueryError, match="velocities: that of 'turn' is 1e\\+160; sizes of at most 1e\\+09"):
        found(solve(subject_of(four_link), [0.3, -0.5, 0.7, 0.2], [1e160, 1e160, 0, 0]))
