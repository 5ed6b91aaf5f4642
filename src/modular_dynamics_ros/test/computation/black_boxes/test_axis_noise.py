"""Noise by axis; the truths are full matrices, and classical formulas where axes share no parameter."""

import numpy as np
import pytest

from modular_dynamics_ros.computation.black_boxes.axis_noise import AxisFit

SIZES = np.array([1.0, 2.0, 0.3])  # standard deviations along x, y, z
COUNT = 7


@pytest.fixture
def fit():
    rng = np.random.default_rng(4)
    A = rng.normal(size=(3 * COUNT, 5))
    return AxisFit(A, A @ rng.normal(size=5) + rng.normal(size=3 * COUNT) * np.tile(SIZES, COUNT)), A


def test_axes_that_share_no_parameter_have_their_classical_variances():
    rng = np.random.default_rng(1)
    y = rng.normal(size=(COUNT, 3)) * SIZES + [5.0, -1.0, 2.0]
    fit = AxisFit(np.tile(np.eye(3), (COUNT, 1)), y.ravel())
    assert fit.values == pytest.approx(y.mean(axis=0), rel=1e-13)
    assert fit.noise == pytest.approx(y.var(axis=0, ddof=1), rel=1e-12)
    found = fit.variances(np.eye(3))
    assert found.values == pytest.approx(y.var(axis=0, ddof=1) / COUNT, rel=1e-12)
    assert found.freedom == pytest.approx([COUNT - 1] * 3, rel=1e-12)


def test_equal_axes_together_have_the_freedom_of_all():
    """Where the three noises are equal, their mean has 3 (K - 1) degrees of freedom."""
    y = np.tile([[1.0], [-1.0]] * 3, (1, 3))
    fit = AxisFit(np.tile(np.eye(3), (6, 1)), y.ravel())
    assert fit.variances(np.ones((1, 3))).freedom == pytest.approx([15.0], rel=1e-12)


def test_values_are_those_of_least_squares(fit):
    fit, A = fit
    rng = np.random.default_rng(9)
    y = rng.normal(size=3 * COUNT)
    assert AxisFit(A, y).values == pytest.approx(np.linalg.lstsq(A, y, rcond=None)[0], abs=1e-13)


def test_freedom_is_that_of_the_full_quadratic_form(fit):
    fit, A = fit
    B = np.linalg.pinv(A)
    N = np.eye(len(A)) - A @ B
    axes = [np.diag(np.tile(one, COUNT)) for one in np.eye(3)]
    expected = np.array([[np.trace(a @ N @ b @ N) for b in axes] for a in axes])
    combinations = np.random.default_rng(2).normal(size=(3, 5))
    found = fit.variances(combinations)
    for k, one in enumerate(combinations):
        share = ((one @ B) ** 2).reshape(-1, 3).sum(axis=0)
        W = np.diag(np.tile(np.linalg.solve(expected.T, share), COUNT))
        spread = N @ W @ N @ np.diag(np.tile(fit.noise, COUNT))
        assert found.values[k] == pytest.approx(np.trace(spread), rel=1e-11)
        assert found.freedom[k] == pytest.approx(np.trace(spread) ** 2 / np.trace(spread @ spread), rel=1e-10)


def test_noises_are_unbiased(fit):
    """Their mean over many draws; its own deviation is known from them."""
    A, rng = fit[1], np.random.default_rng(3)
    draws = np.array([AxisFit(A, rng.normal(size=len(A)) * np.tile(SIZES, COUNT)).noise for _ in range(3000)])
    deviation = draws.std(axis=0) / np.sqrt(len(draws))
    # the noise along z is small: an estimate below zero counts as zero, so that its mean is above
    assert (np.abs(draws.mean(axis=0) - SIZES**2) < 4.0 * deviation)[:2].all()
    assert draws.mean(axis=0)[2] > SIZES[2] ** 2 - 4.0 * deviation[2]


def test_without_noise_nothing_is_uncertain():
    A = np.tile(np.eye(3), (COUNT, 1))
    found = AxisFit(A, np.zeros(3 * COUNT)).variances(np.eye(3))
    assert (found.values == 0.0).all()
    assert (found.freedom == 3 * COUNT - 3).all()


def test_an_axis_without_noise_beside_one_with_noise_has_bounds(fit):
    """Its estimate is zero, or nearly; 0 / 0, or a freedom near zero, would be an interval without end."""
    fit, _ = fit
    for along_x in (0.0, 1e-30):
        fit.noise = np.array([along_x, 0.0, 1.0])
        with np.errstate(divide="raise", invalid="raise"):
            freedom = fit._freedom(np.array([1.0, 1.0, 0.0]))
        assert freedom >= 1.0
