"""The closed form against the library's other algorithms; data of the equations; robots without one."""

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from scipy.linalg import expm

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees, passive_torques
from helpers.robots.small_robots import small_robot
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from helpers.tree_dynamics import assert_close, differences
from modular_dynamics.algebra.matrix_forms import twist_matrix
from modular_dynamics.modular import Assembly
from modular_dynamics.modular.equations import closed_form, tree_data
from modular_dynamics.modular.equations import numeric as forms
from modular_dynamics.modular.equations.numeric import body_wrenches

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
    springs = passive_torques(graph, q, v)  # Pinocchio's algorithms have none
    assert_close(equations.tau(q, v, a) - springs, pin.inverse_dynamics(q, v, a))


@given(joint_trees(40, TYPES))
@examples(20)
def test_a_floating_base_is_the_library_s_and_pinocchio_s_free_flyer(robot):
    """M is crba's, C v + N nle's; C and tau the library's, whether the graph floats or the option says so."""
    graph = md.load_urdf(robot.urdf, floating_base=True)
    q, v, a = robot.state(graph)
    pin, springs = PinocchioTree(graph), passive_torques(graph, q, v)
    effects = pin.fold().T @ pinocchio.nonLinearEffects(pin.model, pin.data, pin.q(q), pin.v(v))
    for equations in (closed_form(graph), closed_form(robot.graph, floating_base=True)):
        assert_close(equations.M(q), pin.mass_matrix(q))
        assert_close(equations.C(q, v) @ v + equations.N(q) - springs, effects)
        assert_close(equations.C(q, v), md.coriolis_matrix(graph, q, v), least=_size_of_c(equations, q, v))
        assert_close(equations.tau(q, v, a), md.inverse_dynamics(graph, q, v, a))


def test_virtual_joints_of_a_floating_base_stand_in_the_matrices():
    """Six joints before the others (section V.B): identities in T and S; T_H0 alone depends on the pose."""
    fixed = small_robot("chain")
    equations = closed_form(fixed, floating_base=True)
    assert equations.tree.joints == (*(f"root_joint.{k}" for k in range(6)), *fixed.joint_names)
    rng = np.random.default_rng(5)
    q, moved = rng.normal(size=(2, 10))
    moved[7:] = q[7:]
    (T, T_H0, S, _), (same, other, *_) = equations.matrices(q), equations.matrices(moved)
    assert_close(T[30:36, :36], np.tile(np.eye(6), (1, 6)))
    assert_close((T @ S)[30:36, :6], np.eye(6))
    assert_close(T, same)
    assert np.abs(T_H0 - other).max() > 0.1
    assert_close(equations.M(q)[6:, 6:], closed_form(fixed).M(q[7:]))
    assert_close(equations.C(q, np.ones(9)), equations.C(moved, np.ones(9)))


def test_an_assembly_floats_by_the_option_as_by_its_mount():
    pair = Assembly(("v0", "backbone")).dock("v0", 3, "v1", 4, kind="backbone")
    q = np.random.default_rng(6).normal(size=8)
    expected = closed_form(pair.with_base("v0", mount="floating")).M(q)
    assert_close(closed_form(pair, floating_base=True).M(q), expected)


@given(joint_trees(15, TYPES))
@examples(20)
def test_mass_is_positive_and_its_rate_without_twice_c_is_skew_symmetric(robot):
    """Of the paper's C only the product with v is the same."""
    graph = robot.graph
    q, v, _ = robot.state(graph)
    equations = closed_form(graph)
    M, C = equations.M(q), equations.C(q, v)
    assert_close(M, M.T, 1e-14)
    assert np.linalg.eigvalsh(M).min() > 0.0
    assert_close(equations.C(q, v, "paper") @ v, C @ v, least=_size_of_c(equations, q, v))
    rate = differences(lambda t: equations.M(q + t[0] * v).ravel(), np.zeros(1)).reshape(M.shape)
    assert_close(rate, C + C.T, 1e-7, _size_of_c(equations, q, v))  # of differences with a step of 1e-6


def test_the_papers_c_of_a_turning_body_does_not_conserve_energy():
    robot = small_robot("chain")
    q, v = np.array([0.3, 0.5, 0.2]), np.array([1.0, -2.0, 0.5])
    equations = closed_form(robot)
    excess = equations.C(q, v, "paper") - equations.C(q, v)
    assert np.abs(excess + excess.T).max() > 1e-3


def test_wrenches_on_links_act_as_in_the_library():
    graph = small_robot("chain")
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 3))
    wrenches = {"l2": rng.normal(size=6), "l3": rng.normal(size=6), "l0": rng.normal(size=6)}
    expected = md.inverse_dynamics(graph, q, v, a, external_wrenches=wrenches)
    assert_close(closed_form(graph).tau(q, v, a, wrenches), expected)


def test_transformations_are_products_along_paths():
    graph = small_robot("chain")
    q = np.array([0.1, 0.2, 0.3])
    H = closed_form(graph).transformations(q)
    assert_close(H[0, 3], H[0, 1] @ H[1, 2] @ H[2, 3])
    assert_close(H[1, 3] @ np.linalg.inv(H[2, 3]), H[1, 2])
    assert not H[3, 1].any()


def test_wrong_options_are_named():
    robot = small_robot("chain")
    with pytest.raises(md.StateError, match="q"):
        closed_form(robot).M([0.1, 0.2, np.nan])
    with pytest.raises(md.StateError, match="'skew' or 'paper'"):
        closed_form(robot).C(np.zeros(3), np.zeros(3), "other")
    with pytest.raises(md.StateError, match="parameters with symbolic=True only"):
        closed_form(robot, parameters="symbols")
    with pytest.raises(md.StateError, match="True or False"):
        closed_form(robot, symbolic="yes")
    with pytest.raises(md.StateError, match="floating_base is 1; True or False"):
        closed_form(robot, floating_base=1)
    with pytest.raises(md.GraphTypeError, match="SubsystemGraph"):
        closed_form("robot.urdf")


# Data of the equations, and robots that they do not describe.

BODY = inertial(2.0, (0, 0, 0), np.diag([0.1, 0.2, 0.25]))


def two_links(kind="revolute", more="", tags=(), mass=BODY):
    parts = ['<link name="a"/>', f'<link name="b">{mass}</link>', f'<link name="c">{mass}</link>']
    parts.append(joint("ab", "revolute", "a", "b", (0, 0, 1), axis=(0, 1, 0)))
    parts.append(joint("bc", kind, "b", "c", (0, 0, 1), axis=(0, 1, 0), more=more))
    return robot("two", parts, tags)


def test_mass_is_diagonal_where_the_frame_is_at_the_centre_of_mass():
    tree = tree_data(md.load_urdf(two_links("prismatic")))
    np.testing.assert_array_equal(tree.M[0], np.diag([2.0, 2.0, 2.0, 0.1, 0.2, 0.25]))
    np.testing.assert_array_equal(tree.S, [[0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0]])
    np.testing.assert_array_equal(tree.H0[1, :3, 3], [0, 0, 1])
    assert tree.parents == (None, 0)
    assert tree.Vdot0[2] == 9.81


def test_mass_of_another_frame_has_the_kinetic_energy_of_the_body():
    graph = small_robot("chain")
    body, M = graph.bodies[1], tree_data(graph).M[1]
    V = np.array([0.3, -0.4, 0.5, 1.0, 2.0, -3.0])
    velocity = V[:3] + np.cross(V[3:], body.com)
    energy = body.mass * velocity @ velocity + V[3:] @ body.inertia @ V[3:]
    np.testing.assert_allclose(V @ M @ V, energy, rtol=1e-13)


@pytest.mark.parametrize(
    ("urdf", "words"),
    [
        (two_links("revolute", '<mimic joint="ab"/>'), "'bc' mimics 'ab'"),
        (two_links("floating"), "'bc' is floating.*virtual"),
        (two_links("floating", tags=['<spherical joint="bc"/>']), "'bc' is spherical"),
        (
            two_links(tags=[loop_joint("shut", "spherical", ("a", (0, 0, 0)), ("c", (0, 0, 0)), (0, 1, 0))]),
            "shut",
        ),
    ],
    ids=["mimic", "floating", "spherical", "loop"],
)
def test_what_is_no_tree_of_single_joints_is_refused_by_name(urdf, words):
    graph = md.load_urdf(urdf)
    with pytest.raises(md.UnsupportedModelError, match=words):
        tree_data(graph)
    if graph.has_loops:  # left open on request
        assert tree_data(graph.tree).joints == ("ab", "bc")


def test_black_boxes_are_refused_by_name(boxed_arm):
    with pytest.raises(md.UnsupportedModelError, match="black boxes tool"):
        tree_data(boxed_arm)


@pytest.mark.parametrize(
    ("wrenches", "words"),
    [
        ({"c": ["1", "0", "0", "0", "0", "0"]}, "wrench on link 'c' is not an array of numbers"),
        ([1.0, 2.0], "wrenches is .*a mapping of links"),
        ({"d": [0.0] * 6}, "no link 'd' for a wrench; the links: a, b, c"),
        ({"c": [0.0] * 3}, "six finite numbers"),
    ],
    ids=["digits", "no mapping", "unknown link", "three numbers"],
)
def test_wrenches_that_are_none_are_refused(wrenches, words):
    with pytest.raises(md.StateError, match=words):
        body_wrenches(tree_data(md.load_urdf(two_links())), wrenches)


def test_an_object_with_a_graph_is_taken_as_its_graph_and_others_are_refused():
    pair = Assembly(("v0", "backbone")).dock("v0", 3, "v1", 4, kind="backbone")
    assert tree_data(pair).joints == ("v1/bend",)
    for other in (Assembly, "crane", None):
        with pytest.raises(md.GraphTypeError, match="SubsystemGraph is needed"):
            tree_data(other)


# Matrices of SE(3) and se(3) by their definitions.


TOLERANCE = 1e-14  # a few products of numbers of size 1


@pytest.mark.parametrize("part", ["screw", "revolute", "prismatic"])
def test_exp_is_the_matrix_exponential(part):
    rng = np.random.default_rng(1)
    s = rng.normal(size=6)
    if part == "prismatic":
        s[3:] = 0.0
    else:
        s[3:] /= np.linalg.norm(s[3:])
        s[:3] *= part == "screw"
    assert_close(forms.exp(s, 0.7), expm(0.7 * twist_matrix(s)), TOLERANCE)


def test_adjoint_is_conjugation_and_ad_the_commutator():
    s, x, y = np.random.default_rng(2).normal(size=(3, 6))
    H = forms.exp(np.concatenate([s[:3], s[3:] / np.linalg.norm(s[3:])]), 0.7)
    assert_close(twist_matrix(forms.adjoint(H) @ x), H @ twist_matrix(x) @ forms.inverse(H), TOLERANCE)
    bracket = twist_matrix(x) @ twist_matrix(y) - twist_matrix(y) @ twist_matrix(x)
    assert_close(twist_matrix(forms.ad(x) @ y), bracket, TOLERANCE)


def test_gyroscopic_matrices_are_skew_and_give_the_gyroscopic_wrench():
    rng = np.random.default_rng(3)
    V, half = rng.normal(size=6), rng.normal(size=(3, 3))
    M = forms.generalized_mass(2.0, rng.normal(size=3), half @ half.T)
    wrench = -forms.ad(V).T @ M @ V
    B = forms.gyroscopic(M, V)
    assert_close(B, -B.T, TOLERANCE)
    assert_close(B @ V, wrench, TOLERANCE)
