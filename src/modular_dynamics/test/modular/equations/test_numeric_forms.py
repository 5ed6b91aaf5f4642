"""Matrices of SE(3) and se(3) by their definitions."""

import numpy as np
import pytest
from scipy.linalg import expm

from helpers.tree_dynamics import assert_close
from modular_dynamics.modular.equations import numeric as forms

TOLERANCE = 1e-14  # a few products of numbers of size 1


def twist_matrix(s):
    return np.vstack([np.column_stack([forms.skew(s[3:]), s[:3]]), np.zeros(4)])


def random_motion(seed):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=3)
    return forms.exp(np.concatenate([rng.normal(size=3), w / np.linalg.norm(w)]), rng.normal()), rng


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
    H, rng = random_motion(2)
    x, y = rng.normal(size=(2, 6))
    assert_close(twist_matrix(forms.adjoint(H) @ x), H @ twist_matrix(x) @ forms.inverse(H), TOLERANCE)
    bracket = twist_matrix(x) @ twist_matrix(y) - twist_matrix(y) @ twist_matrix(x)
    assert_close(twist_matrix(forms.ad(x) @ y), bracket, TOLERANCE)
    assert_close(forms.inverse(H) @ H, np.eye(4), TOLERANCE)


def test_gyroscopic_matrices_are_skew_and_give_the_gyroscopic_wrench():
    rng = np.random.default_rng(3)
    V, half = rng.normal(size=6), rng.normal(size=(3, 3))
    M = forms.generalized_mass(2.0, rng.normal(size=3), half @ half.T)
    wrench = -forms.ad(V).T @ M @ V
    B = forms.gyroscopic(M, V)
    assert_close(B, -B.T, TOLERANCE)
    assert_close(B @ V, wrench, TOLERANCE)
