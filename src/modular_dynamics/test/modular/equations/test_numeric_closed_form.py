"""The closed form against the library's other algorithms, and what matrices of a robot must satisfy."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.tree_dynamics import assert_close, differences
from modular_dynamics.modular.equations import closed_form

TYPES = ("revolute", "continuous", "prismatic")


@given(joint_trees(40, TYPES))
@examples(40)
def test_it_is_the_composition_and_the_library(robot):
    graph = robot.graph
    q, v, a = robot.state(graph)
    equations = closed_form(graph)
    tau = md.inverse_dynamics(graph, q, v, a)
    assert_close(equations.tau(q, v, a), tau)
    assert_close(md.compose(graph, q, v, a).tau, tau)
    assert_close(equations.M(q), md.mass_matrix(graph, q))
    assert_close(equations.C(q, v), md.coriolis_matrix(graph, q, v), least=_size_of_c(equations, q, v))
    assert_close(equations.N(q), md.nonlinear_effects(graph, q, 0 * v))


def _size_of_c(equations, q, v):
    """C of one joint is zero but for rounding of terms as large as this."""
    return np.abs(equations.M(q)).max() * np.abs(v).max()


@given(joint_trees(40, TYPES))
@examples(20)
def test_it_is_pinocchio(robot):
    graph = robot.graph
    q, v, a = robot.state(graph)
    equations, pin = closed_form(graph), PinocchioTree(graph)
    springs = np.zeros(graph.nv)
    for one in graph.joints:  # Pinocchio's algorithms have no springs
        part = graph.v_slice(one.name)
        springs[part] = one.stiffness * (q[part] - one.rest_position)
    assert_close(equations.tau(q, v, a) - springs, pin.inverse_dynamics(q, v, a))


@given(joint_trees(15, TYPES))
@examples(20)
def test_mass_is_positive_and_its_rate_without_twice_c_is_skew_symmetric(robot):
    graph = robot.graph
    q, v, _ = robot.state(graph)
    equations = closed_form(graph)
    M, C = equations.M(q), equations.C(q, v)
    assert_close(M, M.T, 1e-14)
    assert np.linalg.eigvalsh(M).min() > 0.0
    rate = differences(lambda t: equations.M(q + t[0] * v).ravel(), np.zeros(1)).reshape(M.shape)
    assert_close(rate, C + C.T, 1e-7, _size_of_c(equations, q, v))  # of differences with a step of 1e-6


@given(joint_trees(15, TYPES))
@examples(10)
def test_only_the_product_of_the_papers_c_is_right(robot):
    graph = robot.graph
    q, v, _ = robot.state(graph)
    equations = closed_form(graph)
    assert_close(equations.C(q, v, "paper") @ v, equations.C(q, v) @ v, least=_size_of_c(equations, q, v))


def test_the_papers_c_of_a_turning_body_does_not_conserve_energy():
    robot = joint_robot(("revolute", "revolute"))
    q, v = np.array([0.3, 0.5]), np.array([1.0, -2.0])
    equations = closed_form(robot)
    excess = equations.C(q, v, "paper") - equations.C(q, v)
    assert np.abs(excess + excess.T).max() > 1e-3


def joint_robot(kinds):
    parts = ['<link name="l0"/>']
    for k, kind in enumerate(kinds, 1):
        mass = inertial(0.5 + k, (0.1, -0.2, 0.3 * k), np.diag([0.02, 0.03, 0.04]))
        parts.append(f'<link name="l{k}">{mass}</link>')
        axis = np.eye(3)[k % 3]
        parts.append(joint(f"j{k}", kind, f"l{k - 1}", f"l{k}", (0.1, 0.2, 0.3), (0.4, 0.5 * k, 0.6), axis))
    return md.load_urdf(robot("chain", parts))


def test_wrenches_on_links_act_as_in_the_library():
    graph = joint_robot(("revolute", "prismatic", "revolute"))
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 3))
    wrenches = {"l2": rng.normal(size=6), "l3": rng.normal(size=6), "l0": rng.normal(size=6)}
    expected = md.inverse_dynamics(graph, q, v, a, external_wrenches=wrenches)
    assert_close(closed_form(graph).tau(q, v, a, wrenches), expected)


def test_transformations_are_products_along_paths():
    graph = joint_robot(("revolute", "prismatic", "revolute"))
    q = np.array([0.1, 0.2, 0.3])
    H = closed_form(graph).transformations(q)
    assert_close(H[0, 3], H[0, 1] @ H[1, 2] @ H[2, 3])
    assert_close(H[1, 3] @ np.linalg.inv(H[2, 3]), H[1, 2])
    assert not H[3, 1].any()


def test_wrong_options_are_named():
    robot = joint_robot(("revolute", "revolute"))
    with pytest.raises(md.StateError, match="q"):
        closed_form(robot).M([0.1, np.nan])
    with pytest.raises(md.StateError, match="'skew' or 'paper'"):
        closed_form(robot).C([0.1, 0.2], [0.2, 0.3], "other")
    with pytest.raises(md.StateError, match="parameters with symbolic=True only"):
        closed_form(robot, parameters="symbols")
    with pytest.raises(md.StateError, match="True or False"):
        closed_form(robot, symbolic="yes")
    with pytest.raises(md.GraphTypeError, match="SubsystemGraph"):
        closed_form("robot.urdf")
