"""M, bias, gravity and springs against Pinocchio's; and as an equation: M a + bias is inverse dynamics."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.query_subjects import Oracle, floating, hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from helpers.springs import spring_torque
from modular_dynamics_ros.computation.queries.quantities import (
    equation_of_motion,
    full_torques,
    inverse_dynamics,
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


def test_a_floating_base_has_its_own_wrench(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    solved = floating(subject_of(quadruped, base="odometry"), joints, 2 * joints, -3 * joints)
    terms, dynamics = inverse_dynamics(*solved.at(), solved.wrenches, friction=False)
    assert np.append(dynamics.base_wrench, terms.total) == pytest.approx(Oracle(solved).torques(), rel=1e-9)
