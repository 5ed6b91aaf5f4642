"""Every algebra obeys the required laws, and all give the same composition, which is Pinocchio's."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.dual_quaternions import poses, pures, vectors
from helpers.tree_dynamics import assert_close, random_state
from modular_dynamics.algebra.matrix_forms import ad, dual_bracket_matrix, twist_vector, wrench_vector

DUAL_QUATERNIONS = md.DualQuaternionAlgebra()
ALGEBRAS = [DUAL_QUATERNIONS, md.SpatialVectorAlgebra(), md.SpecialEuclideanAlgebra()]
OTHERS = ALGEBRAS[1:]
each = pytest.mark.parametrize("algebra", ALGEBRAS, ids=lambda algebra: type(algebra).__name__)
each_other = pytest.mark.parametrize("algebra", OTHERS, ids=lambda algebra: type(algebra).__name__)


def components(algebra, xi):
    """(omega, v) of a twist."""
    if isinstance(algebra, md.DualQuaternionAlgebra):
        return xi.vec6()
    return np.roll(twist_vector(xi.array), 3) if isinstance(algebra, md.SpecialEuclideanAlgebra) else xi


def wrench_of(algebra, zeta):
    return np.concatenate(algebra.force_moment(zeta))


def power(algebra, xi, zeta):
    force, moment = algebra.force_moment(zeta)
    omega, v = np.split(components(algebra, xi), 2)
    return force @ v + moment @ omega


@each
@given(poses, poses, vectors, vectors, vectors)
def test_laws_that_the_composition_requires(algebra, x, y, a, b, c):
    """Motions are actions that keep brackets and power; the bracket has the two laws of a Lie algebra."""
    xi, eta, chi = algebra.twist(a, b), algebra.twist(c, a), algebra.twist(b, c)
    zeta = algebra.wrench(c, b)
    assert np.array_equal(components(algebra, xi), [*a, *b])
    assert np.array_equal(wrench_of(algebra, zeta), [*c, *b])
    # moments and velocities of size 10 at distances of 30, multiplied three times
    same = {"abs": 1e-8, "rel": 1e-12}
    twice = algebra.move_twist(x, algebra.move_twist(y, xi))
    assert components(algebra, algebra.move_twist(x * y, xi)) == pytest.approx(
        components(algebra, twice), **same
    )
    twice = algebra.move_wrench(x, algebra.move_wrench(y, zeta))
    assert wrench_of(algebra, algebra.move_wrench(x * y, zeta)) == pytest.approx(
        wrench_of(algebra, twice), **same
    )
    moved = algebra.move_twist(x, algebra.cross(xi, eta))
    kept = algebra.cross(algebra.move_twist(x, xi), algebra.move_twist(x, eta))
    assert components(algebra, kept) == pytest.approx(components(algebra, moved), **same)
    there = power(algebra, algebra.move_twist(x, xi), algebra.move_wrench(x, zeta))
    assert there == pytest.approx(power(algebra, xi, zeta), **same)
    opposite = algebra.cross(xi, eta) + algebra.cross(eta, xi)
    assert components(algebra, opposite) == pytest.approx(np.zeros(6), **same)
    jacobi = (
        algebra.cross(xi, algebra.cross(eta, chi))
        + algebra.cross(eta, algebra.cross(chi, xi))
        + algebra.cross(chi, algebra.cross(xi, eta))
    )
    assert components(algebra, jacobi) == pytest.approx(np.zeros(6), **same)


@each
@given(vectors, vectors)
def test_one_leaves_wrenches_as_they_are(algebra, force, moment):
    """Footnote 3: the elements of 1_s are the identity under multiplication."""
    zeta = algebra.wrench(force, moment)
    assert np.array_equal(wrench_of(algebra, zeta * algebra.one), wrench_of(algebra, zeta))


@given(pures, pures, pures)
def test_wrench_as_a_form_of_two_twists(zeta, a, b):
    """B(F) x = ad(x)^T F and x^T B(F) y = F . [y, x]; skew-symmetric; F can be read from it."""
    F, x, y = zeta.vec6(), a.vec6(), b.vec6()
    B = dual_bracket_matrix(F)
    assert np.array_equal(B, -B.T)
    assert np.array_equal(wrench_vector(B), F)
    assert B @ x == pytest.approx(ad(x).T @ F, abs=1e-12)
    assert x @ B @ y == pytest.approx(F @ (ad(y) @ x), abs=1e-10)


@each_other
@given(vectors, vectors, vectors, vectors, vectors)
def test_newton_euler_of_one_body_is_that_of_dual_quaternions(algebra, omega, v, omega_dot, v_dot, gravity):
    inertia = np.array([[0.4, 0.05, -0.02], [0.05, 0.3, 0.01], [-0.02, 0.01, 0.5]])

    def of(kind):
        twist, dot = kind.twist(omega, v), kind.twist(omega_dot, v_dot)
        return wrench_of(kind, kind.newton_euler(3.0, inertia, gravity, twist, dot))

    assert of(algebra) == pytest.approx(of(DUAL_QUATERNIONS), abs=1e-11)


@each_other
def test_every_quantity_is_that_of_dual_quaternions(tree_robot, algebra):
    state = random_state(tree_robot, np.random.default_rng(0))
    ours, theirs = (md.compose(tree_robot, *state, algebra=kind) for kind in (DUAL_QUATERNIONS, algebra))
    largest = np.abs(ours.tau).max()
    assert np.abs(theirs.tau - ours.tau).max() <= 1e-11 * largest
    for own, other in zip(ours.twists, theirs.twists, strict=True):
        assert components(algebra, other) == pytest.approx(own.vec6(), rel=1e-11, abs=1e-11)
    pairs = [*zip(ours.wrenches, theirs.wrenches, strict=True)]
    pairs += zip(ours.connection_wrenches, theirs.connection_wrenches, strict=True)
    pairs += zip(ours.interconnection_matrix.ravel(), theirs.interconnection_matrix.ravel(), strict=True)
    for own, other in pairs:
        assert wrench_of(algebra, other) == pytest.approx(own.vec6(), abs=1e-10 * max(1.0, largest))


@each
def test_torques_are_pinocchios(tree_robot, algebra):
    rng = np.random.default_rng(1)
    q, v, a = random_state(tree_robot, rng)
    links = [link for body in tree_robot.bodies for link in body.links]
    external = {link: 10.0 * rng.normal(size=6) for link in links[::2]}
    reference = md.crosscheck.CrossCheck(tree_robot).torques(q, v, a, external)
    assert_close(md.compose(tree_robot, q, v, a, external, algebra=algebra).tau, reference)


def test_sizes_of_footnote_3(load_robot):
    """With 6 x 6 elements A is 6 n x 6 s, 1_s is 6 s x 6, and A 1_s is 6 n x 6."""
    graph = load_robot("branched_38dof")
    state = random_state(graph, np.random.default_rng(3))
    composition = md.compose(graph, *state, algebra=md.SpecialEuclideanAlgebra())
    n, s = len(graph.joints), len(graph.subsystems)
    A = np.block([[element.array for element in row] for row in composition.interconnection_matrix])
    ones = np.vstack([np.eye(6)] * s)
    total = np.vstack([element.array for element in composition.wrenches])
    assert (A.shape, ones.shape, total.shape) == ((6 * n, 6 * s), (6 * s, 6), (6 * n, 6))
    assert A @ ones == pytest.approx(total, abs=1e-13 * np.abs(total).max())
