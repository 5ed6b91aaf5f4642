"""Data of the equations, and robots that they do not describe."""

import numpy as np
import pytest
from scipy.linalg import expm

import modular_dynamics as md
from helpers.robots.small_robots import small_robot
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from helpers.tree_dynamics import assert_close
from modular_dynamics.algebra.matrix_forms import twist_matrix
from modular_dynamics.modular import Assembly
from modular_dynamics.modular.equations import numeric as forms
from modular_dynamics.modular.equations import tree_data
from modular_dynamics.modular.equations.numeric import body_wrenches

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
    with pytest.raises(md.UnsupportedModelError, match=words):
        tree_data(md.load_urdf(urdf))


def test_loops_are_left_open_on_request():
    urdf = two_links(tags=[loop_joint("shut", "spherical", ("a", (0, 0, 0)), ("c", (0, 0, 0)), (0, 1, 0))])
    assert tree_data(md.load_urdf(urdf).tree).joints == ("ab", "bc")


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
