"""Laws of SE(3), se(3) and their adjoints, each on random elements; Pinocchio's actions; bad input."""

import numpy as np
import pinocchio
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from helpers.random_examples.dual_quaternions import angles, vectors
from modular_dynamics.exceptions import StateError
from papers.modular_robots import lie

# components up to 1
twists = st.builds(lambda v, omega: 0.1 * np.concatenate([v, omega]), vectors, vectors)
matrices = st.builds(lambda omega, p: lie.homogeneous(lie.exp(omega), 0.1 * p), angles, vectors)

#: Both sides of each law: of poses G and H, twists a, b and c, a wrench F.
LAWS = {
    "bracket_is_skew_symmetric": lambda G, H, a, b, c, F: (lie.bracket(a, b), -lie.bracket(b, a)),
    "jacobi_identity": lambda G, H, a, b, c, F: (
        lie.bracket(a, lie.bracket(b, c)) + lie.bracket(c, lie.bracket(a, b)),
        -lie.bracket(b, lie.bracket(c, a)),
    ),
    "bracket_is_the_commutator": lambda G, H, a, b, c, F: (
        lie.hat(lie.bracket(a, b)),
        lie.hat(a) @ lie.hat(b) - lie.hat(b) @ lie.hat(a),
    ),
    "bracket_of_rotations_is_the_commutator": lambda G, H, a, b, c, F: (
        lie.hat(lie.bracket(a[:3], b[:3])),
        lie.hat(a[:3]) @ lie.hat(b[:3]) - lie.hat(b[:3]) @ lie.hat(a[:3]),
    ),
    "bracket_is_bilinear": lambda G, H, a, b, c, F: (
        lie.bracket(a + 2.0 * b, c),
        lie.bracket(a, c) + 2.0 * lie.bracket(b, c),
    ),
    "ad_is_the_bracket": lambda G, H, a, b, c, F: (lie.ad(a) @ b, lie.bracket(a, b)),
    "ad_is_a_homomorphism": lambda G, H, a, b, c, F: (
        lie.ad(lie.bracket(a, b)),
        lie.ad(a) @ lie.ad(b) - lie.ad(b) @ lie.ad(a),
    ),
    "Ad_is_a_homomorphism": lambda G, H, a, b, c, F: (lie.Ad(G @ H), lie.Ad(G) @ lie.Ad(H)),
    "Ad_of_the_inverse": lambda G, H, a, b, c, F: (lie.Ad(G) @ lie.Ad(lie.inverse(G)), np.eye(6)),
    "inverse": lambda G, H, a, b, c, F: (lie.inverse(G) @ G, np.eye(4)),
    "Ad_is_the_conjugation": lambda G, H, a, b, c, F: (
        lie.hat(lie.Ad(G) @ a),
        G @ lie.hat(a) @ lie.inverse(G),
    ),
    "Ad_keeps_brackets": lambda G, H, a, b, c, F: (
        lie.Ad(G) @ lie.bracket(a, b),
        lie.bracket(lie.Ad(G) @ a, lie.Ad(G) @ b),
    ),
    "dual_Ad_keeps_power": lambda G, H, a, b, c, F: ((lie.dual_Ad(G) @ F) @ a, F @ (lie.Ad(G) @ a)),
    "dual_Ad_reverses_products": lambda G, H, a, b, c, F: (
        lie.dual_Ad(G @ H),
        lie.dual_Ad(H) @ lie.dual_Ad(G),
    ),
    "dual_ad_keeps_power": lambda G, H, a, b, c, F: (
        (lie.dual_ad(a) @ F) @ b,
        F @ lie.bracket(a, b),
    ),
}


def assert_equal(left, right):
    # products of up to four matrices of numbers up to 1, each rounded a dozen times
    assert np.abs(np.asarray(left) - np.asarray(right)).max() <= 1e-13


@pytest.mark.parametrize("law", LAWS)
@given(G=matrices, H=matrices, a=twists, b=twists, c=twists, F=twists)
def test_law(law, G, H, a, b, c, F):
    assert_equal(*LAWS[law](G, H, a, b, c, F))


@given(twists.map(lambda a: 10.0 * a))
def test_Ad_of_exp_is_expm_of_ad(a):
    expected = scipy.linalg.expm(lie.ad(a))
    assert np.abs(lie.Ad(lie.exp(a)) - expected).max() <= 1e-11 * np.abs(expected).max()


@given(matrices, twists, twists)
def test_pinocchio_moves_twists_and_wrenches_likewise(H, a, F):
    """Pinocchio's motions are (v, omega) and its forces (f, m) as well."""
    placement, motion, force = pinocchio.SE3(H), pinocchio.Motion(a), pinocchio.Force(F)
    assert_equal(lie.Ad(H) @ a, placement.act(motion).vector)
    assert_equal(lie.dual_Ad(H) @ F, placement.actInv(force).vector)
    assert_equal(lie.dual_Ad(lie.inverse(H)) @ F, placement.act(force).vector)
    other = pinocchio.Motion(a[::-1].copy())
    assert_equal(lie.bracket(a, a[::-1]), motion.cross(other).vector)
    assert_equal(-lie.dual_ad(a) @ F, motion.cross(force).vector)


def test_many_at_once_are_those_of_one():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4, 3, 6))
    H = lie.exp(a)
    for index in np.ndindex(4, 3):
        assert np.array_equal(lie.Ad(H)[index], lie.Ad(H[index]))
        assert np.array_equal(lie.dual_Ad(H)[index], lie.dual_Ad(H[index]))
        assert np.array_equal(lie.ad(a)[index], lie.ad(a[index]))
        assert np.array_equal(lie.dual_ad(a)[index], lie.dual_ad(a[index]))
        assert lie.bracket(a, b)[index] == pytest.approx(lie.bracket(a[index], b[index]), abs=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lie.Ad(np.eye(3)), r"H_b_a has shape \(3, 3\); \(..., 4, 4\) is needed"),
        (lambda: lie.Ad(2.0 * np.eye(4)), "H_b_a is no homogeneous matrix: its last row is"),
        (lambda: lie.dual_Ad(np.diag([1.0, 1.0, -1.0, 1.0])), "determinant is -1, a reflection"),
        (lambda: lie.ad([0.0] * 5), r"xi has shape \(5,\); \(..., 6\) is needed"),
        (lambda: lie.dual_ad([np.nan] * 6), "xi is not finite"),
        (lambda: lie.bracket(np.zeros(6), np.zeros(3)), r"b has shape \(3,\); \(..., 6\) is needed"),
        (lambda: lie.bracket(np.zeros((2, 6)), np.zeros((3, 6))), "leading dimensions that fit each other"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(StateError, match=message):
        call()
